"""Public functions of TensorFlow: which of them are functions of tensors, and their paths."""

import inspect
import re

#: Namespaces that hold functions of tensors. Keras is a library of its own here.
NAMESPACES = (
    "",
    "bitwise",
    "debugging",
    "dtypes",
    "experimental.numpy",
    "experimental.numpy.random",
    "image",
    "linalg",
    "linalg.experimental",
    "math",
    "math.special",
    "nn",
    "nn.experimental",
    "quantization",
    "ragged",
    "random",
    "random.experimental",
    "sets",
    "signal",
    "sparse",
)
#: Public functions that compute nothing of tensors: switches and questions, control flow of
#: statements, decorators, scopes, other processes, graphs of TensorFlow 1, text and files.
_NO_FUNCTIONS = """
    tf.Assert tf.as_dtype tf.as_string tf.assert_equal tf.assert_greater tf.assert_less
    tf.assert_rank tf.case tf.check_pinned tf.cond tf.control_dependencies tf.custom_gradient
    tf.device tf.executing_eagerly tf.function tf.get_current_name_scope
    tf.get_logger tf.get_static_value tf.grad_pass_through tf.gradients tf.group tf.hessians
    tf.import_graph_def tf.init_scope tf.inside_function tf.is_symbolic_tensor tf.is_tensor
    tf.load_library tf.load_op_library tf.make_ndarray tf.make_tensor_proto tf.no_gradient tf.no_op
    tf.nondifferentiable_batch_function tf.numpy_function tf.print tf.py_function
    tf.recompute_grad tf.register_tensor_conversion_function tf.switch_case tf.timestamp
    tf.type_spec_from_value tf.variable_creator_scope tf.while_loop
    tf.debugging.assert_greater_equal tf.debugging.assert_integer tf.debugging.assert_less_equal
    tf.debugging.assert_near tf.debugging.assert_negative tf.debugging.assert_non_negative
    tf.debugging.assert_non_positive tf.debugging.assert_none_equal tf.debugging.assert_positive
    tf.debugging.assert_proper_iterable tf.debugging.assert_rank_at_least
    tf.debugging.assert_rank_in tf.debugging.assert_same_float_dtype tf.debugging.assert_scalar
    tf.debugging.assert_shapes tf.debugging.assert_type tf.debugging.disable_check_numerics
    tf.debugging.disable_traceback_filtering tf.debugging.enable_check_numerics
    tf.debugging.enable_traceback_filtering tf.debugging.get_log_device_placement
    tf.debugging.is_numeric_tensor
    tf.debugging.is_traceback_filtering_enabled tf.debugging.set_log_device_placement
    tf.experimental.numpy.experimental_enable_numpy_behavior tf.experimental.numpy.finfo
    tf.experimental.numpy.iinfo tf.experimental.numpy.promote_types
    tf.experimental.numpy.issubdtype tf.experimental.numpy.result_type
    tf.experimental.numpy.random.seed
    tf.image.decode_and_crop_jpeg tf.image.decode_bmp tf.image.decode_gif tf.image.decode_image
    tf.image.decode_jpeg tf.image.decode_jxl tf.image.decode_png tf.image.decode_webp
    tf.image.encode_jpeg tf.image.encode_png tf.image.extract_jpeg_shape tf.image.is_jpeg
    tf.linalg.experimental.conjugate_gradient
    tf.nn.scale_regularization_loss tf.nn.with_space_to_batch
    tf.ragged.cross
    tf.random.create_rng_state tf.random.get_global_generator tf.random.set_global_generator
    tf.random.set_seed
    tf.signal.inverse_stft_window_fn
    tf.sparse.cross
    tf.sparse.map_values
    """
#: Functions without a kernel for a CPU, which their operators have for an accelerator.
_ELSEWHERE = """
    tf.conv2d_backprop_filter_v2 tf.conv2d_backprop_input_v2 tf.fftnd tf.ifftnd tf.irfftnd
    tf.rfftnd tf.image.generate_bounding_box_proposals tf.nn.approx_min_k tf.parallel_stack
    tf.signal.fftnd tf.signal.ifftnd tf.signal.irfftnd tf.signal.rfftnd
    """
#: Results that take numbers of the global generator.
RANDOM = "random"
_SIGNS = "vectors are free to change sign or phase"
_ORDER = "which of several updates of one element is the last is not defined"
_NOTHING = "its elements are not initialised"
_NEAR = "approximate"
#: Documented freedom of results, by what the whole path matches.
_UNDEFINED = tuple(
    (re.compile(pattern), why)
    for pattern, why in (
        (r"tf\.random\.(?!stateless|experimental|fold_in|split).*", RANDOM),
        (r"tf\.experimental\.numpy\.random\..*", RANDOM),
        (r"tf\.image\.(random_.*|sample_distorted_bounding_box)", RANDOM),
        (r"tf\.nn\.(dropout|fractional_\w+_pool|nce_loss|sampled_softmax_loss)", RANDOM),
        (r"tf\.nn\.experimental\.general_dropout", RANDOM),
        (r"tf\.nn\.(\w+_candidate_sampler|compute_accidental_hits)", RANDOM),
        (r"tf\.raw_ops\.Fractional(Avg|Max)Pool", RANDOM),
        (r"tf\.(linalg\.)?(eig|eigh|svd|qr)", _SIGNS),
        (r"tf\.linalg\.eigh_tridiagonal", _SIGNS),
        (r"tf\.raw_ops\.(Eig|SelfAdjointEigV2|Svd|Qr)", _SIGNS),
        (r"tf\.(raw_ops\.TensorScatterUpdate|tensor_scatter_nd_update)", _ORDER),
        (r"tf\.raw_ops\.(ParallelDynamicStitch|InplaceUpdate)", _ORDER),
        (r"tf\.experimental\.numpy\.empty(_like)?", _NOTHING),
        (r"tf\.(approx_top_k|nn\.approx_max_k|raw_ops\.ApproxTopK)", _NEAR),
    )
)
#: What the documentation of a name begins with that is on its way out.
_DEPRECATED = re.compile(r"\(deprecated\)|\bTHIS FUNCTION IS DEPRECATED\b")


def functions(tensorflow):
    """Public functions by their shortest path; one path for each function."""
    return {paths[0]: value for paths, value in _by_object(tensorflow)}


def aliases(tensorflow):
    """The other paths of these functions: ``{path: shortest path}``."""
    return {path: paths[0] for paths, _ in _by_object(tensorflow) for path in paths[1:]}


def _by_object(tensorflow):
    """The paths of each function, the shortest first, with the function."""
    found = {}
    for namespace in NAMESPACES:
        module = tensorflow
        for part in namespace.split(".") if namespace else ():
            module = getattr(module, part, None)
        for name in sorted(vars(module)) if module is not None else ():
            value = getattr(module, name)
            if name.startswith("_") or not callable(value) or inspect.isclass(value):
                continue
            path = ".".join(part for part in ("tf", namespace, name) if part)
            found.setdefault(id(value), []).append((path, value))
    excluded = frozenset((_NO_FUNCTIONS + _ELSEWHERE).split())
    chosen = []
    for known in found.values():
        value = known[0][1]
        paths = [path for path, _ in known]
        paths.sort(key=lambda path: (path.count("."), len(path), path))
        if paths[0] not in excluded and not _DEPRECATED.search(_beginning(value)):
            chosen.append((paths, value))
    return chosen


def _beginning(value):
    """The paragraphs of a documentation that say that a name is deprecated stand first."""
    return (inspect.getdoc(value) or "")[:200]


def undefined(path):
    """Why results may differ between equal calls, as it is documented; "" if they may not."""
    for pattern, why in _UNDEFINED:
        if pattern.fullmatch(path):
            return why
    return ""
