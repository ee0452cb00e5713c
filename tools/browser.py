"""Unpack a headless Chromium for the tests of pages: ``make browser``.

The build comes from an npm package (@sparticuz/chromium): one file that needs neither a package
manager nor rights of an administrator. Nothing is done if that version is there already.
"""

import base64
import hashlib
import io
import os
import platform
import shutil
import sys
import tarfile
import urllib.request
from pathlib import Path

import brotli

VERSION = "147.0.0"
ADDRESS = "@sparticuz/chromium/-/chromium-{}.tgz"
#: SHA-512 of the package, as the registry publishes it.
DIGEST = "4ZKeAQQa8up2mt675qSitztLdbQrlf8BKdC5naeap+5Mv1OV1OlJdPoU+EJC/p5sQUJUQmN4r+q5+EhaaOUHpQ=="
#: Libraries that a bare machine may lack.
LIBRARIES = "al2023.tar.br"


def main(folder: Path) -> int:
    """Fill the folder; the code to exit with."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        print(f"browser: no build for {platform.system()} {platform.machine()}", file=sys.stderr)
        return 2
    stamp = folder / f"version-{VERSION}"
    if stamp.exists():
        return 0
    registry = os.environ.get("NPM_CONFIG_REGISTRY", "https://registry.npmjs.org/").rstrip("/")
    with urllib.request.urlopen(f"{registry}/{ADDRESS.format(VERSION)}", timeout=300) as answer:
        package = answer.read()
    digest = base64.b64encode(hashlib.sha512(package).digest()).decode()
    if digest != DIGEST:
        print(f"browser: expected a package with SHA-512 {DIGEST}; received {digest}")
        return 1
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(package)) as files:
        program = folder / "chromium"
        program.write_bytes(unpacked(files, "chromium.br"))
        program.chmod(0o755)
        with tarfile.open(fileobj=io.BytesIO(unpacked(files, LIBRARIES))) as libraries:
            libraries.extractall(folder, filter="data")
    stamp.touch()
    print(f"browser: Chromium of {VERSION} in {folder}")
    return 0


def unpacked(files: tarfile.TarFile, name: str) -> bytes:
    member = files.extractfile(f"package/bin/{name}")
    if member is None:
        raise ValueError(f"the package has no file {name}")
    return brotli.decompress(member.read())


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))
