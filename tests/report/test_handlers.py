"""Handlers of events: NDJSON, plain lines, the live display."""

import io
import os
import sys
import threading
import time
from pathlib import Path

import pytest

from assay.campaign.events import Event, Notice
from assay.errors import AssayError
from assay.ir import to_plain
from assay.report.lines import PlainLines
from assay.report.live import LiveDisplay
from assay.report.ndjson import EventWriter, decode, encode
from tests.report.records import EVENTS, summary


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_comes_back_from_its_line(event: Event) -> None:
    line = encode(event)
    assert "\n" not in line
    assert decode(line) == event


def test_the_summary_of_a_hunt_has_the_agreed_keys() -> None:
    agreed = "campaign seed cases trials seconds cpu_seconds targets coverage suppressed findings"
    document = to_plain(summary())
    assert set(agreed.split()) <= document.keys()
    assert set(document["cpu_seconds"]) == {"generate", "execute", "judge", "explain", "total"}


def test_every_event_is_on_disk_as_soon_as_it_happened(tmp_path: Path) -> None:
    path = tmp_path / "events.ndjson"
    with EventWriter(str(path)) as writer:
        for count, event in enumerate(EVENTS, 1):
            writer(event)
            assert len(path.read_text().splitlines()) == count
    assert tuple(map(decode, path.read_text().splitlines())) == EVENTS


def test_a_resumed_hunt_appends_and_a_new_one_overwrites(tmp_path: Path) -> None:
    path = tmp_path / "events.ndjson"
    for append, expected in ((False, 1), (True, 2), (False, 1)):
        with EventWriter(str(path), append=append) as writer:
            writer(EVENTS[0])
        assert len(path.read_text().splitlines()) == expected


def test_events_go_to_stdout_for_a_dash(capsys: pytest.CaptureFixture[str]) -> None:
    with EventWriter("-") as writer:
        writer(EVENTS[0])
    assert decode(capsys.readouterr().out) == EVENTS[0]


def test_a_file_that_cannot_be_opened_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=r"cannot write events to .*: No such file"):
        EventWriter(str(tmp_path / "no" / "events.ndjson"))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_ends_the_events_not_the_hunt(capsys: pytest.CaptureFixture[str]) -> None:
    writer = EventWriter("/dev/full")
    for event in EVENTS:
        writer(event)
    assert capsys.readouterr().err == (
        "assay: cannot write events to /dev/full: No space left on device; "
        "the hunt goes on without them.\n"
    )


def test_plain_lines_come_even_when_no_event_does() -> None:
    stream = io.StringIO()
    with PlainLines(stream, interval=0.02):
        deadline = time.monotonic() + 10
        while stream.getvalue().count("\n") < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
    printed = stream.getvalue()
    assert printed.startswith("0:00  starting targets\n")
    assert printed.count("\n") >= 2
    assert "progress-lines" not in {thread.name for thread in threading.enumerate()}


def test_plain_lines_tell_the_start_notices_and_targets_left_out() -> None:
    stream = io.StringIO()
    with PlainLines(stream, interval=60) as handler:
        for event in EVENTS:
            handler(event)
    assert stream.getvalue().splitlines() == [
        "assay hunt started: seed 7 · budget 2:00 · single-op · keras-tensorflow, keras-jax, "
        "keras-torch, keras-openvino · store assay.db",
        "keras-openvino left out: ImportError: no",
        "the disk is [bold]nearly full",
    ]


def test_plain_lines_survive_a_reader_that_went_away() -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as stream, PlainLines(stream, interval=60) as handler:
        handler(Notice("one"))
        handler(Notice("two"))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_plain_lines_survive_a_full_disk() -> None:
    with open("/dev/full", "w") as stream, PlainLines(stream, interval=60) as handler:
        handler(Notice("one"))
        handler(Notice("two"))


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
def test_the_live_display_draws_on_a_terminal_and_leaves_nothing_behind() -> None:
    import pty

    master, slave = pty.openpty()
    drained: list[bytes] = []

    def drain() -> None:
        while True:
            try:
                data = os.read(master, 65536)
            except OSError:  # the other side is closed
                return
            if not data:
                return
            drained.append(data)

    reader = threading.Thread(target=drain)
    reader.start()
    with os.fdopen(slave, "w") as stream, LiveDisplay(stream) as handler:
        for event in EVENTS:
            handler(event)
        time.sleep(0.6)
    reader.join(10)
    os.close(master)
    printed = b"".join(drained).decode()
    assert "seed 7" in printed
    assert "the disk is [bold]nearly full" in printed
    assert printed.rstrip().endswith("\x1b[2K"), "the panel is erased at the end"
