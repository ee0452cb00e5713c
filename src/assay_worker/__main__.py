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


def _die_with(parent):
    """Ask the kernel to kill us when the host dies: a hung library cannot see the pipe end."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes
    import signal

    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def main(arguments):
    """Serve until the host closes the pipe."""
    options = json.loads(arguments[0])
    _die_with(options["parent"])
    for descriptor in options["descriptors"]:
        # A child of the library must not keep our pipe open after we died.
        os.set_inheritable(descriptor, False)
    faulthandler.enable(all_threads=False)
    _import_ourselves()
    from assay_worker.serve import serve

    return serve(options, *options["descriptors"])


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    # Library finalizers may hang or crash at exit; nothing of ours is left to do.
    os._exit(code)
