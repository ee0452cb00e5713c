"""Calls as plain data: an API's public path, and arguments with tensors in them.

Keyword arguments stand under their names, positional ones under their places (``"0"``,
``"1"`` …). A value is plain JSON, a list (which the library gets as a tuple), or one of

- ``{"$tensor": name}``: an input of the graph,
- ``{"$dtype": "float32"}``: the library's dtype of that name,
- ``{"$name": path}``: a public object of the library (a layout, a function),
- ``{"$number": "inf"}`` (``"-inf"``, ``"nan"``), ``{"$complex": [real, imaginary]}``,
- ``{"$made": [path, argument, …]}``: what a public callable makes of tensors (a sparse tensor),
- ``{"$slice": [start, stop, step]}``, ``{"$ellipsis": true}``, ``{"$dict": {key: value}}``.
"""

import math

from assay_worker.libraries._base import lookup


class NotPlain(ValueError):
    """An argument that cannot be told as plain data."""


def encoded(value, tensor, name, parts=None):
    """An argument as plain data; ``NotPlain`` if it is something else.

    ``tensor(value)`` gives the name of the input that a tensor becomes, None for anything that is
    none; ``name(value)`` a ``$dtype`` or ``$name`` record, None for what has no public name;
    ``parts(value)`` the path of a public callable and the arguments that it makes the value of,
    None for what is not made of tensors.
    """
    found = tensor(value)
    if found is not None:
        return {"$tensor": found}
    made = parts(value) if parts is not None else None
    if made is not None:
        path, arguments = made
        return {"$made": [path] + [encoded(item, tensor, name, parts) for item in arguments]}
    if value is None or isinstance(value, (bool, str)):
        return value
    if type(value) is int:
        return value
    if isinstance(value, float):
        plain = float(value)
        if math.isfinite(plain):
            return plain
        return {"$number": "nan" if plain != plain else "inf" if plain > 0 else "-inf"}
    if isinstance(value, complex):
        if not (math.isfinite(value.real) and math.isfinite(value.imag)):
            raise NotPlain("a complex number that is not finite")
        return {"$complex": [value.real, value.imag]}
    if isinstance(value, slice):
        return {"$slice": [encoded(part, tensor, name, parts) for part in _ends(value)]}
    if value is Ellipsis:
        return {"$ellipsis": True}
    found = name(value)
    if found is not None:
        return found
    if isinstance(value, (list, tuple)):
        return [encoded(item, tensor, name, parts) for item in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        told = {key: encoded(item, tensor, name, parts) for key, item in value.items()}
        return {"$dict": told}
    if hasattr(value, "__index__") and not hasattr(value, "shape"):
        return int(value)
    raise NotPlain("%s is no plain data" % type(value).__name__)


def _ends(value):
    return (value.start, value.stop, value.step)


def decoded(value, tensors, adapter):
    """An argument of plain data as the library takes it.

    ``adapter`` gives dtypes (``dtype(name)``) and public objects (``resolve(path)``).
    """
    if isinstance(value, (list, tuple)):
        return tuple(decoded(item, tensors, adapter) for item in value)
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((kind, content),) = value.items()
        if kind == "$tensor":
            return lookup(tensors, content)
        if kind == "$dtype":
            return adapter.dtype(content)
        if kind == "$name":
            return adapter.resolve(content)
        if kind == "$made":
            arguments = [decoded(item, tensors, adapter) for item in content[1:]]
            return adapter.resolve(content[0])(*arguments)
        if kind == "$number":
            return float(content)
        if kind == "$complex":
            return complex(*content)
        if kind == "$slice":
            return slice(*[decoded(part, tensors, adapter) for part in content])
        if kind == "$ellipsis":
            return Ellipsis
        if kind == "$dict":
            return {key: decoded(item, tensors, adapter) for key, item in content.items()}
    return {key: decoded(item, tensors, adapter) for key, item in value.items()}


def placed(positional, keywords):
    """Positional and keyword arguments under one roof, as a node's ``arguments`` have them."""
    found = {str(place): value for place, value in enumerate(positional)}
    found.update(keywords)
    return found


def parted(arguments):
    """Positional and keyword arguments of a node's ``arguments``."""
    places = sorted((int(key) for key in arguments if key.isdigit()))
    if places != list(range(len(places))):
        raise ValueError("positional arguments are numbered from 0 on; received %s" % places)
    positional = [arguments[str(place)] for place in places]
    return positional, {key: value for key, value in arguments.items() if not key.isdigit()}


def tensor_names(value):
    """The inputs that plain arguments name, in order, each once."""
    found = []

    def look(item):
        if isinstance(item, (list, tuple)):
            for part in item:
                look(part)
        elif isinstance(item, dict):
            if len(item) == 1 and "$tensor" in item:
                if item["$tensor"] not in found:
                    found.append(item["$tensor"])
            else:
                for part in item.values():
                    look(part)

    look(value)
    return found
