"""Facts about PyTorch's public names: what is no function of tensors, and what is undefined."""

from assay_worker.catalogue._base import UNINITIALISED

#: Public namespaces that are looked through, besides ``torch.Tensor``.
NAMESPACES = (
    "torch",
    "torch.nn.functional",
    "torch.linalg",
    "torch.fft",
    "torch.special",
    "torch.sparse",
    "torch.masked",
    "torch.signal.windows",
    "torch.nn.utils.rnn",
)

#: No functions of tensors: files, devices, settings, compilers, dtypes, symbolic sizes, other
#: libraries' kernels, those behind recurrent modules (which check what they hand on, while the
#: kernels read past the end of weights that do not fit), helpers that are public by accident.
_EXCLUDED = {
    "torch": (
        "are_deterministic_algorithms_enabled autocast_decrement_nesting "
        "autocast_increment_nesting can_cast classproperty clear_autocast_cache compile "
        "compiled_with_cxx11_abi cond fork from_dlpack from_file from_numpy frombuffer "
        "get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype get_autocast_ipu_dtype "
        "get_autocast_xla_dtype get_default_device get_default_dtype "
        "get_deterministic_debug_mode get_device get_device_module get_file_path "
        "get_float32_matmul_precision get_num_interop_threads get_num_threads get_rng_state "
        "import_ir_module import_ir_module_from_buffer init_num_threads initial_seed "
        "is_anomaly_check_nan_enabled is_anomaly_enabled is_autocast_cache_enabled "
        "is_autocast_cpu_enabled is_autocast_enabled is_autocast_ipu_enabled "
        "is_autocast_xla_enabled is_deterministic_algorithms_warn_only_enabled is_distributed "
        "is_grad_enabled is_inference is_inference_mode_enabled is_storage is_vulkan_available "
        "is_warn_always_enabled load manual_seed merge_type_from_type_comment parse_ir "
        "parse_schema parse_type_comment prepare_multiprocessing_environment "
        "profiler_allow_cudagraph_cupti_lazy_reinit_cuda12 promote_types save seed "
        "set_anomaly_enabled set_autocast_cache_enabled set_autocast_cpu_dtype "
        "set_autocast_cpu_enabled set_autocast_dtype set_autocast_enabled set_autocast_gpu_dtype "
        "set_autocast_ipu_dtype set_autocast_ipu_enabled set_autocast_xla_dtype "
        "set_autocast_xla_enabled set_default_device set_default_dtype set_default_tensor_type "
        "set_deterministic_debug_mode set_float32_matmul_precision set_flush_denormal "
        "set_num_interop_threads set_num_threads set_printoptions set_rng_state set_warn_always "
        "sym_constrain_range sym_constrain_range_for_size sym_float sym_fresh_size sym_int "
        "sym_ite sym_max sym_min sym_not sym_sqrt sym_sum thread_safe_generator to_dlpack "
        "typename unify_type_list use_deterministic_algorithms vmap wait while_loop "
        "eig lstsq matrix_rank solve symeig "
        "from_dlpack is_neg is_conj is_signed is_complex is_floating_point is_nonzero "
        "is_same_size is_tensor result_type empty_quantized quantized_gru quantized_lstm "
        "fbgemm_linear_fp16_weight fbgemm_linear_fp16_weight_fp32_activation "
        "fbgemm_linear_int8_weight fbgemm_linear_int8_weight_fp32_activation "
        "fbgemm_linear_quantize_weight fbgemm_pack_gemm_matrix_fp16 "
        "fbgemm_pack_quantized_matrix broadcast_shapes get_device asarray as_tensor tensor "
        "scalar_tensor detach detach_ resize_as_ resize_as_sparse_ batch_norm_backward_elemt "
        "batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats "
        "batch_norm_gather_stats_with_counts batch_norm_stats int_repr q_per_channel_axis "
        "q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point lstm gru rnn_tanh "
        "rnn_relu slice_inverse"
    ),
    "torch.nn.functional": (
        "Optional assert_int_or_pair boolean_dispatch handle_torch_function has_torch_function "
        "has_torch_function_unary has_torch_function_variadic grouped_mm scaled_grouped_mm "
        "scaled_mm"
    ),
    "torch.sparse": "as_sparse_gradcheck to_sparse_semi_structured",
    "torch.masked": "as_masked_tensor is_masked_tensor masked_tensor",
    "torch.nn.utils.rnn": (
        "bind Iterable copy_method_params pack_padded_sequence pack_sequence "
        "pad_packed_sequence unpack_sequence"
    ),
    "torch.Tensor": (
        "apply_ as_subclass backward const_data_ptr cpu cuda data_ptr detach_ dim_order "
        "element_size get_device hpu ipu is_contiguous is_pinned is_set_to is_shared item map2_ "
        "map_ module_load mtia new numpy pin_memory record_stream register_hook "
        "register_post_accumulate_grad_hook reinforce requires_grad_ retain_grad set_ "
        "share_memory_ storage storage_offset storage_type storage_type stride "
        "sparse_resize_ sparse_resize_and_clear_ to_mkldnn tolist type untyped_storage xpu "
        "is_coalesced dim ndimension nelement size new_tensor sparse_dim dense_dim resize "
        "resize_as retain_graph eig lstsq solve symeig qscheme q_scale q_zero_point "
        "q_per_channel_axis q_per_channel_scales q_per_channel_zero_points int_repr is_nonzero "
        "resize_as_sparse_ to_padded_tensor"
    ),
}
#: Kernels of other devices, and of a mode of quantization that needs packed weights.
_PREFIXES = ("cudnn_", "miopen_", "is_", "sym_", "fbgemm_", "mkldnn_", "quantized_")
EXCLUDED = {space: frozenset(names.split()) for space, names in _EXCLUDED.items()}


def excluded(space, name):
    """Is a public name of a namespace no function of tensors?"""
    if name in EXCLUDED.get(space, ()):
        return True
    # Classes that only hold others, or make their weights when they are first called.
    if space == "torch.nn":
        return name.startswith("Lazy") or name in _CONTAINERS
    return space == "torch" and name.startswith(_PREFIXES)


_CONTAINERS = (
    "Container", "DataParallel", "Module", "ModuleDict", "ModuleList", "ParameterDict",
    "ParameterList", "Sequential", "SyncBatchNorm", "RNNBase", "RNNCellBase",
)  # fmt: skip

#: Why equal calls may give different results, and the last parts of the names.
_UNDEFINED = {
    "random": (
        "alpha_dropout alpha_dropout_ bernoulli bernoulli_ binomial cauchy_ dropout dropout1d "
        "dropout2d dropout3d dropout_ exponential_ feature_alpha_dropout feature_alpha_dropout_ "
        "feature_dropout feature_dropout_ fractional_max_pool2d fractional_max_pool2d_with_indices "
        "fractional_max_pool3d fractional_max_pool3d_with_indices geometric_ gumbel_softmax "
        "log_normal_ multinomial native_dropout normal normal_ pca_lowrank poisson rand rand_like "
        "randint randint_like randn randn_like random_ randperm rrelu rrelu_ svd_lowrank "
        "uniform_ lobpcg AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout "
        "FractionalMaxPool2d FractionalMaxPool3d RReLU"
    ),
    UNINITIALISED: (
        "empty empty_like empty_permuted empty_strided new_empty new_empty_strided resize_ "
        "resize_as_"
    ),
    "signs and phases of vectors, or the order of values, are free": (
        "eig eigh eigvals geqrf qr svd ldl_factor ldl_factor_ex lu_factor lu_factor_ex"
    ),
    "which of equal values an index names is free": (
        "topk sort argsort mode kthvalue median nanmedian"
    ),
}
UNDEFINED = {name: why for why, names in _UNDEFINED.items() for name in names.split()}

#: Sparse layouts, and what makes a tensor of each of a dense one.
SPARSE_LAYOUTS = {
    "torch.sparse_coo": "torch.Tensor.to_sparse",
    "torch.sparse_csr": "torch.Tensor.to_sparse_csr",
    "torch.sparse_csc": "torch.Tensor.to_sparse_csc",
}
#: Functions of sparse tensors, by last part of the name, besides those of ``torch.sparse``.
OF_SPARSE = (
    "sspaddmm", "smm", "hspmm", "dsmm", "hsmm", "coalesce", "indices", "values", "crow_indices",
    "col_indices", "ccol_indices", "row_indices", "sparse_mask", "to_dense", "saddmm", "sspmm",
    "addmm", "mm", "mv",
)  # fmt: skip

#: Beginnings of names of kernels that look at the sizes of one argument only, and of
#: constructors that take any indices.
UNCHECKED = (
    "native_", "batch_norm_", "lu_unpack", "sparse_csr_", "sparse_csc_", "sparse_bsr_",
    "sparse_bsc_", "sparse_compressed_", "sparse_coo_", "CTCLoss", "ctc_loss",
    "MultiMarginLoss", "multi_margin_loss",
)  # fmt: skip
#: What nothing checks, but a result rests on.
STRUCTURES = {
    "searchsorted": {"0": "ordered", "sorted_sequence": "ordered"},
    "bucketize": {"1": "ordered", "boundaries": "ordered"},
    "eigh": {"0": "symmetric"},
    "eigvalsh": {"0": "symmetric"},
    "cholesky": {"0": "positive_definite"},
    "cholesky_ex": {"0": "positive_definite"},
    "cholesky_inverse": {"0": "lower"},
    "cholesky_solve": {"1": "lower"},
    "ldl_factor": {"0": "symmetric"},
    "ldl_factor_ex": {"0": "symmetric"},
    "lobpcg": {"0": "positive_definite"},
    "lu_unpack": {"1": "as it is"},
    "lu_solve": {"1": "as it is", "2": "as it is", "pivots": "as it is"},
    "ldl_solve": {"1": "as it is"},
    "ormqr": {"0": "as it is", "1": "as it is"},
    "ctc_loss": {"1": "as it is", "2": "as it is", "3": "as it is"},
    "CTCLoss": {"1": "as it is", "2": "as it is", "3": "as it is"},
    "multi_margin_loss": {"1": "as it is"},
    "MultiMarginLoss": {"1": "as it is"},
    "sparse_coo_tensor": {"0": "as it is"},
    "sparse_compressed_tensor": {"0": "as it is", "1": "as it is"},
    "sparse_csr_tensor": {"0": "as it is", "1": "as it is"},
    "sparse_csc_tensor": {"0": "as it is", "1": "as it is"},
    "sparse_bsr_tensor": {"0": "as it is", "1": "as it is"},
    "sparse_bsc_tensor": {"0": "as it is", "1": "as it is"},
}
