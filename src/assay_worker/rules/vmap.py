"""A call on a batch of inputs gives what a loop over them gives."""

from assay_worker.rules._base import Rule


def torch_batched(function):
    import torch

    def second(*args, **kwargs):
        given = list(args) + list(kwargs.values())
        places = [i for i, value in enumerate(given) if isinstance(value, torch.Tensor)]

        def one(*tensors):
            mine = list(given)
            for place, tensor in zip(places, tensors):
                mine[place] = tensor
            return function(*mine[: len(args)], **dict(zip(kwargs, mine[len(args) :])))

        stacked = [torch.stack([given[place], given[place].flip(0)]) if given[place].dim()
                   else torch.stack([given[place]] * 2) for place in places]  # fmt: skip
        result = torch.func.vmap(one)(*stacked)
        return torch.utils._pytree.tree_map(lambda tensor: tensor[0], result)

    return second


def jax_batched(function):
    import jax
    import jax.numpy as jnp

    def second(*args, **kwargs):
        leaves, tree = jax.tree_util.tree_flatten((args, kwargs))
        places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)]

        def one(*tensors):
            mine = list(leaves)
            for place, tensor in zip(places, tensors):
                mine[place] = tensor
            own, named = jax.tree_util.tree_unflatten(tree, mine)
            return function(*own, **named)

        stacked = [jnp.stack([leaves[place]] * 2) for place in places]
        result = jax.vmap(one)(*stacked)
        return jax.tree_util.tree_map(lambda tensor: tensor[0], result)

    return second


class Vmap(Rule):
    """The first of two in a batch."""

    name = "vmap"
    says = "vmap over a batch ≡ one call for each"
    domain = "calls whose tensors are arguments of their own, and whose results are tensors"
    programs = {"torch": torch_batched, "jax": jax_batched}
    raising = False

    def applies(self, facts):
        """Tensors must be passed in."""
        return bool(facts.inputs)


RULE = Vmap()
