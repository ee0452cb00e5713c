"""From a sample to a call that hunts can draw from: what may change, and within which bounds.

Everything is decided by runs with fixed seeds: two builds on one installation give the same.
``at_step`` says where a build is, for whoever finds the process dead, and what killed one before
is left out.
"""

import re

from assay_worker import calls, marker
from assay_worker.catalogue import domains, drawing, sizes
from assay_worker.catalogue.trying import Invalid, Trying, told
from assay_worker.recipes import VALUE_CLASSES, derive

#: Dtypes that main tensors are tried with.
DTYPES = (
    "float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8",
    "bool", "complex64", "complex128",
)  # fmt: skip
#: Special values that main tensors are tried with.
SPECIAL = tuple(
    name
    for name in VALUE_CLASSES
    if name
    not in ("ordinary", "out_of_range", "identity", "singular", "indefinite")
    + ("scaled_up", "scaled_down", "one")
)
#: Draws by which the share of valid ones is measured, and what it must be.
DRAWS = 20
LEAST_VALID = 0.9
_MOST_ROUNDS = 12
#: Samples that work and are looked at closely, for each call that is wanted.
_TRIES = 2
#: Elements of a sample.
MOST_ELEMENTS = 4000
RANDOM = "two equal calls gave different results"


class Prober(object):
    """Looks at the samples of an API. ``avoid`` names steps that are left out.

    ``where`` is the source; ``limit`` is called at each step, to begin its time anew.
    """

    def __init__(self, harvest, api, avoid=(), where="", limit=lambda: None):
        self.harvest = harvest
        self.api = api
        self.avoid = frozenset(avoid) | frozenset(harvest.unchecked(api))
        self.where = where
        self.limit = limit
        self.trying = Trying(harvest, api)

    def at_step(self, step):
        """This step is at work now; False if it is to be left out."""
        marker.mark(step, "%s\t%s" % (self.where, self.api))
        self.limit()
        self.trying.seed()
        return step not in self.avoid

    def probed(self, samples, most, source=""):
        """At most so many calls, as different as possible: ``{"calls", "undefined", "problem"}``.

        Calls that give something else each time (dropout among the arguments) are kept only if
        there are no others. ``problem`` is the first reason why a sample gave none.
        """
        found, random, problem, looked = [], [], "", 0
        seen = set()
        for index, (_sample, call, arrays) in enumerate(self._different(samples)):
            if len(found) >= most or looked >= _TRIES * most:
                break
            if not self.at_step("sample %d" % index):
                problem = problem or "it kills the process"
                continue
            try:
                call, outputs = self._begun(call, arrays)
                looked += 1
                call = self._call(dict(call, source=source, outputs=outputs), arrays)
            except Invalid as reason:
                problem = problem or str(reason)
                continue
            text = repr([call[key] for key in ("params", "arguments", "sizes", "dtypes")])
            text += repr([item["shape"] for item in call["inputs"]])
            if text in seen:
                continue
            seen.add(text)
            (random if call.pop("random") else found).append(call)
        undefined = RANDOM if random and not found else ""
        found = found or random[:most]
        return {"calls": found, "undefined": undefined, "problem": "" if found else problem}

    def _different(self, samples):
        """The samples that can be told as plain data, each as different from those before."""
        told_ones, problem = [], None
        for sample in samples:
            try:
                told_ones.append((sample,) + encoded(self.harvest, sample))
            except calls.NotPlain as error:
                problem = problem or error
        ordered, known = [], set()
        kept = [(item, _features(item[1])) for item in told_ones]
        while kept:
            # The first one is the simplest, mostly.
            best = max(range(len(kept)), key=lambda n: (len(kept[n][1] - known), -n))
            best = best if ordered else 0
            item, features = kept.pop(best)
            known |= features
            ordered.append(item)
        if problem is not None and not ordered:
            raise Invalid(str(problem))
        return ordered

    def _begun(self, call, arrays):
        """The call with the sample's own values, where they can be written down, and how many
        outputs it has; ``Invalid`` if it does not work.
        """
        plain = _explicitly(call, arrays)
        if plain is None:
            return call, 0
        return plain, len(self.trying.run(plain, drawing.sample(plain)))

    def _call(self, call, arrays):
        """The call within the widest bounds; ``Invalid`` if there is none."""
        trying = self.trying
        if self.at_step("values"):
            structures = _structures(self.harvest.structures(self.api), call)
            call = domains.widened(trying, call, arrays, structures)
        elif not call["outputs"]:
            raise Invalid("its values kill the process")
        call = dict(call, outputs=len(trying.run(call, drawing.sample(call, 1))))
        call["random"] = not trying.repeats(call, drawing.sample(call, 1))
        if self.at_step("sizes"):
            call = sizes.freed(trying, call)
        if call["dtypes"] and self.at_step("dtypes"):
            call = self._dtypes(call)
        if call["dtypes"] and self.at_step("special"):
            call = dict(call, special=[name for name in SPECIAL if self._special(call, name)])
        self.at_step("gradient")
        call["differentiable"] = "gradient" not in self.avoid and trying.differentiable(
            call, drawing.sample(call, 1)
        )
        self.at_step("draws")
        return self._narrowed(call, arrays)

    def _dtypes(self, call):
        own = drawing.main_dtype(call)
        worked = [own]
        for name in DTYPES:
            choice = drawing.sample(call, 2)
            choice.dtype = name
            if name == own or not self.harvest.has_dtype(name):
                continue
            alike = drawing.kind_of(name) in [drawing.kind_of(other) for other in worked]
            if (self.trying.accepts if alike else self.trying.works)(call, choice):
                worked.append(name)
        return dict(call, dtypes=worked)

    def _special(self, call, name):
        main = drawing.main_dtype(call)
        able = [
            item
            for item in call["inputs"]
            if item["dtype"] == main and item["values"] is None and not item["structure"]
        ]
        if not able or not drawing.fits(name, drawing.kind_of(main)):
            return False
        for seed in (3, 4):
            choice = drawing.sample(call, seed)
            choice.special = (name,)
            if not self.trying.works(call, choice):
                return False
        return True

    def _narrowed(self, call, arrays):
        """Without what makes draws invalid; with the share of those that are valid."""
        ranged = False
        for _ in range(_MOST_ROUNDS):
            valid, blame = self._measured(call)
            if valid == 1.0:
                break
            worst = _worst(blame)
            if worst is not None:
                call = _without(call, worst)
            elif valid >= LEAST_VALID:
                break
            elif not ranged:
                ranged = True
                call = domains.own_ranges(call, arrays)
            else:
                raise Invalid("%d%% of its draws are valid" % round(100 * valid))
        if valid < LEAST_VALID:
            raise Invalid("%d%% of its draws are valid" % round(100 * valid))
        return dict(call, valid=valid)

    def _measured(self, call):
        """The share of valid draws, and by feature how many failed of how many."""
        valid, blame = 0, {}
        for number in range(DRAWS):
            choice = drawing.chosen(call, derive(number, "valid"))
            works = self.trying.holds(call, choice)
            valid += works
            for feature in drawing.features(call, choice):
                failed, total = blame.get(feature, (0, 0))
                blame[feature] = (failed + (not works), total + 1)
        return valid / float(DRAWS), blame


def _worst(blame):
    """The feature whose draws fail most often; None if none fails."""
    failing = [
        (failed / float(total), failed, feature)
        for feature, (failed, total) in blame.items()
        if failed
    ]
    return max(failing)[2] if failing else None


def _without(call, feature):
    """The call without a size, a dtype or a special class."""
    aspect, name = feature
    if aspect == "dtype":
        return dict(call, dtypes=[dtype for dtype in call["dtypes"] if dtype != name])
    if aspect == "special":
        return dict(call, special=[item for item in call["special"] if item != name])
    symbol = aspect.partition(":")[2]
    worked = [size for size in call["sizes"][symbol] if str(size) != name]
    changed = dict(call, sizes=dict(call["sizes"], **{symbol: worked}))
    return sizes.fixed(changed, symbol) if len(worked) == 1 else changed


def encoded(harvest, sample):
    """A sample as a plain call, with the arrays of its tensors by name; or ``NotPlain``."""
    arrays, inputs, known = {}, [], {}

    def tensor(value):
        array = harvest.tensor(value)
        if array is None:
            return None
        if id(value) not in known:
            dtype = harvest.dtype_name(value.dtype)
            if dtype not in DTYPES + ("uint16", "uint32", "uint64"):
                raise calls.NotPlain("tensors of %s are not drawn" % dtype)
            if array.size > MOST_ELEMENTS:
                raise calls.NotPlain("a tensor of %d elements" % array.size)
            name = "x%d" % len(inputs)
            # With the tensor itself: another one must not get its identity.
            known[id(value)] = name, value
            arrays[name] = array
            inputs.append(
                {"name": name, "shape": list(array.shape), "dtype": dtype, "low": 0.0, "high": 0.0}
            )
            inputs[-1].update(free=False, values=None, structure="")
        return known[id(value)][0]

    def no_tensor(value):
        if harvest.tensor(value) is not None:
            raise calls.NotPlain("a tensor among what an object is made of")

    def name(value):
        found = harvest.dtype_name(value)
        return {"$dtype": found} if found else harvest.public_name(value)

    def plain(positional, keywords, of_tensor):
        placed = calls.placed(positional, keywords)
        return {
            key: calls.encoded(value, of_tensor, name, harvest.parts)
            for key, value in placed.items()
        }

    made_of = (), {}
    if sample.made is not None:
        made_of = sample.made
    call = {
        "params": plain(made_of[0], made_of[1], no_tensor),
        "arguments": plain(sample.args, sample.kwargs, tensor),
        "inputs": inputs,
        "sizes": {},
        "dtypes": [_main(inputs)] if inputs else [],
        "special": [],
        "differentiable": False,
        "source": "",
        "outputs": 1,
        "valid": 1.0,
    }
    for key in ("params", "arguments"):
        call[key] = _with_main(call[key], call["dtypes"][:1])
    return call, arrays


def _main(inputs):
    """The dtype of the main tensors: of floats, else of complex numbers, else of the first."""
    for kind in "fc":
        for item in inputs:
            if drawing.kind_of(item["dtype"]) == kind:
                return item["dtype"]
    return inputs[0]["dtype"]


def _with_main(value, main):
    """Arguments that name the main dtype follow it."""
    if isinstance(value, list):
        return [_with_main(item, main) for item in value]
    if isinstance(value, dict):
        if set(value) == {"$dtype"} and [value["$dtype"]] == main:
            return {"$dtype": "main"}
        return {key: _with_main(item, main) for key, item in value.items()}
    return value


def _explicitly(call, arrays):
    """The call with the sample's own values; None if they cannot be written down."""
    inputs = []
    for item in call["inputs"]:
        domain = domains.explicit(arrays[item["name"]])
        if domain is None:
            return None
        inputs.append(dict(item, **domain))
    return dict(call, inputs=inputs)


def _structures(needs, call):
    """Structures by tensor, of those by argument."""
    found = {}
    for key, structure in needs.items():
        for name in calls.tensor_names(call["arguments"].get(key)):
            found[name] = structure
    return found


def _features(call):
    """What tells a call from others of its API."""
    found = {("ranks", tuple(len(item["shape"]) for item in call["inputs"]))}
    found |= {("dtypes", tuple(item["dtype"] for item in call["inputs"]))}
    for root in ("params", "arguments"):
        for key, value in call[root].items():
            if not calls.tensor_names(value):
                found.add((root, key, re.sub(r"[\d.]+", "0", repr(value))))
                found.add((root, key, repr(value)[:80]))
            else:
                found.add((root, key))
    return found


__all__ = ["DRAWS", "Invalid", "Prober", "encoded", "told"]
