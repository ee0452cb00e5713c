"""From an inconsistent model to findings: each confirmed, identified, and ready to be stored."""

import os
from collections.abc import Generator, Mapping, Sequence

import msgspec

from assay.campaign.check.alone import layer_finding
from assay.campaign.check.comparing import Compared
from assay.campaign.check.models import Failed, Models
from assay.campaign.check.request import Request
from assay.campaign.events import Notice, Progressed
from assay.ir import Array, Case, Category, Evidence, Finding, Kind, Observation, Stage
from assay.ir.check import PairResult, UniqueInconsistency
from assay.ir.model import CheckedModel, Held, Place, model_case, output_name
from assay.judge.models.farthest import Farthest, farthest
from assay.judge.models.identity import model_fingerprint
from assay.judge.models.tally import Tally, Worst, scores, truth_of
from assay.judge.models.thresholds import Gauge
from assay.models import Batch, ModelFile
from assay.targets import Target

#: The oracle in the record of a finding about a whole model.
ORACLE = "model"
_ID_LENGTH = 8
Recorded = tuple[Finding, Mapping[str, Array]]
Outputs = Mapping[str, Sequence[Array]]


class Recorder:
    """Makes the findings of one check, while its targets still hold the model."""

    def __init__(
        self,
        request: Request,
        file: ModelFile,
        digests: Mapping[str, str],
        models: Models,
        targets: Sequence[Target],
        campaign: str,
    ) -> None:
        self._request = request
        self._models = models
        self._targets = {target.name: target for target in targets}
        self._campaign = campaign
        self._model = CheckedModel(
            title=request.title,
            path=os.path.abspath(file.path),
            format=file.format,
            sha256=digests[file.path],
            trust=file.trust,
            architecture=file.architecture,
            data=os.path.abspath(request.data) if request.data else "",
            generated=not request.data and request.arrays is None,
            seed=request.seed,
            preset=request.preset,
            percent=request.percent,
            metrics=request.metrics,
            top_k=request.top_k,
            thresholds=request.thresholds,
            classifier=request.classifier,
            custom=file.custom,
            inputs=tuple(spec.name for spec in models.spec.inputs),
            places={
                t.name: Place(t.library, t.backend, t.mode, t.python, t.prelude, t.env)
                for t in request.targets
            },
            arms={
                arm.target.name: Held(
                    target=arm.on,
                    path=os.path.abspath(arm.file.path),
                    format=arm.file.format,
                    sha256=digests[arm.file.path],
                    trust=arm.file.trust,
                    architecture=arm.file.architecture,
                )
                for arm in request.arms
            },
        )

    def findings(
        self, compared: Compared
    ) -> Generator[Progressed | Notice, None, tuple[Recorded, ...]]:
        """Every finding with its arrays, each fingerprint once."""
        unique = compared.check.unique_inconsistencies
        dead = [name for name, failure in self._models.failures.items() if failure.died]
        found: dict[str, Recorded] = {}
        for place, item in enumerate(unique):
            yield Progressed("confirming findings", place, len(unique) + len(dead))
            finding, arrays, worst = self._inconsistency(compared, item)
            peers = self._peers(item)
            alone = None
            if peers is not None:
                alone = yield from layer_finding(peers, self._targets, finding, worst)
            chosen = (finding, arrays) if alone is None else alone
            found.setdefault(chosen[0].fingerprint, chosen)
        for place, name in enumerate(dead, len(unique)):
            yield Progressed("confirming findings", place, len(unique) + len(dead))
            finding = self._death(name, compared.fatal.get(name))
            found.setdefault(finding.fingerprint, (finding, {}))
        return tuple(found.values())

    def _peers(self, item: UniqueInconsistency) -> Models | None:
        """Those who have the layer; None if the pairs are of files that name layers otherwise."""
        first = item.pairs[0][0]
        alike = all(self._models.alike(first, name) for pair in item.pairs for name in pair)
        return self._models.peers(first) if alike else None

    def _inconsistency(
        self, compared: Compared, item: UniqueInconsistency
    ) -> tuple[Finding, dict[str, Array], Worst]:
        """The finding about the model as a whole, its arrays, and the instance that shows it."""
        pair = compared.check.pair_of(item)
        worst = compared.worst[pair.targets]
        outputs = self._outputs(worst)
        shows = self._shows(compared, pair, worst, outputs)
        right, wrong = _sides(pair, item.blamed)
        most = Farthest("value", 0)
        if right in outputs and wrong in outputs:
            most = farthest(outputs[right], outputs[wrong])
        involved = list(dict.fromkeys(name for two in item.pairs for name in two))
        case = self._case(worst)
        ranked = compared.check.task == "classification" and worst.count == 1
        finding = self._finding(
            case,
            kind="nan" if most.what == "nan" else "inconsistency",
            category=_category(pair) if shows else "flaky",
            stage="forward",
            op=item.op or f"model.{self._model.format}",
            node=item.layer,
            targets=self._models.names,
            blamed=item.blamed,
            against=item.blamed or involved,
            magnitude=most.magnitude,
            evidence=Evidence(
                observations=tuple(
                    self._observation(name, outputs.get(name), most, ranked)
                    for name in self._models.names
                ),
                reason=pair.suspect.reason if pair.suspect else "",
                where=output_name(most.place),
                position=most.position,
                tolerance=most.tolerance if most.what == "value" else None,
                message=pair.outside.where if pair.outside else pair.explanation,
                confirmations=int(shows),
                attempts=1,
                believed=tuple(name for name in involved if name not in item.blamed)
                if item.blamed
                else (),
            ),
        )
        maps = {found.targets: found for found in compared.check.maps}
        if pair.targets in maps:
            finding = msgspec.structs.replace(
                finding,
                localization=maps[pair.targets],
                layers=self._models.specs[pair.targets[0]].layers,
            )
        arrays = {f"input:{name}": array for name, array in case.input_arrays().items()}
        for name, own in outputs.items():
            arrays |= {f"{name}/{output_name(place)}": array for place, array in enumerate(own)}
        return finding, arrays, worst

    def _outputs(self, worst: Worst) -> dict[str, list[Array]]:
        given = ((name, self._models.predict_on(name, worst.inputs)) for name in self._models.names)
        return {name: outputs for name, outputs in given if outputs is not None}

    def _shows(self, compared: Compared, pair: PairResult, worst: Worst, outputs: Outputs) -> bool:
        """Does the instance, run once more and alone, show it?"""
        if not set(pair.targets) <= set(outputs):
            return False
        task = compared.check.task
        tally = Tally(task, self._request.rule.cutoffs)
        truth = truth_of(task, outputs, worst.known, worst.count)
        first, second = (outputs[name] for name in pair.targets)
        tally.add(0, worst.inputs, first, second, truth, worst.count)
        thresholds = self._request.thresholds
        if thresholds.given:
            gauge = Gauge(thresholds, self._request.output_names(self._models.spec))
            beyond = bool((gauge.add(0, first, second, worst.count) > 0).any())
            # A metric is of all instances: one of them need not be beyond anything.
            return beyond or (bool(thresholds.metrics) and tally.max_abs > 0)
        return self._request.rule.suspicious(tally)

    def _observation(
        self, name: str, outputs: Sequence[Array] | None, most: Farthest, ranked: bool
    ) -> Observation:
        implementation = self._targets[name].implementation
        if outputs is None or most.place >= len(outputs):
            return Observation(name, implementation, "no such output")
        array = outputs[most.place]
        best = scores(outputs, 1) if ranked else None
        said = f"predicts {int(best[0].argmax())}" if best is not None else ""
        if most.what == "shape":
            return Observation(name, implementation, f"shape {list(array.shape)}")
        inside = len(most.position) == array.ndim and all(
            index < size for index, size in zip(most.position, array.shape, strict=True)
        )
        value = float(array[most.position].real) if inside and array.size else None
        return Observation(name, implementation, said, value)

    def _death(self, name: str, fatal: Batch | None) -> Finding:
        """A target whose process died: while it loaded the model, or of a batch.

        Told by the first instance of the batch if that is enough. A deadline is not waited
        for twice.
        """
        failure = self._models.failures[name]
        inputs, count = (fatal.inputs, fatal.count) if fatal else ((), 1)
        attempts, died = 0, True
        if failure.cause != "timeout":
            first = tuple(a[:1] if a.ndim and a.shape[0] == count else a for a in inputs)
            attempts, died = 1, self._dies(name, first)
            if died:
                inputs, count = first, 1
            elif count > 1:
                died = self._dies(name, inputs)
        targets = tuple(n for n in self._model.places if n in (*self._models.names, name))
        return self._finding(
            self._case(Worst(0.0, fatal.start if fatal else 0, (), inputs, count)),
            kind="crash",
            category="bug" if died else "flaky",
            stage="build" if fatal is None else "forward",
            op=f"model.{self._model.format}",
            node="",
            targets=targets,
            blamed=(name,),
            against=(name,),
            magnitude=float("inf"),
            evidence=Evidence(
                observations=tuple(
                    Observation(
                        target,
                        self._targets[target].implementation,
                        failure.message if target == name else "works",
                    )
                    for target in targets
                ),
                reason="a process must not die of its input",
                message=failure.cause,
                confirmations=int(died) * attempts,
                attempts=attempts,
            ),
        )

    def _dies(self, name: str, inputs: Sequence[Array]) -> bool:
        """Does the target die once more of these inputs, or of loading if there are none?"""
        again = self._models.attempt(name, inputs) if inputs else self._models.loads(name)
        return isinstance(again, Failed) and again.died

    def _case(self, worst: Worst) -> Case:
        model = msgspec.structs.replace(
            self._model, instance=worst.instance, instances=worst.count, labels=worst.known
        )
        return model_case(model, worst.inputs)

    def _finding(
        self,
        case: Case,
        *,
        kind: Kind,
        category: Category,
        stage: Stage,
        op: str,
        node: str,
        targets: tuple[str, ...],
        blamed: tuple[str, ...],
        against: Sequence[str],
        magnitude: float,
        evidence: Evidence,
    ) -> Finding:
        held = self._models.held_by(against if self._model.arms else ())
        identity = model_fingerprint(
            held or [self._models.spec],
            kind=kind,
            category=category,
            stage=stage,
            op=op,
            layer=node,
            implementations=[self._models.votes(name, op) for name in against],
            message=evidence.message if kind == "crash" else "",
        )
        versions = {n: self._models.versions[n] for n in targets if n in self._models.versions}
        return Finding(
            id=identity[:_ID_LENGTH],
            fingerprint=identity,
            kind=kind,
            category=category,
            stage=stage,
            op=op,
            params={},
            responsible=(),
            node=node,
            targets=targets,
            blamed=blamed,
            evidence=evidence,
            magnitude=magnitude,
            oracle=ORACLE,
            case=case,
            original=case,
            intent="valid",
            spoilt="",
            versions=versions,
            platforms={
                name: self._targets[name].platform(known, self._models.hellos[name].machine)
                for name, known in versions.items()
            },
            campaign=self._campaign,
            trial=0,
            seed=self._request.seed,
            flaky=evidence.confirmations < evidence.attempts,
        )


def _category(pair: PairResult) -> Category:
    return "rounding" if pair.category == "rounding" else "bug"


def _sides(pair: PairResult, blamed: Sequence[str]) -> tuple[str, str]:
    """The one that is right, as far as that is known, and the one that is not."""
    first, second = pair.targets
    return (second, first) if first in blamed and second not in blamed else (first, second)
