"""Start a worker: ``python .../assay_worker/__main__.py OPTIONS-AS-JSON``.

Run by path, not with ``-m``, by whatever interpreter the target names. Only
this package becomes importable, not its neighbours: they belong to the host's
interpreter.
"""

import faulthandler
import importlib.util
import json
import os
import sys


def _import_ourselves():
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != here]
    spec = importlib.util.spec_from_file_location(
        "assay_worker", os.path.join(here, "__init__.py"), submodule_search_locations=[here]
    )
    package = importlib.util.module_from_spec(spec)
    sys.modules["assay_worker"] = package
    spec.loader.exec_module(package)


def main(arguments):
    """Serve until the host closes the pipe."""
    options = json.loads(arguments[0])
    _import_ourselves()
    from assay_worker import nursery, process, serve

    process.die_with(options["parent"])
    for descriptor in options["descriptors"]:
        # A child of the library must not keep our pipe open after we died.
        os.set_inheritable(descriptor, False)
    faulthandler.enable(all_threads=False)
    if options.get("nursery"):
        code = nursery.run(options, *options["descriptors"])
    else:
        code = serve.serve(options, serve.prepared(options), *options["descriptors"])
    process.leave(code)


if __name__ == "__main__":
    main(sys.argv[1:])
