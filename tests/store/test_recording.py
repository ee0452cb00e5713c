"""What hunts record is what reports read."""

import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import StoreError
from assay.ir import content_hash, to_json
from assay.store import Store, open_store
from assay.store.recording import CASES_KEPT
from tests.factories import make_arrays, make_case, make_finding


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(str(tmp_path / "assay.db")) as opened:
        yield opened


def test_a_campaign_comes_back_as_it_was_started(store: Store) -> None:
    config = {"seed": 2**70, "techniques": ("single-op",), "cases": None}
    campaign = store.start_campaign(2**70, config, {"keras-torch": {"torch": "2.13.0"}})
    assert campaign.seed == 2**70
    assert campaign.config_hash == content_hash(config)
    assert campaign.config == {"seed": 2**70, "techniques": ["single-op"], "cases": None}
    assert content_hash(campaign.config) == campaign.config_hash
    assert campaign.versions == {"keras-torch": {"torch": "2.13.0"}}
    assert (campaign.next_trial, campaign.elapsed_seconds, campaign.finished) == (0, 0.0, False)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", campaign.started)
    assert store.campaigns() == (campaign,)
    assert store.find_campaign(campaign.config_hash) == campaign
    assert store.find_campaign("other") is None


def test_campaign_ids_are_unique_and_sort_by_time(store: Store) -> None:
    ids = [store.start_campaign(0, {}, {}).id for _ in range(12)]
    assert len(set(ids)) == 12
    assert sorted(ids) == ids
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d-\d{3}", name) for name in ids)
    latest = store.find_campaign(content_hash({}))
    assert latest is not None
    assert latest.id == ids[-1]


def test_a_finished_campaign_says_so_until_it_goes_on(store: Store) -> None:
    campaign = store.start_campaign(0, {}, {})
    store.record_trial(campaign.id, 0, [], {"trials": 1}, 1.5)
    store.finish_campaign(campaign.id, {"trials": 1, "rate": float("inf")}, 2.5)
    (finished,) = store.campaigns()
    assert (finished.finished, finished.elapsed_seconds, finished.next_trial) == (True, 2.5, 1)
    assert finished.statistics == {"trials": 1, "rate": float("inf")}
    store.record_trial(campaign.id, 0, [], {"trials": 0}, 0.0)
    assert store.campaigns() == (finished,)
    store.record_trial(campaign.id, 1, [], {"trials": 2}, 3.5)
    assert not store.campaigns()[0].finished


def test_an_unknown_campaign_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="no campaign 2000-01-01-001"):
        store.record_trial("2000-01-01-001", 0, [(make_finding(), make_arrays())], {}, 0.0)
    with pytest.raises(StoreError, match="no campaign"):
        store.finish_campaign("2000-01-01-001", {}, 0.0)
    assert store.findings() == ()


def test_the_first_record_represents_all_and_later_ones_are_counted(store: Store) -> None:
    one, two = (store.start_campaign(seed, {"seed": seed}, {}).id for seed in (1, 2))
    first = make_finding("pool", trial=0)
    later = msgspec.structs.replace(first, trial=3, magnitude=9.0)
    assert store.record_trial(one, 0, [(first, make_arrays(0))], {}, 0.0) == (True,)
    assert store.record_trial(one, 3, [(later, make_arrays(1))], {}, 0.0) == (False,)
    assert store.record_trial(two, 0, [(later, make_arrays(2))], {}, 0.0) == (False,)
    (kept,) = store.findings()
    assert to_json(kept) == to_json(msgspec.structs.replace(first, count=3))
    assert [finding.count for finding in store.findings(one)] == [2]
    assert [finding.count for finding in store.findings(two)] == [1]
    assert store.findings("2000-01-01-001") == ()
    for name, array in make_arrays(0).items():
        assert store.arrays(first.id)[name].tobytes() == array.tobytes()


def test_the_same_fingerprint_twice_in_one_trial_is_one_occurrence(store: Store) -> None:
    campaign = store.start_campaign(0, {}, {})
    pair = (make_finding(), make_arrays())
    assert store.record_trial(campaign.id, 0, [pair, pair], {}, 0.0) == (True, False)
    assert store.findings()[0].count == 1


def test_a_trial_recorded_again_changes_nothing(store: Store) -> None:
    campaign = store.start_campaign(0, {}, {})
    trials = [[(make_finding(index % 2), make_arrays())] for index in range(4)]
    for index, found in enumerate(trials):
        store.record_trial(campaign.id, index, found, {"trials": index + 1}, float(index))
    before = store.campaigns(), to_json(store.findings())
    for index, found in enumerate(trials):
        assert store.record_trial(campaign.id, index, found, {"trials": 0}, 99.0) == (False,)
    assert (store.campaigns(), to_json(store.findings())) == before


def test_only_the_first_occurrences_keep_their_case(store: Store) -> None:
    for _ in range(2):
        campaign = store.start_campaign(0, {}, {})
        for index in range(CASES_KEPT + 2):
            finding = make_finding(original=make_case(index))
            store.record_trial(campaign.id, index, [(finding, {})], {}, 0.0)
    shown = store.occurrences(make_finding().id)
    assert [item.trial for item in shown] == 2 * list(range(CASES_KEPT + 2))
    cases = [make_case(index) for index in range(CASES_KEPT)] + [None, None]
    assert [item.case for item in shown] == 2 * cases


def test_findings_are_filtered_and_sorted_bugs_first_newest_first(store: Store) -> None:
    campaign = store.start_campaign(0, {}, {})
    found: list[dict[str, Any]] = [
        {"category": "bug", "kind": "crash", "op": "keras.ops.sum"},
        {"category": "rounding", "kind": "inconsistency", "op": "keras.ops.sum"},
        {"category": "bug", "kind": "nan", "op": "keras.ops.max"},
        {"category": "unsupported", "kind": "error", "op": "keras.ops.max"},
    ]
    for index, changes in enumerate(found):
        finding = make_finding(index, trial=index, **changes)
        store.record_trial(campaign.id, index, [(finding, {})], {}, 0.0)

    def trials(**filters: Any) -> list[int]:
        return [finding.trial for finding in store.findings(**filters)]

    assert trials() == [2, 0, 3, 1]
    assert trials(campaign_id=campaign.id) == [2, 0, 3, 1]
    assert trials(categories=("bug",)) == [2, 0]
    assert trials(kinds=("crash", "error")) == [0, 3]
    assert trials(op="keras.ops.sum") == [0, 1]
    assert trials(op="keras.ops.sum", categories=("bug",), kinds=("nan",)) == []


def with_id(name: str, fingerprint: str) -> Any:
    return make_finding(name, id=fingerprint[:4], fingerprint=fingerprint)


def test_a_finding_is_found_by_any_unambiguous_beginning(store: Store) -> None:
    campaign = store.start_campaign(0, {}, {})
    for index, fingerprint in enumerate(("b3f1" + "0" * 60, "b3a2" + "1" * 60, "90ac" + "2" * 60)):
        finding = with_id(str(index), fingerprint)
        store.record_trial(campaign.id, index, [(finding, make_arrays())], {}, 0.0)
    for prefix in ("90ac", "9", "90ac2222"):
        assert store.finding(prefix).id == "90ac"
        assert store.arrays(prefix).keys() == make_arrays().keys()
    with pytest.raises(StoreError, match='"b3" is the beginning of several findings: b3a2, b3f1'):
        store.finding("b3")
    with pytest.raises(StoreError, match=r'no finding "b3f7".* Did you mean "b3f1"'):
        store.finding("b3f7")
    with pytest.raises(StoreError, match=r'no finding "%".*assay findings'):
        store.finding("%")
    with pytest.raises(StoreError, match="received nothing"):
        store.finding("")


def test_an_empty_store_says_that_it_has_no_findings(store: Store) -> None:
    with pytest.raises(StoreError, match=r'no finding "b3f1".*no findings yet'):
        store.finding("b3f1")


def test_two_fingerprints_with_one_id_are_told_apart(store: Store) -> None:
    campaign = store.start_campaign(0, {}, {})
    for index, tail in enumerate("012"):
        finding = with_id(tail, "b3f1" + tail * 60)
        found = [(finding, make_arrays(index))]
        assert store.record_trial(campaign.id, index, found, {}, 0.0) == (True,)
    assert sorted(finding.id for finding in store.findings()) == ["b3f1", "b3f11", "b3f12"]
    assert store.finding("b3f1").fingerprint == "b3f1" + "0" * 60
    for index, name in enumerate(("b3f1", "b3f11", "b3f12")):
        arrays = store.arrays(name)
        assert arrays["reference/loss"] == make_arrays(index)["reference/loss"]


def test_a_finding_without_arrays_has_no_artefact(store: Store, tmp_path: Path) -> None:
    campaign = store.start_campaign(0, {}, {})
    store.record_trial(campaign.id, 0, [(make_finding(), {})], {}, 0.0)
    assert store.arrays(make_finding().id) == {}
    assert not (tmp_path / "assay-artefacts").exists()


def test_a_trial_that_cannot_be_recorded_leaves_no_trace(store: Store, tmp_path: Path) -> None:
    campaign = store.start_campaign(0, {}, {})
    good = (make_finding(1), make_arrays())
    bad = (make_finding(2), {"x": object()})
    with pytest.raises(AttributeError):
        store.record_trial(campaign.id, 0, [good, bad], {}, 0.0)  # type: ignore[list-item]
    assert store.findings() == ()
    assert store.campaigns() == (campaign,)
    assert os.listdir(tmp_path / "assay-artefacts") == []


def test_what_a_killed_process_left_half_written_is_removed(store: Store, tmp_path: Path) -> None:
    partial = tmp_path / "assay-artefacts" / "b3f1.safetensors.partial"
    partial.parent.mkdir()
    partial.write_bytes(b"half")
    store.start_campaign(0, {}, {})
    assert not partial.exists()


TRIALS = st.lists(
    st.tuples(
        st.integers(0, 1),  # campaign
        st.integers(0, 6),  # trial
    ),
    max_size=25,
)
FOUND = st.lists(st.lists(st.integers(0, 4), max_size=3), min_size=14, max_size=14)


@settings(max_examples=40, deadline=None)
@given(calls=TRIALS, found=FOUND)
def test_whatever_is_recorded_in_whatever_order_counts_and_records_are_right(
    calls: list[tuple[int, int]], found: list[list[int]]
) -> None:
    """A trial's findings depend on the trial alone, as in a hunt; calls repeat and jump."""
    first: dict[int, Any] = {}
    occurrences: dict[int, set[tuple[int, int]]] = {}
    next_trial = [0, 0]
    with tempfile.TemporaryDirectory() as directory:
        url = f"{directory}/assay.db"
        with open_store(url) as store:
            ids = [store.start_campaign(seed, {"seed": seed}, {}).id for seed in range(2)]
            for which, trial in calls:
                names = found[7 * which + trial]
                findings = [
                    (
                        make_finding(name, campaign=ids[which], trial=trial),
                        make_arrays(100 * which + trial),
                    )
                    for name in names
                ]
                expected = []
                for name, (finding, arrays) in zip(names, findings, strict=True):
                    expected.append(name not in first)
                    first.setdefault(name, (finding, arrays))
                    occurrences.setdefault(name, set()).add((which, trial))
                next_trial[which] = max(next_trial[which], trial + 1)
                new = store.record_trial(ids[which], trial, findings, {"last": trial}, 1.0)
                assert new == tuple(expected)
        with open_store(url, create=False) as store:
            assert [campaign.next_trial for campaign in store.campaigns()] == next_trial
            stored = {finding.fingerprint: finding for finding in store.findings()}
            assert len(stored) == len(first)
            for name, (finding, arrays) in first.items():
                count = len(occurrences[name])
                same = to_json(msgspec.structs.replace(finding, count=count))
                assert to_json(stored[finding.fingerprint]) == same
                loaded = store.arrays(finding.id)
                assert {key: value.tobytes() for key, value in loaded.items()} == {
                    key: value.tobytes() for key, value in arrays.items()
                }
                shown = {
                    (ids.index(item.campaign), item.trial) for item in store.occurrences(finding.id)
                }
                assert shown == occurrences[name]
