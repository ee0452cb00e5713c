"""Functions that ``keras.ops`` exports and the vocabulary leaves out, each with the reason."""

_CALLABLE = "takes functions; graphs hold data only"
_STATIC = "asks for a fact about a tensor and returns no tensor"
_UNINITIALISED = "its elements are not defined"

EXCLUDED = {
    "keras.ops.argpartition": "the order inside of the two parts is not defined",
    "keras.ops.associative_scan": _CALLABLE,
    "keras.ops.cond": _CALLABLE,
    "keras.ops.convert_to_numpy": "gives a NumPy array; every arm uses it to hand its results over",
    "keras.ops.custom_gradient": _CALLABLE,
    "keras.ops.dtype": _STATIC,
    "keras.ops.empty": _UNINITIALISED,
    "keras.ops.empty_like": _UNINITIALISED,
    "keras.ops.fori_loop": _CALLABLE,
    "keras.ops.image.elastic_transform": "draws a random displacement",
    "keras.ops.is_tensor": _STATIC,
    "keras.ops.jvp": _CALLABLE,
    "keras.ops.map": _CALLABLE,
    "keras.ops.scan": _CALLABLE,
    "keras.ops.shape": _STATIC,
    "keras.ops.switch": _CALLABLE,
    "keras.ops.vectorize": _CALLABLE,
    "keras.ops.vectorized_map": _CALLABLE,
    "keras.ops.while_loop": _CALLABLE,
}
