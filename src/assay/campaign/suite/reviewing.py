"""Every answer to a suite, judged: who differs, whether rounding may, and who is wrong."""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from assay.campaign.suite.asking import Answered, answers
from assay.execute import Supervisor
from assay.ir.suite import Difference, Outcome, Status, SuiteCase
from assay.judge.suite.comparing import difference
from assay.judge.suite.failing import clear_refusal, gist, lacks
from assay.judge.suite.leaving_open import doubtful, undefined
from assay.judge.suite.rounding import COPIES, Answers, by_rounding
from assay.judge.suite.verdicts import AUTHOR, Judgement, Measured, Voice, alike_to, judged
from assay.targets import Target

#: What each target gave, by target and name of the case.
Found = Mapping[tuple[str, str], Answered]
#: Hears what is done, how much of it, and of how much.
Tell = Callable[[str, int, int], None]


class Reviewed(msgspec.Struct, frozen=True):
    """A case on a target: what it came to, and all voices about the case."""

    case: SuiteCase
    target: str
    outcome: Outcome
    judgement: Judgement | None
    voices: dict[str, Voice]
    answered: Answered


class Reviewer:
    """Judges the answers of targets, and asks them more where that decides."""

    def __init__(
        self, supervisor: Supervisor, targets: Sequence[Target], cases: Sequence[SuiteCase]
    ):
        self._supervisor = supervisor
        self._targets = {target.name: target for target in targets}
        self._cases = {case.name: case for case in cases}

    def reviewed(self, found: Found, tell: Tell) -> list[Reviewed]:
        """Every answer, judged, in the order of cases and targets."""
        voices = {
            name: {
                target: self._voice(case, target, found[target, name])
                for target in self._targets
                if (target, name) in found
            }
            for name, case in self._cases.items()
        }
        rounds = self._rounds(voices, found, tell)
        return [
            self._one(case, voice, voices[name], found[target, name], rounds.get((target, name)))
            for name, case in self._cases.items()
            for target, voice in voices[name].items()
        ]

    def _voice(self, case: SuiteCase, target: str, answered: Answered) -> Voice:
        implementation = self._targets[target].implementation
        apart: Difference | None = None
        status: Status
        if answered.outputs is not None:
            apart = difference(case, answered.outputs)
            status = "passes" if apart is None else "differs"
        elif answered.fault:
            status = "not run"
        elif answered.ended:
            status = "crashes" if answered.ended == "crash" else "hangs"
        else:
            assert answered.failure is not None
            status = "not implemented" if lacks(answered.failure) else "refuses"
        return Voice(target, implementation, status, answered.outputs, apart)

    def _one(
        self,
        case: SuiteCase,
        voice: Voice,
        voices: dict[str, Voice],
        answered: Answered,
        rounds: bool | None,
    ) -> Reviewed:
        known = Measured()
        if voice.status == "refuses" and answered.failure is not None:
            known = Measured(refusal=clear_refusal(answered.failure))
        elif voice.status == "differs" and voice.outputs is not None:
            doubt = doubtful().get(case.name)
            known = Measured(
                alike=alike_to(case, voice, voices),
                rounds=rounds,
                undefined=undefined(case, voice.outputs),
                doubt=doubt.reason if doubt else "",
            )
        found = judged(voice, voices, known)
        outcome = Outcome(
            case=case.name,
            op=case.op,
            target=voice.target,
            status=voice.status,
            message=gist(answered.failure) if answered.failure else answered.fault,
            difference=voice.difference,
            category=found.category if found else "",
            reason=found.reason if found else "",
            rule=found.rule if found else "",
        )
        return Reviewed(case, voice.target, outcome, found, voices, answered)

    def _rounds(
        self, voices: Mapping[str, Mapping[str, Voice]], found: Found, tell: Tell
    ) -> dict[tuple[str, str], bool | None]:
        """Where numbers differ: may rounding explain it? Asked of whoever agrees with the case."""
        disputed = [
            (target, name)
            for name, own in voices.items()
            for target, voice in own.items()
            if voice.difference is not None and voice.difference.what == "number"
        ]
        referees = {name: self._referee(voices[name]) for _, name in disputed}
        by_referee: dict[str, list[SuiteCase]] = {}
        for name, referee in referees.items():
            if referee:
                by_referee.setdefault(referee, []).append(self._cases[name])
        wanted = list(by_referee.items())
        total = sum(len(cases) for _, cases in wanted)
        moved = answers(
            self._supervisor,
            wanted,
            COPIES,
            on_answer=lambda done: tell("measuring what rounding does", done, total),
        )
        # Only the evaluator takes float64 where the model says float32.
        able = [pair for pair in wanted if self._targets[pair[0]].implementation == AUTHOR]
        precise = answers(self._supervisor, able, COPIES, precise=True)
        return {
            (target, name): by_rounding(
                self._cases[name],
                found[target, name].outputs or (),
                Answers(
                    found[referees[name], name].outputs or (),
                    moved[referees[name], name].copies,
                    precise.get((referees[name], name), Answered()).copies,
                ),
            )
            for target, name in disputed
            if referees[name]
        }

    def _referee(self, voices: Mapping[str, Voice]) -> str:
        """Who gives what the case expects, the author of the cases first; "" if nobody does."""
        passing = [voice for voice in voices.values() if voice.status == "passes"]
        passing.sort(key=lambda voice: voice.implementation != AUTHOR)
        return passing[0].target if passing else ""
