"""Calls of TensorFlow's functions that no signature, registry or name of an argument tells."""

from assay_worker.catalogue import tensorflow_calls_public, tensorflow_calls_raw

_RAW = "tf.raw_ops."


def calls_of(api):
    """The calls that are known of an API, as pairs of positional and keyword arguments."""
    if api.startswith(_RAW):
        found = tensorflow_calls_raw.CALLS.get(api[len(_RAW) :])
        return [] if found is None else [((), found)]
    found = tensorflow_calls_public.CALLS.get(api, [])
    return found if isinstance(found, list) else [found]
