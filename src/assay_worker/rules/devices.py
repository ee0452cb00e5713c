"""A call on tensors that lie on several devices gives what it gives on one."""

from assay_worker.rules._base import Rule, mapped


def spread(function):
    import jax
    import numpy as np
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    devices = jax.devices("cpu")

    def axis_of(leaf, count):
        # What cannot be parted evenly stays whole, on each device.
        sizes = leaf.shape if isinstance(leaf, jax.Array) else ()
        return next((axis for axis, size in enumerate(sizes) if size and size % count == 0), None)

    def second(*args, **kwargs):
        leaves = jax.tree_util.tree_leaves((args, kwargs))
        fitting = [count for count in (2, 3) if count <= len(devices)
                   and any(axis_of(leaf, count) is not None for leaf in leaves)]  # fmt: skip
        if not fitting:
            raise NotImplementedError("one device, or nothing that can be parted evenly")
        mesh = Mesh(np.array(devices[: fitting[0]]), ("parts",))

        def placed(leaf):
            if not isinstance(leaf, jax.Array):
                return leaf
            axis = axis_of(leaf, fitting[0])
            spec = () if axis is None else (None,) * axis + ("parts",)
            return jax.device_put(leaf, NamedSharding(mesh, PartitionSpec(*spec)))

        return function(*mapped(placed, args), **mapped(placed, kwargs))

    return second


class Devices(Rule):
    """JAX alone has virtual devices that share a processor, of which a process is told before."""

    name = "devices"
    says = "f on one device ≡ f of tensors parted among several"
    domain = (
        "JAX: calls with tensors of which an axis can be parted in two or three, on the target "
        "jax+devices, whose process has three virtual ones"
    )
    programs = {"jax": spread}
    helpers = (mapped,)
    raising = False
    compiles = True
    #: Another target has one device.
    dear = True

    def applies(self, facts):
        """Something must be passed in."""
        return any(size > 1 for item in facts.inputs for size in item["shape"])


RULE = Devices()
