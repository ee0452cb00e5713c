"""Every measure and verdict word that ``assay check`` shows, in plain words."""

import msgspec


class Word(msgspec.Struct, frozen=True):
    """What a word means; ``also`` are its other names: in JSON, and as the screen has it."""

    text: str
    also: tuple[str, ...] = ()


MEASURES: dict[str, Word] = {
    "max |Δ|": Word(
        "The largest absolute difference of two targets' outputs, over all elements of all "
        "instances. It has the unit of the output; alone it does not say whether rounding explains "
        "it, which the ratio to the bound does.",
        ("max_abs", "max"),
    ),
    "mean |Δ|": Word(
        "The absolute difference of two targets' outputs: its mean over the elements of an "
        "instance, then over the instances.",
        ("mean_abs",),
    ),
    "max rel": Word(
        "The largest difference of an element relative to its own size. Near zero it is large "
        "for differences that nobody would notice.",
        ("max_rel", "max relative"),
    ),
    "max ULP": Word(
        "The largest difference counted in units in the last place: how many float32 numbers "
        "lie between the two.",
        ("max_ulp",),
    ),
    "ratio": Word(
        'How many times its own rounding bound the worst instance is apart ("12 × rounding"): '
        "above 1, rounding does not explain it, and the pair is inconsistent. The bound is "
        "measured, for each output of each instance: inputs and, where a target can do that, the "
        "outputs of all layers are moved by about one unit in the last place, several times, and "
        "16 times what the output then moves is granted. – where nothing was past the screen, so "
        "that no bound was needed.",
        ("ratio to the bound", "times the rounding bound", "rounding bound", "bound", "× rounding"),
    ),
    "top-1 agreement": Word(
        "The share of the instances for which two targets predict the same class: the one with "
        "the largest score. 100% is shown only if it is all of them.",
        ("top1_agreement", "top-1"),
    ),
    "accuracy": Word(
        "The share of the instances whose true label is the predicted one (top 1), or among the "
        "five with the largest scores (top 5). Known only if the data has labels.",
        ("top1_accuracy", "top5_accuracy", "top 1/top 5", "top-5"),
    ),
    "mean absolute error": Word(
        "How far a target's outputs are from the values given with the data, on average. Of models "
        "that do not classify.",
        ("mean_absolute_error",),
    ),
    "D_class": Word(
        "CRADLE's class distance (Pham et al., ICSE 2019): how differently two targets rank the "
        "true label (without labels: the one that most targets predict). The first rank scores "
        "16, the second 8, then 4, 2 and 1, others 0; the distance is the difference of the two "
        "scores, the largest over all instances. `--preset cradle` calls more than 8 distant.",
        ("d_class_max", "class distance"),
    ),
    "D_MAD": Word(
        "CRADLE's MAD distance (Pham et al., ICSE 2019): each target's mean absolute deviation "
        "from the truth (without labels: from what most targets give), their difference divided by "
        "their sum: 0 if both are equally near, 1 if only one of them is off; the largest over all "
        "instances. It can be large for differences of rounding where a model all but reaches the "
        "truth. `--preset cradle` calls more than 0.2 distant.",
        ("d_mad_max", "MAD distance"),
    ),
    "rate": Word(
        "R, the rate of change of a layer: how much it adds to the deviation, relative to what it "
        "was given: (δ after it − δ before it) / (δ before it + 1e-7).",
        ("R", "rate of change"),
    ),
    "deviation": Word(
        "δ: the mean absolute difference of two targets' outputs of a layer, for the most "
        "inconsistent instance.",
        ("δ",),
    ),
    "alone": Word(
        "The largest difference of a layer when it runs by itself on the second target with "
        "exactly the input it had on the first. So a layer is not blamed for what it was given.",
    ),
}

VERDICTS: dict[str, Word] = {
    "consistent": Word(
        "No difference of the two targets is beyond the measured rounding bound, and no predicted "
        "label differs. Exit code 0 if that holds for all pairs."
    ),
    "inconsistent": Word(
        "Two targets differ beyond the rounding bound, in shape, or in a predicted label; or, with "
        "thresholds or a preset, beyond these. ✗ in the matrix. Exit code 1."
    ),
    "nondeterministic": Word(
        "A target differs from itself, by more than rounding, when it runs again on the same "
        "input (the first batch runs three times, then one in ten twice); ± on the diagonal of the "
        "matrix. Nothing follows from its pairs. Exit code 1. Dropout that is left on in an "
        "exported model is the usual cause.",
        ("differs from itself", "from itself", "itself"),
    ),
    "nothing to compare": Word(
        "Not one finite number on either side, or a target that differs from itself: neither "
        "agreement nor disagreement. ? in the matrix. Exit code 2 if it is so of all pairs."
    ),
    "not compared": Word(
        "A target that could not start, load the model or run to the end; the reason stands beside "
        "it. A target that was named and cannot run is an error.",
    ),
    "suspect": Word(
        "The first layer that differs alone, on identical input, by more than rounding "
        "explains; from it on two targets differ.",
        ("introduces the deviation",),
    ),
    "outside any layer": Word(
        "Two targets differ beyond rounding though each layer, alone and on identical input, "
        "agrees. What is left is what lies between and around the layers: how they are connected, "
        "what happens to inputs before the first and to outputs after the last, "
        "and what a compiler fuses.",
        ("outside",),
    ),
    "blamed": Word(
        "Who is wrong: the targets that disagree with the float64 reference, or with the majority "
        "of independent implementations, on the suspect alone. Nobody, if that does not decide.",
        ("who is wrong",),
    ),
    "near ties": Word(
        "Predicted labels differ, but no output beyond rounding: two classes have almost the same "
        "score, and rounding decides. Inconsistent, of the category rounding.",
        ("near ties that rounding decides",),
    ),
}
