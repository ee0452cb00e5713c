"""Whose code has to change: the library that was called, or the one that computes for it."""

from assay.ir.finding import Finding, believed, platform_of

_FRONT_ENDS = ("keras", "keras2")
_BACKENDS = "keras/src/backend/"


def fix(finding: Finding) -> str:
    """``in keras: …``, ``upstream, in torch: …`` or ``undecided: …``, each with the reason."""
    blamed = [platform_of(finding, target) for target in finding.blamed]
    if not blamed:
        return "undecided: nobody is blamed"
    native = sorted({item.library for item in blamed if item.library not in _FRONT_ENDS})
    if native:
        return f"upstream, in {' and '.join(native)}: called directly, it does the same"
    computing = {item.backend for item in blamed}
    right = {platform_of(finding, target).library for target in believed(finding)}
    if computing & right:
        named = " and ".join(sorted(computing & right))
        return f"in keras: {named}, called directly, is right"
    cause = finding.cause
    if cause is None or not cause.place.startswith("keras/"):
        return "undecided: it is not known where inside of keras it comes from"
    if not cause.place.startswith(_BACKENDS):
        return "in keras: it comes from code that all backends share"
    if cause.detail.startswith("raise "):
        return "in keras: its own code raises it"
    if "*" in cause.place:
        return "in keras: several backends do the same"
    return f"undecided: in keras, unless {' and '.join(sorted(computing))} itself does the same"
