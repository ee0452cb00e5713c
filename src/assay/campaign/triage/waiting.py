"""What a waiting interpreter runs, and what it imports so that no script need do so again."""

from collections.abc import Sequence

#: What a backend imports when it first compiles: else each script would, for a tenth of a second.
_LATER = {"jax": ("jaxlib.mlir.dialects.mhlo",)}
#: What a call imports, by how scripts name it: Keras seeds TensorFlow, too, whatever its backend,
#: and each script that seeds would take two seconds for it.
_CALLED = {"keras.utils.set_random_seed(": ("tensorflow",)}
#: What it runs: imports, then a fork for each script that it is told of. For any Python that a
#: target may name, hence no ``os.waitstatus_to_exitcode``.
SERVER = """
import importlib, json, os, signal, subprocess, sys, traceback
answers = os.fdopen(int(sys.argv[1]), "w")  # preludes and libraries print on stdout
for module in json.loads(sys.argv[2]):
    importlib.import_module(module)

def anticipate(modules):
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError:
            pass  # another version, or not installed: the script will see

anticipate(json.loads(sys.argv[3]))
start = subprocess.run

def live(path, arguments, told):
    signal.alarm(seconds)
    os.chdir(os.path.dirname(path))  # where it may leave what it writes
    for number, name in ((1, ".out"), (2, ".err")):
        os.dup2(os.open(path + told + name, os.O_WRONLY | os.O_CREAT), number)
    code = 0
    try:
        sys.argv = [path] + arguments
        source = open(path, encoding="utf-8").read()
        exec(compile(source, path, "exec"), {"__name__": "__main__", "__file__": path})
    except SystemExit as ending:
        code = ending.code if isinstance(ending.code, int) else 0
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)

def ended(child):
    status = os.waitpid(child, 0)[1]
    return -(status & 127) if status & 127 else status >> 8

def again(command, **options):
    # What starts itself once more, to see how it dies, has run nothing so far: a fork will do. Not
    # for what looks for memory that nobody wrote: a fork has other memory (no "capture_output").
    tasks = "/proc/self/task"
    alone = os.path.isdir(tasks) and len(os.listdir(tasks)) == 1
    same = command == [sys.executable, sys.argv[0], "child"] and "capture_output" in options
    if not (alone and same) or "timeout" in options:
        return start(command, **options)
    sys.stdout.flush()
    child = os.fork()
    if not child:
        live(path, ["child"], ".child")
    code, told = ended(child), []
    for name in (".child.out", ".child.err"):
        with open(path + name, encoding="utf-8", errors="backslashreplace") as file:
            told.append(file.read())
    return subprocess.CompletedProcess(command, code, *told)

subprocess.run = again
for line in sys.stdin:
    path, seconds, modules = json.loads(line)
    anticipate(modules)
    child = os.fork()
    if not child:
        live(path, [], "")
    print(ended(child), file=answers, flush=True)
"""


def called(script: str) -> list[str]:
    """What the script imports by what it calls."""
    return [module for call, modules in _CALLED.items() if call in script for module in modules]


def later(backend: str, modules: Sequence[str]) -> tuple[str, ...]:
    """What is imported after a library's modules, where there is such a thing in its version."""
    computes = backend or next(iter(modules), "").partition(".")[0]
    return _LATER.get(computes, ())
