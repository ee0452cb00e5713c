"""What a script sets so that the library uses the kernels that have the fault, and what it needs.

Libraries choose kernels by the CPU: without this a script would show one thing here and another
there.
"""

from assay.ir import Finding, platform_of
from assay.libraries.kernels import chosen
from assay.reproduce.literals import value_code
from assay.reproduce.speaking import Speaker

#: Instruction sets that kernels are written for, each wider than the one before.
_WIDER = ("avx2", "avx512f", "avx512_vnni", "amx_tile")


def kernel_lines(finding: Finding, targets: tuple[str, ...]) -> list[str]:
    """Lines that choose the kernels of these targets, whatever the caller has set."""
    said: dict[str, str] = {}
    for target in targets:
        said = {**chosen(platform_of(finding, target)), **said}
    return [
        f"os.environ[{value_code(name)}] = {value_code(value)}  # else the CPU decides"
        for name, value in said.items()
    ]


def needed_flags(finding: Finding, speaker: Speaker) -> tuple[str, ...]:
    """The flags of the CPU without which it may not show: only of other kernels than the usual."""
    platform = platform_of(finding, speaker.sides.faulty[0])
    return tuple(flag for flag in _WIDER if platform.base and flag in platform.machine.flags)


def needing(flags: tuple[str, ...]) -> list[str]:
    """Lines that say what this CPU lacks, and how the script ends where the fault is ``absent``."""
    if not flags:
        return []
    return [
        "",
        'flags = open("/proc/cpuinfo").read().split() if os.path.exists("/proc/cpuinfo") else ()',
        f"lacking = [flag for flag in {flags} if flag not in flags]",
        "if lacking:",
        '    print("if it does not show here: it needs a CPU with", ", ".join(lacking))',
        "absent = 2 if lacking else 1",
    ]
