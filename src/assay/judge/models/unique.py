"""Which inconsistent pairs are inconsistent in the same way."""

from collections.abc import Mapping, Sequence

import numpy as np

from assay.ir.check import LocalizationMap, PairResult, UniqueInconsistency
from assay.judge.distances import MAD_BINS


def unique(
    pairs: Sequence[PairResult], maps: Sequence[LocalizationMap]
) -> tuple[UniqueInconsistency, ...]:
    """Inconsistent pairs grouped by suspect layer (or what is left) and blame, else by histogram
    or similar map; where a published rule decided, by their patterns of distances.
    """
    groups: list[list[PairResult]] = []
    by_pair = {item.targets: item for item in maps}
    for pair in pairs:
        if pair.verdict != "inconsistent":
            continue
        for group in groups:
            if all(_same(member, pair, by_pair) for member in group):
                group.append(pair)
                break
        else:
            groups.append([pair])
    found = []
    for group in groups:
        worst = max(group, key=lambda item: item.max_abs)
        suspect = worst.suspect
        blamed = suspect or worst.outside
        found.append(
            UniqueInconsistency(
                layer=suspect.layer if suspect else "",
                op=suspect.op if suspect else "",
                blamed=blamed.blamed if blamed else (),
                pairs=tuple(item.targets for item in group),
                instance=worst.worst,
                pattern=pattern(worst),
            )
        )
    return tuple(found)


def pattern(pair: PairResult) -> tuple[int, ...]:
    """How many instances have which distance, of the kind that a published rule went by; nothing
    where none did. Accuracies have no pattern of their own: it is that of the class distances.
    """
    if not pair.exceeded:
        return ()
    by_mad = pair.exceeded[0] == "mad"
    return pair.histogram[-MAD_BINS:] if by_mad else pair.histogram[:-MAD_BINS]


def _same(
    one: PairResult, two: PairResult, maps: Mapping[tuple[str, str], LocalizationMap]
) -> bool:
    if one.exceeded:
        # The same numbers may be of two faults if different targets are known to be wrong.
        known = {pair.suspect.blamed for pair in (one, two) if pair.suspect} - {()}
        return pattern(one) == pattern(two) and len(known) < 2
    if one.suspect and two.suspect:
        blamed = one.suspect.blamed, two.suspect.blamed
        return one.suspect.layer == two.suspect.layer and blamed[0] == blamed[1]
    if one.outside and two.outside and one.outside.blamed:
        return one.outside == two.outside
    if one.targets in maps and two.targets in maps:
        return _similarity(maps[one.targets], maps[two.targets]) > 0.99
    return one.histogram == two.histogram


def _similarity(one: LocalizationMap, two: LocalizationMap) -> float:
    """Cosine of the deviations of the layers that both maps show."""
    second = {item.layer: item.deviation for item in two.layers}
    shared = [(item.deviation, second[item.layer]) for item in one.layers if item.layer in second]
    vectors = np.nan_to_num(np.array(shared, dtype="float64").reshape(-1, 2), posinf=1e30)
    norms = np.linalg.norm(vectors, axis=0)
    if not len(shared) or not norms.all():
        return 0.0
    return float(vectors[:, 0] @ vectors[:, 1] / (norms[0] * norms[1]))
