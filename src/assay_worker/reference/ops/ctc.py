"""Connectionist temporal classification."""

import numpy as np

from assay_worker.reference import activations
from assay_worker.reference.registry import Undocumented, Unsupported, reference


def _label_cost(logs, labels, blank):
    """-log of the probability of all alignments of the labels (Graves et al., 2006)."""
    extended = np.full(2 * len(labels) + 1, blank)
    extended[1::2] = labels
    state = np.full(len(extended), -np.inf)
    state[:2] = logs[0, extended[:2]]
    # A blank may be skipped between two different labels.
    skip = np.zeros(len(extended), dtype=bool)
    skip[2:] = (extended[2:] != blank) & (extended[2:] != extended[:-2])
    for frame in logs[1:]:
        before = np.concatenate([[-np.inf], state[:-1]])
        skipped = np.where(skip, np.concatenate([[-np.inf] * 2, state])[: len(state)], -np.inf)
        state = np.logaddexp(np.logaddexp(state, before), skipped) + frame[extended]
    return -np.logaddexp.reduce(state[-2:])


@reference("keras.ops.ctc_loss", integers=True)
def ctc_loss(target, output, target_length, output_length, mask_index=0):
    """For each sample the cost of its labels."""
    logs = activations.log_softmax(output)
    costs = [
        _label_cost(logs[i, : output_length[i]], target[i, : target_length[i]], mask_index)
        for i in range(len(target))
    ]
    return np.asarray(costs, dtype="float64").reshape((len(target),))


@reference("keras.ops.ctc_decode", integers=True)
def ctc_decode(
    inputs,
    sequence_lengths,
    strategy="greedy",
    beam_width=100,
    top_paths=1,
    merge_repeated=True,
    mask_index=0,
):
    """The best class of each step, without repetitions and blanks; -1 fills the rest."""
    if strategy != "greedy":
        raise Unsupported("the reference has no beam search")
    ordered = np.sort(inputs, axis=-1)
    if np.any(ordered[..., -1:] == ordered[..., -2:-1]) and inputs.shape[-1] > 1:
        raise Undocumented("which of two equal classes is taken is not documented")
    best = inputs.argmax(axis=-1)
    decoded = np.full(best.shape, -1, dtype="int32")
    scores = np.zeros((len(inputs), 1))
    for i, length in enumerate(sequence_lengths):
        row = best[i, :length]
        scores[i, 0] = -inputs[i, :length].max(axis=-1).sum()
        if merge_repeated:
            row = row[np.concatenate([[True], row[1:] != row[:-1]])]
        row = row[row != mask_index]
        decoded[i, : len(row)] = row
    return decoded[None], scores
