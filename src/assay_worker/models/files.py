"""What identifies the content of a model that is one file, a file and its data, or a folder."""

import hashlib
import os


def digest(path):
    """Hex SHA-256 over every byte of the model; of a .xml file, with the .bin beside it."""
    if os.path.isdir(path):
        parts = sorted(os.path.join(where, n) for where, _, names in os.walk(path) for n in names)
        names = [os.path.relpath(part, path) for part in parts]
    else:
        beside = os.path.splitext(path)[0] + ".bin"
        more = [beside] if path.lower().endswith(".xml") and os.path.exists(beside) else []
        parts, names = [path] + more, [""] + ["weights"] * len(more)
    found = hashlib.sha256()
    for part, name in zip(parts, names):
        found.update(name.replace(os.sep, "/").encode("utf-8"))
        with open(part, "rb") as file:
            for block in iter(lambda: file.read(1 << 20), b""):
                found.update(block)
    return found.hexdigest()
