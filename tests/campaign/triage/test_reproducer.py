from assay.campaign.triage.reproducer import outcome

TRACEBACK = "Traceback (most recent call last):\n  …\nValueError: no\n"


def test_an_uncaught_exception_says_nothing_about_the_fault() -> None:
    assert outcome(1, "", TRACEBACK).code is None


def test_a_traceback_that_a_library_logged_does_not_count() -> None:
    assert outcome(1, "expected 1.0 actual 1.0\n", TRACEBACK).code == 1
    assert outcome(0, "", TRACEBACK).code == 0
