"""Whose script it is: the library whose words it is written in, and the targets it is about."""

import msgspec

from assay.ir import EAGER_MODES, Case, Finding, Platform, platform_of
from assay.libraries import Dialect, Library, Untold, libraries, root_of, worded
from assay.libraries.kernels import contrary
from assay.reproduce.program import CannotReproduce
from assay.reproduce.sides import Sides


class Speaker(msgspec.Struct, frozen=True):
    """A library in a mode, and the targets of either side that are this.

    Others may show the same: of Keras one script does for all backends, but no script is in
    the words of two libraries, or compiled and not, or with two sets of kernels of one library.
    Of the sound ones those with other kernels come last.
    """

    library: Library
    mode: str
    sides: Sides

    @property
    def dialect(self) -> Dialect:
        """How its scripts are written."""
        assert self.library.dialect is not None  # ``speaker_of`` chose one with it
        return self.library.dialect

    @property
    def chooses_backend(self) -> bool:
        """Does it run on a backend that a variable of the environment names?"""
        return bool(self.dialect.chosen)

    def case(self, finding: Finding) -> Case:
        """The finding's case in its words."""
        try:
            return worded(finding.case, self.library.name)
        except Untold as error:
            raise CannotReproduce(f"{self.library.name} cannot be asked it: {error}") from error


def speaker_of(finding: Finding, sides: Sides) -> Speaker:
    """The first faulty target that speaks the case's own words, else the first that has a script.

    Eager ones come first. ``CannotReproduce`` if no script runs what they are.
    """
    if not sides.faulty:
        raise CannotReproduce("it is not recorded who shows it")
    platforms = {name: platform_of(finding, name) for name in (*sides.faulty, *sides.sound)}
    able = [name for name in sides.faulty if _able(platforms[name])]
    if not able:
        raise CannotReproduce(_unable(sides.faulty[0], platforms[sides.faulty[0]]))
    try:
        root = root_of(finding.case)
    except Untold as error:
        raise CannotReproduce(str(error)) from error
    roots = {name: libraries()[platforms[name].library].root for name in able}
    first = min(able, key=lambda name: (roots[name] != root, not platforms[name].eager))
    library, mode = platforms[first].library, platforms[first].mode

    def alike(names: tuple[str, ...]) -> list[str]:
        made_of = {name: _written(platforms[name]) for name in names}
        return [name for name in names if made_of[name] == _written(platforms[first])]

    def other_kernels(name: str) -> bool:
        return contrary(platforms[first], platforms[name])

    faulty = [name for name in alike(sides.faulty) if not other_kernels(name)]
    sound = sorted(alike(sides.sound), key=other_kernels)
    return Speaker(libraries()[library], mode, Sides(tuple(faulty), tuple(sound)))


def _written(platform: Platform) -> tuple[str, str | None]:
    """What is equal of platforms that one text does for: modes may differ by kernels only."""
    dialect = _dialect(platform)
    return platform.library, None if dialect is None else dialect.modes.get(platform.mode)


def _dialect(platform: Platform) -> Dialect | None:
    library = libraries().get(platform.library)
    return None if library is None else library.dialect


def _able(platform: Platform) -> bool:
    """Is there a script that runs such a platform?"""
    dialect = _dialect(platform)
    return dialect is not None and platform.mode in dialect.modes


def _unable(target: str, platform: Platform) -> str:
    dialect = _dialect(platform)
    if dialect is None:
        return f"how scripts of {platform.library} ({target}) are written is not known"
    known = ", ".join(mode for mode in dialect.modes if mode not in EAGER_MODES)
    return f"scripts of {platform.library} run in {known} mode; {target} is {platform.identity}"
