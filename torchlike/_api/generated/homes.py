"""PyTorch's module and own name of each public function and class, and of methods that it defines elsewhere.

Written by ``python -m compat.api``: do not edit.
"""

HOMES = {
    "":
        "AcceleratorError BFloat16Storage BFloat16Tensor BoolStorage BoolTensor ByteStorage ByteTensor CharStorage "
        "CharTensor ComplexDoubleStorage ComplexFloatStorage DoubleStorage DoubleTensor Event FloatStorage FloatTensor "
        "Future HalfStorage HalfTensor IntStorage IntTensor LongStorage LongTensor OutOfMemoryError PyTorchFileReader "
        "PyTorchFileWriter ScriptFunction ScriptModule ShortStorage ShortTensor Size Stream SymBool SymFloat SymInt Tag "
        "Tensor TensorType _assert _assert_async _cast_Byte _cast_Char _cast_Double _cast_Float _cast_Half _cast_Int "
        "_cast_Long _cast_Short _check _check_index _check_is_size _check_not_implemented _check_tensor_all "
        "_check_tensor_all_with _check_type _check_value _check_with _convert_indices_from_coo_to_csr "
        "_convert_indices_from_csr_to_coo _dirichlet_grad _foreach_abs _foreach_abs_ _foreach_acos _foreach_acos_ "
        "_foreach_add _foreach_add_ _foreach_addcdiv _foreach_addcdiv_ _foreach_addcmul _foreach_addcmul_ _foreach_asin "
        "_foreach_asin_ _foreach_atan _foreach_atan_ _foreach_ceil _foreach_ceil_ _foreach_clamp_max _foreach_clamp_max_ "
        "_foreach_clamp_min _foreach_clamp_min_ _foreach_clone _foreach_copy_ _foreach_cos _foreach_cos_ _foreach_cosh "
        "_foreach_cosh_ _foreach_div _foreach_div_ _foreach_erf _foreach_erf_ _foreach_erfc _foreach_erfc_ _foreach_exp "
        "_foreach_exp_ _foreach_expm1 _foreach_expm1_ _foreach_floor _foreach_floor_ _foreach_frac _foreach_frac_ "
        "_foreach_lerp _foreach_lerp_ _foreach_lgamma _foreach_lgamma_ _foreach_log _foreach_log10 _foreach_log10_ "
        "_foreach_log1p _foreach_log1p_ _foreach_log2 _foreach_log2_ _foreach_log_ _foreach_max _foreach_maximum "
        "_foreach_maximum_ _foreach_minimum _foreach_minimum_ _foreach_mm _foreach_mul _foreach_mul_ _foreach_neg "
        "_foreach_neg_ _foreach_norm _foreach_pow _foreach_pow_ _foreach_powsum _foreach_reciprocal _foreach_reciprocal_ "
        "_foreach_round _foreach_round_ _foreach_rsqrt _foreach_rsqrt_ _foreach_sigmoid _foreach_sigmoid_ _foreach_sign "
        "_foreach_sign_ _foreach_sin _foreach_sin_ _foreach_sinh _foreach_sinh_ _foreach_sqrt _foreach_sqrt_ _foreach_sub "
        "_foreach_sub_ _foreach_tan _foreach_tan_ _foreach_tanh _foreach_tanh_ _foreach_trunc _foreach_trunc_ "
        "_foreach_zero_ _grouped_mm _has_compatible_shallow_copy_type _int_mm _sample_dirichlet _scaled_mm _scaled_mm_v2 "
        "_shape_as_tensor _softmax_backward_data _standard_gamma _standard_gamma_grad abs abs_ absolute acos acos_ acosh "
        "acosh_ adaptive_avg_pool1d adaptive_max_pool1d add addbmm addcdiv addcmul addmm addmv addmv_ addr adjoint "
        "alias_copy all allclose alpha_dropout alpha_dropout_ amax amin aminmax angle any arange arccos arccos_ arccosh "
        "arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan2 arctan_ arctanh arctanh_ "
        "are_deterministic_algorithms_enabled argmax argmin argsort argwhere as_strided as_strided_ as_strided_copy "
        "as_strided_scatter as_tensor asarray asin asin_ asinh asinh_ atan atan2 atan_ atanh atanh_ "
        "autocast_decrement_nesting autocast_increment_nesting avg_pool1d baddbmm bartlett_window batch_norm bernoulli "
        "bilinear binary_cross_entropy_with_logits bincount binomial bitwise_and bitwise_left_shift bitwise_not "
        "bitwise_or bitwise_right_shift bitwise_xor blackman_window bmm broadcast_to bucketize can_cast cat ceil ceil_ "
        "celu celu_ channel_shuffle cholesky cholesky_inverse cholesky_solve chunk clamp clamp_ clamp_max clamp_max_ "
        "clamp_min clamp_min_ clear_autocast_cache clip clip_ clone column_stack combinations compile "
        "compiled_with_cxx11_abi complex cond conj conj_physical conj_physical_ constant_pad_nd conv1d conv2d conv3d "
        "conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution copysign corrcoef cos cos_ cosh cosh_ "
        "cosine_embedding_loss cosine_similarity count_nonzero cov cross ctc_loss cummax cummin cumprod cumsum "
        "cumulative_trapezoid deg2rad deg2rad_ det detach detach_ detach_copy device diag diag_embed diagflat diagonal "
        "diagonal_copy diagonal_scatter diff digamma dist div dot dropout dropout_ dsmm dsplit dstack dtype embedding "
        "embedding_bag embedding_renorm_ empty empty_like empty_permuted empty_strided eq equal erf erf_ erfc erfc_ "
        "erfinv exp exp2 exp2_ exp_ expand_copy expm1 expm1_ eye feature_alpha_dropout feature_alpha_dropout_ "
        "feature_dropout feature_dropout_ fill fill_ finfo fix fix_ flatten flip fliplr flipud float_power floor floor_ "
        "floor_divide fmax fmin fmod frac frac_ frexp frobenius_norm from_file from_numpy frombuffer full full_like "
        "gather gcd gcd_ ge geqrf ger get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype get_default_device "
        "get_default_dtype get_deterministic_debug_mode get_device get_float32_matmul_precision get_num_interop_threads "
        "get_num_threads gradient greater greater_equal grid_sampler grid_sampler_2d grid_sampler_3d group_norm gru "
        "gru_cell gt hamming_window hann_window hardshrink hash_tensor heaviside hinge_embedding_loss histc histogram "
        "histogramdd hsplit hspmm hstack hypot i0 i0_ igamma igammac iinfo imag index_add index_copy index_fill index_put "
        "index_put_ index_reduce index_select init_num_threads inner instance_norm inverse is_anomaly_check_nan_enabled "
        "is_anomaly_enabled is_autocast_cache_enabled is_autocast_cpu_enabled is_autocast_enabled is_complex is_conj "
        "is_deterministic_algorithms_warn_only_enabled is_floating_point is_grad_enabled is_inference "
        "is_inference_mode_enabled is_neg is_nonzero is_same_size is_signed is_storage is_tensor is_warn_always_enabled "
        "isclose isfinite isin isinf isnan isneginf isposinf isreal istft kaiser_window kl_div kron kthvalue layer_norm "
        "layout lcm lcm_ ldexp ldexp_ le lerp less less_equal lgamma linspace log log10 log10_ log1p log1p_ log2 log2_ "
        "log_ log_softmax logaddexp logaddexp2 logcumsumexp logdet logical_and logical_not logical_or logical_xor logit "
        "logit_ logspace logsumexp lstm lstm_cell lt lu_solve lu_unpack margin_ranking_loss masked_fill masked_scatter "
        "masked_select matmul matrix_exp matrix_power max max_pool1d max_pool1d_with_indices max_pool2d max_pool3d "
        "maximum mean median memory_format min minimum mkldnn_rnn_layer mm mode movedim msort mul multinomial multiply mv "
        "mvlgamma nan_to_num nan_to_num_ nanmean nanmedian nanquantile nansum narrow narrow_copy native_batch_norm "
        "native_channel_shuffle native_dropout native_group_norm native_layer_norm native_norm ne neg neg_ negative "
        "negative_ nextafter nonzero nonzero_static norm_except_dim normal not_equal nuclear_norm numel ones ones_like "
        "orgqr ormqr outer pairwise_distance pca_lowrank pdist permute permute_copy pinverse pixel_shuffle "
        "pixel_unshuffle poisson poisson_nll_loss polar polygamma positive pow prelu prod promote_types put qr quantile "
        "rad2deg rad2deg_ rand rand_like randint randint_like randn randn_like randperm range ravel real reciprocal "
        "reciprocal_ relu relu_ remainder renorm repeat_interleave reshape resize_as_ resize_as_sparse_ resolve_conj "
        "resolve_neg result_type rms_norm rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell roll rot90 round round_ rrelu "
        "rrelu_ rsqrt rsqrt_ rsub saddmm scalar_tensor scatter scatter_add scatter_reduce searchsorted segment_reduce "
        "select select_copy select_scatter selu selu_ set_anomaly_enabled set_autocast_cache_enabled "
        "set_autocast_cpu_dtype set_autocast_cpu_enabled set_autocast_dtype set_autocast_enabled set_autocast_gpu_dtype "
        "set_default_device set_default_dtype set_default_tensor_type set_deterministic_debug_mode "
        "set_float32_matmul_precision set_flush_denormal set_num_interop_threads set_num_threads set_warn_always sgn "
        "sigmoid sigmoid_ sign signbit sin sin_ sinc sinc_ sinh sinh_ slice_copy slice_inverse slice_scatter slogdet smm "
        "softmax sort sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor "
        "sparse_csr_tensor split_copy split_with_sizes split_with_sizes_copy spmm sqrt sqrt_ square square_ squeeze "
        "squeeze_copy sspaddmm stack std std_mean sub subtract sum svd svd_lowrank swapaxes sym_float sym_fresh_size "
        "sym_int sym_ite sym_max sym_min sym_not sym_sum t t_copy take take_along_dim tan tan_ tanh tanh_ tensor "
        "tensor_split threshold threshold_ tile to_dlpack topk trace transpose transpose_copy trapezoid triangular_solve "
        "tril tril_indices triplet_margin_loss triu triu_indices true_divide trunc trunc_ typename unbind unbind_copy "
        "unflatten unfold_copy unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze unsqueeze_copy "
        "use_deterministic_algorithms vander var var_mean vdot view_as_complex view_as_complex_copy view_as_real "
        "view_as_real_copy view_copy vsplit vstack where while_loop xlogy xlogy_ zero_ zeros zeros_like",
    "._C":
        "Block DisableTorchFunction DisableTorchFunctionSubclass DispatchKey DispatchKeySet Generator Graph Node Value "
        "_AutoDispatchBelowAutograd _ExcludeDispatchKeyGuard _IncludeDispatchKeyGuard _LinAlgError "
        "_are_functorch_transforms_active _current_graph_task_id _disabled_torch_function_impl _get_accelerator "
        "_get_default_device _get_privateuse1_backend_name _get_tracing_state _has_torch_function "
        "_has_torch_function_unary _has_torch_function_variadic _is_alias_of _is_torch_function_enabled "
        "_is_torch_function_mode_enabled _is_tracing _jit_can_fuse_on_cpu _jit_can_fuse_on_gpu "
        "_jit_override_can_fuse_on_cpu _jit_override_can_fuse_on_gpu _jit_set_nvfuser_enabled _jit_set_nvfuser_guard_mode "
        "_jit_set_profiling_executor _jit_set_profiling_mode _jit_set_texpr_fuser_enabled _log_api_usage_once "
        "_set_math_sdp_allow_fp16_bf16_reduction",
    "._C._fft":
        "fft_fft fft_fft2 fft_fftfreq fft_fftn fft_fftshift fft_hfft fft_hfft2 fft_hfftn fft_ifft fft_ifft2 fft_ifftn "
        "fft_ifftshift fft_ihfft fft_ihfft2 fft_ihfftn fft_irfft fft_irfft2 fft_irfftn fft_rfft fft_rfft2 fft_rfftfreq "
        "fft_rfftn",
    "._C._functorch":
        "_add_batch_dim _remove_batch_dim get_unwrapped is_batchedtensor is_legacy_batchedtensor",
    "._C._linalg":
        "linalg_cholesky linalg_cholesky_ex linalg_cond linalg_cross linalg_det linalg_diagonal linalg_eig linalg_eigh "
        "linalg_eigvals linalg_eigvalsh linalg_householder_product linalg_inv linalg_inv_ex linalg_ldl_factor "
        "linalg_ldl_factor_ex linalg_ldl_solve linalg_lstsq linalg_lu linalg_lu_factor linalg_lu_factor_ex "
        "linalg_lu_solve linalg_matrix_exp linalg_matrix_norm linalg_matrix_power linalg_matrix_rank linalg_matrix_sqrth "
        "linalg_multi_dot linalg_norm linalg_pinv linalg_polar linalg_qr linalg_slogdet linalg_solve linalg_solve_ex "
        "linalg_solve_triangular linalg_svd linalg_svdvals linalg_tensorinv linalg_tensorsolve linalg_vander "
        "linalg_vecdot linalg_vector_norm",
    "._C._nn":
        "_parse_to avg_pool2d avg_pool3d elu_ gelu hardtanh_ leaky_relu_ linear log_sigmoid one_hot "
        "scaled_dot_product_attention softplus softshrink",
    "._C._special":
        "special_airy_ai special_bessel_j0 special_bessel_j1 special_bessel_y0 special_bessel_y1 "
        "special_chebyshev_polynomial_t special_chebyshev_polynomial_u special_chebyshev_polynomial_v "
        "special_chebyshev_polynomial_w special_digamma special_entr special_erf special_erfc special_erfcx "
        "special_erfinv special_exp2 special_expit special_expm1 special_gammainc special_gammaincc special_gammaln "
        "special_hermite_polynomial_h special_hermite_polynomial_he special_i0 special_i0e special_i1 special_i1e "
        "special_laguerre_polynomial_l special_legendre_polynomial_p special_log1p special_log_ndtr special_log_softmax "
        "special_logit special_logsumexp special_modified_bessel_i0 special_modified_bessel_i1 special_modified_bessel_k0 "
        "special_modified_bessel_k1 special_multigammaln special_ndtr special_ndtri special_polygamma special_psi "
        "special_round special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1 "
        "special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u "
        "special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w special_sinc special_softmax "
        "special_spherical_bessel_j0 special_xlog1py special_xlogy special_zeta",
    ".__config__":
        "_cxx_flags parallel_info show",
    ".__future__":
        "get_overwrite_module_params_on_conversion get_swap_module_params_on_conversion "
        "set_overwrite_module_params_on_conversion set_swap_module_params_on_conversion",
    "._dynamo":
        "is_dynamo_supported",
    "._dynamo._trace_wrapped_higher_order_op":
        "TransformGetItemToIndex",
    "._dynamo.decorators":
        "graph_break mark_dynamic mark_static mark_static_address maybe_mark_dynamic",
    "._dynamo.eval_frame":
        "OptimizedModule is_dynamo_supported",
    "._dynamo.exc":
        "BackendCompilerFailed FailOnRecompileLimitHit InternalTorchDynamoError InvalidBackend TorchDynamoException "
        "Unsupported",
    "._dynamo.utils":
        "disable_cache_limit is_compile_supported",
    "._higher_order_ops":
        "map scan",
    "._higher_order_ops.associative_scan":
        "associative_scan",
    "._library.custom_ops":
        "CustomOpDef CustomOpDef.set_kernel_enabled",
    "._linalg_utils":
        "_symeig eig lstsq matrix_rank solve",
    "._lobpcg":
        "LOBPCG LOBPCGAutogradFunction lobpcg",
    "._ops":
        "OpOverload OpOverloadPacket",
    "._prims_common":
        "alert_not_deterministic corresponding_complex_dtype corresponding_real_dtype is_boolean_dtype is_complex_dtype "
        "is_contiguous is_float_dtype is_integer_dtype make_contiguous_strides_for suggest_memory_format",
    "._tensor":
        "Tensor.__array__ Tensor.__array_wrap__ Tensor.__contains__ Tensor.__deepcopy__ Tensor.__dlpack__ "
        "Tensor.__dlpack_device__ Tensor.__floordiv__ Tensor.__format__ Tensor.__hash__ Tensor.__iter__ Tensor.__len__ "
        "Tensor.__rdiv__ Tensor.__reduce_ex__ Tensor.__repr__ Tensor.__reversed__ Tensor.__rfloordiv__ Tensor.__rlshift__ "
        "Tensor.__rmatmul__ Tensor.__rmod__ Tensor.__rpow__ Tensor.__rrshift__ Tensor.__rsub__ Tensor.__setstate__ "
        "Tensor.__torch_function__ Tensor._typed_storage Tensor.backward Tensor.dim_order Tensor.eig Tensor.index "
        "Tensor.is_shared Tensor.istft Tensor.lstsq Tensor.lu Tensor.module_load Tensor.norm Tensor.register_hook "
        "Tensor.register_post_accumulate_grad_hook Tensor.reinforce Tensor.resize Tensor.resize_as Tensor.solve "
        "Tensor.split Tensor.stft Tensor.storage Tensor.storage_type Tensor.symeig Tensor.to_sparse_coo Tensor.unflatten "
        "Tensor.unique Tensor.unique_consecutive _rebuild_from_type_v2",
    "._tensor_str":
        "_add_suffixes _tensor_str printoptions set_printoptions",
    "._utils":
        "ExceptionWrapper _element_size _flatten_dense_tensors _get_available_device_type _get_device_index "
        "_rebuild_parameter _rebuild_parameter_with_state _rebuild_sparse_tensor _rebuild_tensor _rebuild_tensor_v2 "
        "_rebuild_tensor_v3 _take_tensors _unflatten_dense_tensors",
    ".accelerator":
        "Graph current_accelerator current_device_idx current_device_index current_stream device_count device_index "
        "empty_cache empty_host_cache get_memory_info is_available max_memory_allocated max_memory_reserved "
        "memory_allocated memory_reserved memory_stats reset_accumulated_memory_stats reset_peak_memory_stats "
        "set_device_idx set_device_index set_stream synchronize",
    ".accelerator.random":
        "get_rng_state get_rng_state_all initial_seed",
    ".amp.autocast_mode":
        "_cast autocast autocast_decorator custom_bwd custom_fwd is_autocast_available",
    ".amp.grad_scaler":
        "GradScaler OptState",
    ".autograd":
        "DeviceType ProfilerActivity _disable_profiler _profiler_enabled backward grad is_multithreading_enabled "
        "is_view_replay_enabled kineto_available variable",
    ".autograd.anomaly_mode":
        "detect_anomaly set_detect_anomaly",
    ".autograd.forward_ad":
        "UnpackedDualTensor dual_level enter_dual_level exit_dual_level make_dual unpack_dual",
    ".autograd.function":
        "BackwardCFunction Function FunctionCtx FunctionMeta InplaceFunction NestedIOFunction once_differentiable",
    ".autograd.functional":
        "hessian hvp jacobian jvp vhp vjp",
    ".autograd.grad_mode":
        "_force_original_view_tracking enable_grad enforce_grad_layout_policy inference_mode no_grad set_grad_enabled "
        "set_multithreading_enabled",
    ".autograd.gradcheck":
        "GradcheckError gradcheck gradgradcheck",
    ".autograd.graph":
        "GradientEdge Node _Handle allow_mutation_on_saved_tensors disable_saved_tensors_hooks get_gradient_edge "
        "increment_version node_creation_hook region_activation_memory_budget register_multi_grad_hook save_on_cpu "
        "saved_tensors_hooks set_override_stale_capture_stream set_warn_on_accumulate_grad_stream_mismatch",
    ".autograd.profiler":
        "EnforceUnique KinetoStepTracker emit_itt emit_nvtx load_nvprof parse_nvprof_trace profile record_function",
    ".autograd.profiler_util":
        "EventList FormattedTimesMixin FunctionEvent FunctionEventAvg FunctionEventAvg.__iadd__ Interval Kernel "
        "MemRecordsAcc",
    ".autograd.variable":
        "ImperativeEngine Variable VariableMeta",
    ".backends.cuda":
        "SDPAParams allow_fp16_bf16_reduction_math_sdp blas_workspace_size can_use_cudnn_attention "
        "can_use_efficient_attention can_use_flash_attention cuBLASModule cuFFTPlanCache cuFFTPlanCacheAttrContextProp "
        "cuFFTPlanCacheManager cublas_workspace_size cublaslt_workspace_size cudnn_sdp_enabled enable_cudnn_sdp "
        "enable_flash_sdp enable_math_sdp enable_mem_efficient_sdp flash_sdp_enabled fp16_bf16_reduction_math_sdp_allowed "
        "is_built is_ck_sdpa_available is_flash_attention_available math_sdp_enabled mem_efficient_sdp_enabled "
        "preferred_blas_library preferred_linalg_library preferred_rocm_fa_library sdp_kernel",
    ".backends.cudnn":
        "flags is_acceptable is_available version",
    ".backends.mkl":
        "is_available verbose",
    ".backends.mkldnn":
        "flags",
    ".backends.mps":
        "is_built",
    ".backends.openmp":
        "is_available",
    ".backends.opt_einsum":
        "get_opt_einsum",
    ".compiler":
        "PrecompileError allow_in_graph assume_constant_result cudagraph_mark_step_begin cudagraph_mark_warmup_incomplete "
        "disable get_default_backend is_compiling is_dynamo_compiling is_exporting keep_portable_guards_unsafe "
        "keep_tensor_guards_unsafe list_backends load_cache_artifacts nested_compile_region nonstrict_trace reset "
        "save_cache_artifacts set_default_backend set_enable_guard_collectives set_stance skip_all_guards_unsafe "
        "skip_guard_on_all_nn_modules_unsafe skip_guard_on_globals_unsafe skip_guard_on_inbuilt_nn_modules_unsafe "
        "substitute_in_graph wrap_numpy",
    ".compiler._cache":
        "CacheInfo CacheInfo.__eq__ CacheInfo.__init__ CacheInfo.__repr__",
    ".cpu":
        "Event Stream StreamContext _is_amx_fp16_supported _is_amx_tile_supported _is_avx2_supported "
        "_is_avx512_bf16_supported _is_avx512_supported _is_vnni_supported current_device current_stream device_count "
        "is_available is_initialized set_device stream synchronize",
    ".cpu.amp.autocast_mode":
        "autocast",
    ".cpu.amp.grad_scaler":
        "GradScaler",
    ".cuda":
        "BFloat16Storage BFloat16Tensor BoolStorage BoolTensor ByteStorage ByteTensor CharStorage CharTensor "
        "ComplexDoubleStorage ComplexFloatStorage CudaError DeferredCudaCallError DoubleStorage DoubleTensor "
        "ExternalStream FloatStorage FloatTensor GreenContext HalfStorage HalfTensor IntStorage IntTensor LongStorage "
        "LongTensor ShortStorage ShortTensor StreamContext can_device_access_peer check_error clock_rate cudaStatus "
        "cudart current_blas_handle current_device current_solver_handle current_stream default_stream device "
        "device_count device_memory_used device_of get_arch_list get_device_capability get_device_name "
        "get_device_properties get_gencode_flags get_stream_from_external get_sync_debug_mode init ipc_collect "
        "is_available is_bf16_supported is_initialized is_tf32_supported memory_usage power_draw set_device set_stream "
        "set_sync_debug_mode stream synchronize temperature utilization",
    ".cuda.amp.autocast_mode":
        "autocast custom_bwd custom_fwd",
    ".cuda.amp.common":
        "amp_definitely_not_available",
    ".cuda.amp.grad_scaler":
        "GradScaler",
    ".cuda.graphs":
        "CUDAGraph graph graph_pool_handle is_current_stream_capturing make_graphed_callables",
    ".cuda.memory":
        "CUDAPluggableAllocator MemPool caching_allocator_alloc caching_allocator_delete caching_allocator_disabled "
        "caching_allocator_enable change_current_allocator empty_cache get_allocator_backend "
        "get_per_process_memory_fraction host_memory_stats list_gpu_processes max_memory_allocated max_memory_cached "
        "max_memory_reserved mem_get_info memory_allocated memory_cached memory_reserved memory_snapshot memory_stats "
        "memory_summary reset_accumulated_host_memory_stats reset_accumulated_memory_stats reset_max_memory_allocated "
        "reset_max_memory_cached reset_peak_host_memory_stats reset_peak_memory_stats set_per_process_memory_fraction "
        "use_mem_pool",
    ".cuda.nvtx":
        "mark range range_end range_pop range_push range_start",
    ".cuda.random":
        "get_rng_state get_rng_state_all initial_seed manual_seed manual_seed_all seed seed_all set_rng_state "
        "set_rng_state_all",
    ".cuda.streams":
        "Event Stream",
    ".distributed":
        "DebugLevel DistBackendError DistError DistNetworkError DistStoreError FileStore GradBucket HashStore PrefixStore "
        "QueueEmptyError Store TCPStore get_debug_level is_available set_debug_level set_debug_level_from_env",
    ".distributed._composable":
        "checkpoint contract replicate",
    ".distributed._functional_collectives":
        "AsyncCollectiveTensor AsyncCollectiveTensor.__new__ _resolve_group all_gather_into_tensor_coalesced "
        "all_gather_single all_gather_single_autograd all_gather_single_coalesced all_gather_tensor "
        "all_gather_tensor_autograd all_reduce all_reduce_coalesced all_to_all_single all_to_all_single_autograd "
        "broadcast permute_tensor reduce_scatter_single reduce_scatter_single_autograd reduce_scatter_single_coalesced "
        "reduce_scatter_tensor reduce_scatter_tensor_autograd reduce_scatter_tensor_coalesced wait_tensor",
    ".distributed.algorithms._checkpoint.checkpoint_wrapper":
        "ActivationWrapper CheckpointImpl CheckpointWrapper OffloadWrapper apply_activation_checkpointing "
        "checkpoint_wrapper offload_wrapper",
    ".distributed.algorithms.ddp_comm_hooks":
        "DDPCommHookType register_ddp_comm_hook",
    ".distributed.algorithms.ddp_comm_hooks.debugging_hooks":
        "noop_hook",
    ".distributed.algorithms.ddp_comm_hooks.default_hooks":
        "allreduce_hook bf16_compress_hook bf16_compress_wrapper fp16_compress_hook fp16_compress_wrapper",
    ".distributed.algorithms.ddp_comm_hooks.post_localSGD_hook":
        "PostLocalSGDState post_localSGD_hook",
    ".distributed.algorithms.ddp_comm_hooks.powerSGD_hook":
        "PowerSGDState batched_powerSGD_hook powerSGD_hook",
    ".distributed.algorithms.join":
        "Join JoinHook Joinable",
    ".distributed.algorithms.model_averaging.averagers":
        "ModelAverager PeriodicModelAverager",
    ".distributed.checkpoint.api":
        "CheckpointException",
    ".distributed.checkpoint.default_planner":
        "DefaultLoadPlanner DefaultSavePlanner create_default_global_load_plan create_default_global_save_plan "
        "create_default_local_load_plan create_default_local_save_plan",
    ".distributed.checkpoint.filesystem":
        "FileSystemReader FileSystemReader.prepare_local_plan FileSystemReader.reset "
        "FileSystemReader.validate_checkpoint_id FileSystemWriter",
    ".distributed.checkpoint.metadata":
        "BytesStorageMetadata BytesStorageMetadata.__eq__ BytesStorageMetadata.__init__ BytesStorageMetadata.__repr__ "
        "ChunkStorageMetadata ChunkStorageMetadata.__eq__ ChunkStorageMetadata.__init__ ChunkStorageMetadata.__repr__ "
        "Metadata Metadata.__eq__ Metadata.__init__ Metadata.__repr__ MetadataIndex MetadataIndex.__delattr__ "
        "MetadataIndex.__eq__ MetadataIndex.__hash__ MetadataIndex.__repr__ MetadataIndex.__setattr__ StorageMeta "
        "StorageMeta.__eq__ StorageMeta.__init__ StorageMeta.__repr__ TensorProperties TensorProperties.__eq__ "
        "TensorProperties.__init__ TensorProperties.__repr__ TensorStorageMetadata TensorStorageMetadata.__eq__ "
        "TensorStorageMetadata.__init__ TensorStorageMetadata.__repr__",
    ".distributed.checkpoint.planner":
        "BytesIOWriteData BytesIOWriteData.__delattr__ BytesIOWriteData.__eq__ BytesIOWriteData.__hash__ "
        "BytesIOWriteData.__init__ BytesIOWriteData.__repr__ BytesIOWriteData.__setattr__ LoadItemType LoadPlan "
        "LoadPlan.__eq__ LoadPlan.__init__ LoadPlan.__repr__ LoadPlanner ReadItem ReadItem.__delattr__ ReadItem.__eq__ "
        "ReadItem.__hash__ ReadItem.__init__ ReadItem.__repr__ ReadItem.__setattr__ SavePlan SavePlan.__delattr__ "
        "SavePlan.__eq__ SavePlan.__hash__ SavePlan.__init__ SavePlan.__repr__ SavePlan.__setattr__ SavePlanner "
        "TensorWriteData TensorWriteData.__delattr__ TensorWriteData.__eq__ TensorWriteData.__hash__ "
        "TensorWriteData.__init__ TensorWriteData.__repr__ TensorWriteData.__setattr__ WriteItem WriteItem.__delattr__ "
        "WriteItem.__eq__ WriteItem.__hash__ WriteItem.__init__ WriteItem.__repr__ WriteItem.__setattr__ WriteItemType",
    ".distributed.checkpoint.state_dict":
        "StateDictOptions StateDictOptions.__eq__ StateDictOptions.__init__ StateDictOptions.__repr__ "
        "get_model_state_dict get_optimizer_state_dict get_state_dict set_model_state_dict set_optimizer_state_dict "
        "set_state_dict",
    ".distributed.checkpoint.state_dict_loader":
        "_load_state_dict load load_state_dict",
    ".distributed.checkpoint.state_dict_saver":
        "AsyncCheckpointerType AsyncSaveResponse AsyncSaveResponse.__eq__ AsyncSaveResponse.__init__ "
        "AsyncSaveResponse.__repr__ async_save save save_state_dict",
    ".distributed.checkpoint.stateful":
        "Stateful",
    ".distributed.checkpoint.storage":
        "StorageReader StorageWriter WriteResult WriteResult.__delattr__ WriteResult.__eq__ WriteResult.__hash__ "
        "WriteResult.__init__ WriteResult.__repr__ WriteResult.__setattr__",
    ".distributed.device_mesh":
        "DeviceMesh _MeshEnv init_device_mesh",
    ".distributed.distributed_c10d":
        "Backend BackendConfig GroupMember P2POp ProcessGroupGloo ReduceOp Work _WorldMeta _get_default_group "
        "_resolve_process_group all_gather all_gather_coalesced all_gather_into_tensor all_gather_object "
        "all_gather_single all_reduce all_reduce_coalesced all_to_all all_to_all_single barrier batch_isend_irecv "
        "broadcast broadcast_object_list destroy_process_group gather gather_into_tensor gather_object gather_single "
        "get_backend get_backend_config get_backend_impl get_default_backend_for_device get_global_rank get_group_rank "
        "get_node_local_rank get_pg_count get_process_group_ranks get_rank get_world_size group init_process_group irecv "
        "is_backend_available is_gloo_available is_initialized is_mpi_available is_nccl_available "
        "is_torchelastic_launched is_ucc_available is_xccl_available isend monitored_barrier new_group new_subgroups "
        "new_subgroups_by_enumeration recv recv_object_list reduce reduce_scatter reduce_scatter_single "
        "reduce_scatter_tensor scatter scatter_object_list send send_object_list set_timeout split_group",
    ".distributed.elastic.multiprocessing":
        "start_processes",
    ".distributed.elastic.multiprocessing.errors":
        "ChildFailedError ErrorHandler ProcessFailure get_error_handler record",
    ".distributed.fsdp":
        "CPUOffloadPolicy DataParallelMeshDims FSDPModule FlatParameter MixedPrecisionPolicy OffloadPolicy UnshardHandle "
        "fully_shard register_fsdp_forward_method share_comm_ctx",
    ".distributed.fsdp._fully_shard._fully_shard":
        "FSDPModule.__new__ FSDPModule._apply FSDPModule._get_fsdp_state FSDPModule.reset_iter_state FSDPModule.reshard "
        "FSDPModule.set_all_reduce_hook FSDPModule.set_allocate_memory_from_process_group_for_comm "
        "FSDPModule.set_custom_all_gather FSDPModule.set_custom_reduce_scatter "
        "FSDPModule.set_force_sum_reduction_for_comms FSDPModule.set_gradient_divide_factor "
        "FSDPModule.set_is_last_backward FSDPModule.set_modules_to_backward_prefetch "
        "FSDPModule.set_modules_to_forward_prefetch FSDPModule.set_post_optim_event "
        "FSDPModule.set_reduce_scatter_divide_factor FSDPModule.set_reduce_scatter_max_input_buffers "
        "FSDPModule.set_reduce_scatter_unused_params FSDPModule.set_requires_all_reduce "
        "FSDPModule.set_requires_gradient_sync FSDPModule.set_reshard_after_backward FSDPModule.set_reshard_after_forward "
        "FSDPModule.set_separate_reduce_scatter_group FSDPModule.set_symm_mem_for_comm FSDPModule.set_unshard_in_backward "
        "FSDPModule.unshard UnshardHandle.wait",
    ".distributed.fsdp.api":
        "BackwardPrefetch CPUOffload CPUOffload.__eq__ CPUOffload.__init__ CPUOffload.__repr__ FullOptimStateDictConfig "
        "FullOptimStateDictConfig.__eq__ FullOptimStateDictConfig.__init__ FullOptimStateDictConfig.__repr__ "
        "FullStateDictConfig FullStateDictConfig.__eq__ FullStateDictConfig.__init__ FullStateDictConfig.__repr__ "
        "LocalOptimStateDictConfig LocalOptimStateDictConfig.__eq__ LocalOptimStateDictConfig.__init__ "
        "LocalOptimStateDictConfig.__repr__ LocalStateDictConfig LocalStateDictConfig.__eq__ "
        "LocalStateDictConfig.__init__ LocalStateDictConfig.__repr__ MixedPrecision MixedPrecision.__eq__ "
        "MixedPrecision.__init__ MixedPrecision.__repr__ OptimStateDictConfig OptimStateDictConfig.__eq__ "
        "OptimStateDictConfig.__init__ OptimStateDictConfig.__repr__ ShardedOptimStateDictConfig "
        "ShardedOptimStateDictConfig.__eq__ ShardedOptimStateDictConfig.__init__ ShardedOptimStateDictConfig.__repr__ "
        "ShardedStateDictConfig ShardedStateDictConfig.__eq__ ShardedStateDictConfig.__init__ "
        "ShardedStateDictConfig.__repr__ ShardingStrategy StateDictConfig StateDictConfig.__eq__ StateDictConfig.__init__ "
        "StateDictConfig.__repr__ StateDictSettings StateDictSettings.__eq__ StateDictSettings.__init__ "
        "StateDictSettings.__repr__ StateDictType",
    ".distributed.fsdp.fully_sharded_data_parallel":
        "FullyShardedDataParallel FullyShardedDataParallel.no_sync FullyShardedDataParallel.state_dict_type "
        "OptimStateKeyType",
    ".distributed.fsdp.wrap":
        "CustomPolicy ModuleWrapPolicy _Policy _or_policy always_wrap_policy enable_wrap lambda_auto_wrap_policy "
        "size_based_auto_wrap_policy transformer_auto_wrap_policy wrap",
    ".distributed.launch":
        "launch main parse_args",
    ".distributed.launcher.api":
        "LaunchConfig LaunchConfig.__eq__ LaunchConfig.__init__ LaunchConfig.__repr__ elastic_launch launch_agent",
    ".distributed.nn.functional":
        "all_gather all_reduce all_to_all all_to_all_single broadcast gather reduce reduce_scatter scatter",
    ".distributed.optim":
        "DistributedOptimizer as_functional_optim",
    ".distributed.optim.post_localSGD_optimizer":
        "PostLocalSGDOptimizer",
    ".distributed.optim.zero_redundancy_optimizer":
        "ZeroRedundancyOptimizer",
    ".distributed.pipelining":
        "Pipe SplitPoint pipe_split pipeline",
    ".distributed.pipelining.microbatch":
        "TensorChunkSpec _CustomReducer _LossReducer _Replicate _shard_dict_of_args _split_tensor merge_chunks "
        "split_args_kwargs_into_chunks",
    ".distributed.pipelining.schedules":
        "PipelineScheduleMulti PipelineScheduleSingle Schedule1F1B ScheduleDualPipeV ScheduleGPipe "
        "ScheduleInterleaved1F1B ScheduleInterleavedZeroBubble ScheduleLoopedBFS ScheduleZBVZeroBubble _Action "
        "_Action.__str__ _ComputationType _PipelineSchedule _PipelineScheduleRuntime generate_stage_to_rank_mapping "
        "get_schedule_class",
    ".distributed.pipelining.stage":
        "PipeInfo PipelineStage _PipelineStage _PipelineStageBase build_stage",
    ".distributed.rendezvous":
        "register_rendezvous_handler rendezvous",
    ".distributed.run":
        "config_from_args determine_local_world_size get_args_parser main parse_args parse_min_max_nnodes run",
    ".distributed.tensor":
        "DTensor distribute_module distribute_tensor empty full ones rand randn zeros",
    ".distributed.tensor._api":
        "DTensor.__repr__ DTensor.__tensor_flatten__ DTensor.__tensor_unflatten__ DTensor.__torch_dispatch__ "
        "DTensor.from_local DTensor.full_tensor DTensor.redistribute DTensor.to_local linspace logspace",
    ".distributed.tensor._dtensor_spec":
        "DTensorSpec DTensorSpec.__init__ DTensorSpec.__repr__ DTensorSpec.__setattr__ TensorMeta",
    ".distributed.tensor._utils":
        "compute_global_tensor_info compute_local_shape_and_global_offset",
    ".distributed.tensor.experimental":
        "context_parallel implicit_replication local_map register_sharding",
    ".distributed.tensor.parallel.api":
        "parallelize_module",
    ".distributed.tensor.parallel.loss":
        "loss_parallel",
    ".distributed.tensor.parallel.style":
        "ColwiseParallel ParallelStyle PrepareModuleInput PrepareModuleInputOutput PrepareModuleOutput RowwiseParallel "
        "SequenceParallel",
    ".distributed.tensor.placement_types":
        "Partial Partial.__hash__ Placement Replicate Replicate.__hash__ Replicate.__repr__ Shard Shard.__hash__ "
        "Shard.__repr__ _StridedShard _StridedShard.__eq__ _StridedShard.__hash__ _StridedShard.__init__",
    ".distributions.bernoulli":
        "Bernoulli",
    ".distributions.beta":
        "Beta",
    ".distributions.binomial":
        "Binomial",
    ".distributions.categorical":
        "Categorical",
    ".distributions.cauchy":
        "Cauchy",
    ".distributions.chi2":
        "Chi2",
    ".distributions.constraint_registry":
        "ConstraintRegistry",
    ".distributions.constraints":
        "Constraint MixtureSameFamilyConstraint MixtureSameFamilyConstraint.__init__ _Boolean _Cat _CorrCholesky "
        "_Dependent _DependentProperty _GreaterThan _GreaterThanEq _HalfOpenInterval _IndependentConstraint "
        "_IntegerGreaterThan _IntegerInterval _IntegerLessThan _Interval _LessThan _LowerCholesky _LowerTriangular "
        "_Multinomial _OneHot _PositiveDefinite _PositiveSemidefinite _Real _Simplex _Square _Stack _Stack.__init__ "
        "_Symmetric is_dependent",
    ".distributions.continuous_bernoulli":
        "ContinuousBernoulli",
    ".distributions.dirichlet":
        "Dirichlet",
    ".distributions.distribution":
        "Distribution",
    ".distributions.exp_family":
        "ExponentialFamily",
    ".distributions.exponential":
        "Exponential",
    ".distributions.fishersnedecor":
        "FisherSnedecor",
    ".distributions.gamma":
        "Gamma",
    ".distributions.generalized_pareto":
        "GeneralizedPareto",
    ".distributions.geometric":
        "Geometric",
    ".distributions.gumbel":
        "Gumbel",
    ".distributions.half_cauchy":
        "HalfCauchy",
    ".distributions.half_normal":
        "HalfNormal",
    ".distributions.independent":
        "Independent",
    ".distributions.inverse_gamma":
        "InverseGamma",
    ".distributions.kl":
        "kl_divergence register_kl",
    ".distributions.kumaraswamy":
        "Kumaraswamy",
    ".distributions.laplace":
        "Laplace",
    ".distributions.lkj_cholesky":
        "LKJCholesky",
    ".distributions.log_normal":
        "LogNormal",
    ".distributions.logistic_normal":
        "LogisticNormal",
    ".distributions.lowrank_multivariate_normal":
        "LowRankMultivariateNormal",
    ".distributions.mixture_same_family":
        "MixtureSameFamily",
    ".distributions.multinomial":
        "Multinomial",
    ".distributions.multivariate_normal":
        "MultivariateNormal",
    ".distributions.negative_binomial":
        "NegativeBinomial",
    ".distributions.normal":
        "Normal",
    ".distributions.one_hot_categorical":
        "OneHotCategorical OneHotCategoricalStraightThrough",
    ".distributions.pareto":
        "Pareto",
    ".distributions.poisson":
        "Poisson",
    ".distributions.relaxed_bernoulli":
        "LogitRelaxedBernoulli RelaxedBernoulli",
    ".distributions.relaxed_categorical":
        "ExpRelaxedCategorical RelaxedOneHotCategorical",
    ".distributions.studentT":
        "StudentT",
    ".distributions.transformed_distribution":
        "TransformedDistribution",
    ".distributions.transforms":
        "AbsTransform AffineTransform AffineTransform.inverse_shape CatTransform ComposeTransform CorrCholeskyTransform "
        "CumulativeDistributionTransform ExpTransform IndependentTransform LowerCholeskyTransform "
        "PositiveDefiniteTransform PowerTransform PowerTransform.inverse_shape ReshapeTransform SigmoidTransform "
        "SoftmaxTransform SoftmaxTransform.inverse_shape SoftplusTransform StackTransform StackTransform.__init__ "
        "StickBreakingTransform TanhTransform Transform _InverseTransform _clipped_sigmoid",
    ".distributions.uniform":
        "Uniform",
    ".distributions.utils":
        "_standard_normal _sum_rightmost broadcast_all clamp_probs lazy_property logits_to_probs probs_to_logits "
        "tril_matrix_to_vec vec_to_tril_matrix",
    ".distributions.von_mises":
        "VonMises",
    ".distributions.weibull":
        "Weibull",
    ".distributions.wishart":
        "Wishart _mvdigamma",
    ".func":
        "debug_unwrap functional_call functionalize grad grad_and_value hessian jacfwd jacrev jvp linearize rearrange "
        "replace_all_batch_norm_modules_ stack_module_state vjp vmap",
    ".functional":
        "atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist chain_matmul "
        "einsum lu meshgrid norm split stft tensordot unique unique_consecutive unravel_index",
    ".futures":
        "collect_all wait_all",
    ".fx._compatibility":
        "compatibility",
    ".fx._pytree":
        "register_pytree_flatten_spec tree_flatten_spec",
    ".fx._symbolic_trace":
        "PHBase Tracer _assert_is_none is_fx_symbolic_tracing is_fx_tracing symbolic_trace wrap",
    ".fx.experimental.proxy_tensor":
        "ProxyTorchDispatchMode PythonKeyTracer disable_proxy_modes_tracing get_proxy_mode make_fx",
    ".fx.experimental.symbolic_shapes":
        "GuardOnDataDependentSymNode free_symbols free_unbacked_symbols guard_or_false guard_or_true "
        "statically_known_true",
    ".fx.graph":
        "CodeGen Graph PythonCode PythonCode.__eq__ PythonCode.__init__ PythonCode.__repr__ _InsertPoint _PyTreeCodeGen "
        "_PyTreeInfo",
    ".fx.graph_module":
        "GraphModule _CodeOnlyModule _assign_attr _copy_attr",
    ".fx.immutable_collections":
        "immutable_dict immutable_list",
    ".fx.interpreter":
        "Interpreter Transformer",
    ".fx.node":
        "Node has_side_effect map_aggregate map_arg",
    ".fx.passes.infra.pass_base":
        "PassBase PassResult",
    ".fx.passes.shape_prop":
        "ShapeProp TensorMetadata",
    ".fx.passes.utils.matcher_utils":
        "InternalMatch InternalMatch.__eq__ InternalMatch.__init__ InternalMatch.__repr__",
    ".fx.proxy":
        "Attribute GraphAppendingTracer ParameterProxy Proxy Scope ScopeContextManager TraceError TracerBase",
    ".fx.subgraph_rewriter":
        "Match ReplacedPatterns ReplacedPatterns.__eq__ ReplacedPatterns.__init__ ReplacedPatterns.__repr__ "
        "replace_pattern replace_pattern_with_filters",
    ".fx.traceback":
        "annotate get_current_meta has_preserved_node_meta preserve_node_meta",
    ".hub":
        "_get_torch_home download_url_to_file get_dir help list load load_state_dict_from_url set_dir",
    ".jit":
        "Attribute Error RecursiveScriptModule TopLevelTracedModule TracerWarning _overload _overload_method annotate "
        "export fork freeze ignore interface is_scripting is_tracing isinstance load save script script_if_tracing "
        "script_method trace trace_module unused wait",
    ".library":
        "Library custom_op define fallthrough_kernel get_ctx get_kernel impl infer_schema opcheck register_autocast "
        "register_autograd register_fake register_kernel register_torch_dispatch register_vmap triton_op wrap_triton",
    ".masked":
        "_canonical_dim _combine_input_and_mask _input_mask _output_mask _reduction_identity _where",
    ".masked._ops":
        "amax amin argmax argmin cumprod cumsum log_softmax logaddexp logsumexp mean median norm normalize prod softmax "
        "softmin std sum var",
    ".masked.maskedtensor._ops_refs":
        "_MaskedContiguous _MaskedToDense _MaskedToSparse _MaskedToSparseCsr _MaskedWhere _check_args_kwargs_length",
    ".masked.maskedtensor.binary":
        "_get_at_least_one_mask _is_native_binary",
    ".masked.maskedtensor.core":
        "MaskedTensor _get_data _masks_match _maybe_get_mask _tensors_match _wrap_result is_masked_tensor",
    ".masked.maskedtensor.creation":
        "as_masked_tensor masked_tensor",
    ".masked.maskedtensor.passthrough":
        "_apply_pass_through_fn _is_pass_through_fn",
    ".masked.maskedtensor.reductions":
        "_apply_reduction _is_reduction _multidim_any",
    ".masked.maskedtensor.unary":
        "_is_native_unary",
    ".monitor":
        "Aggregation Event EventHandlerHandle Stat TensorboardEventHandler log_event register_event_handler "
        "unregister_event_handler",
    ".mps":
        "Event compile_shader current_allocated_memory device_count driver_allocated_memory empty_cache get_rng_state "
        "is_available load_metallib manual_seed recommended_max_memory seed set_per_process_memory_fraction set_rng_state "
        "synchronize",
    ".mtia":
        "MTIAGraph current_device current_stream default_stream device device_count empty_cache get_device_capability "
        "get_device_properties get_rng_state get_rng_state_all graph_pool_handle init initial_seed is_available "
        "is_bf16_supported is_initialized manual_seed manual_seed_all max_memory_allocated memory_allocated memory_stats "
        "record_memory_history reset_peak_memory_stats seed seed_all set_device snapshot stream synchronize",
    ".multiprocessing":
        "get_all_sharing_strategies get_sharing_strategy set_sharing_strategy",
    ".multiprocessing.reductions":
        "init_reductions reduce_tensor",
    ".multiprocessing.spawn":
        "ProcessContext ProcessException ProcessExitedException ProcessRaisedException SpawnContext spawn start_processes",
    ".nested":
        "as_nested_tensor masked_select narrow nested_tensor nested_tensor_from_jagged to_padded_tensor",
    ".nested._internal.nested_tensor":
        "NestedTensor NestedTensor.__torch_function__",
    ".nn":
        "factory_kwargs",
    ".nn._reduction":
        "get_enum legacy_get_string",
    ".nn.attention":
        "SDPBackend _cur_sdpa_kernel_backends _sdpa_kernel sdpa_kernel",
    ".nn.attention.bias":
        "CausalBias CausalVariant causal_lower_right causal_upper_left",
    ".nn.attention.flex_attention":
        "AuxOutput AuxRequest BlockMask _vmap_for_bhqkv and_masks create_block_mask create_mask flex_attention noop_mask "
        "or_masks",
    ".nn.functional":
        "ScalingType SwizzleType _canonical_mask _none_or_dtype adaptive_avg_pool1d adaptive_avg_pool2d "
        "adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool1d_with_indices adaptive_max_pool2d "
        "adaptive_max_pool2d_with_indices adaptive_max_pool3d adaptive_max_pool3d_with_indices affine_grid alpha_dropout "
        "avg_pool1d batch_norm bilinear binary_cross_entropy binary_cross_entropy_with_logits celu celu_ channel_shuffle "
        "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d cosine_embedding_loss cosine_similarity "
        "cross_entropy ctc_loss dropout dropout1d dropout2d dropout3d elu embedding embedding_bag feature_alpha_dropout "
        "fold fractional_max_pool2d fractional_max_pool2d_with_indices fractional_max_pool3d "
        "fractional_max_pool3d_with_indices gaussian_nll_loss glu grid_sample group_norm grouped_mm gumbel_softmax "
        "hardshrink hardsigmoid hardswish hardtanh hinge_embedding_loss huber_loss instance_norm interpolate kl_div "
        "l1_loss layer_norm leaky_relu linear_cross_entropy local_response_norm log_softmax lp_pool1d lp_pool2d lp_pool3d "
        "margin_ranking_loss max_pool1d max_pool1d_with_indices max_pool2d max_pool2d_with_indices max_pool3d "
        "max_pool3d_with_indices max_unpool1d max_unpool2d max_unpool3d mish mse_loss multi_head_attention_forward "
        "multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss nll_loss normalize pad pairwise_distance "
        "pdist pixel_shuffle pixel_unshuffle poisson_nll_loss prelu relu relu6 relu_ rms_norm rrelu rrelu_ "
        "scaled_grouped_mm scaled_mm selu selu_ sigmoid silu smooth_l1_loss soft_margin_loss softmax softmin softsign "
        "tanh tanhshrink threshold threshold_ triplet_margin_loss triplet_margin_with_distance_loss unfold upsample "
        "upsample_bilinear upsample_nearest",
    ".nn.grad":
        "conv1d_input conv1d_weight conv2d_input conv2d_weight conv3d_input conv3d_weight",
    ".nn.init":
        "_calculate_correct_fan _calculate_fan_in_and_fan_out _no_grad_fill_ _no_grad_normal_ _no_grad_uniform_ "
        "_no_grad_zero_ calculate_gain constant constant_ dirac dirac_ eye eye_ kaiming_normal kaiming_normal_ "
        "kaiming_uniform kaiming_uniform_ normal normal_ ones_ orthogonal orthogonal_ sparse sparse_ trunc_normal_ "
        "uniform uniform_ xavier_normal xavier_normal_ xavier_uniform xavier_uniform_ zeros_",
    ".nn.modules._functions":
        "BackwardHookFunction",
    ".nn.modules.activation":
        "CELU ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid LogSoftmax Mish "
        "MultiheadAttention PReLU RReLU ReLU ReLU6 SELU SiLU Sigmoid Softmax Softmax2d Softmin Softplus Softshrink "
        "Softsign Tanh Tanhshrink Threshold",
    ".nn.modules.adaptive":
        "AdaptiveLogSoftmaxWithLoss _ASMoutput",
    ".nn.modules.batchnorm":
        "BatchNorm1d BatchNorm2d BatchNorm3d LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d SyncBatchNorm _BatchNorm "
        "_LazyNormBase _NormBase",
    ".nn.modules.channelshuffle":
        "ChannelShuffle",
    ".nn.modules.container":
        "Container ModuleDict ModuleList ParameterDict ParameterList Sequential Sequential.__rmul__",
    ".nn.modules.conv":
        "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConv1d LazyConv2d LazyConv3d "
        "LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d _ConvNd _ConvTransposeMixin _ConvTransposeNd "
        "_LazyConvXdMixin",
    ".nn.modules.distance":
        "CosineSimilarity PairwiseDistance",
    ".nn.modules.dropout":
        "AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout _DropoutNd",
    ".nn.modules.flatten":
        "Flatten Unflatten",
    ".nn.modules.fold":
        "Fold Unfold Unfold.extra_repr",
    ".nn.modules.instancenorm":
        "InstanceNorm1d InstanceNorm2d InstanceNorm3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d "
        "_InstanceNorm",
    ".nn.modules.lazy":
        "LazyModuleMixin",
    ".nn.modules.linear":
        "Bilinear Identity LazyLinear Linear NonDynamicallyQuantizableLinear",
    ".nn.modules.linear_cross_entropy_options":
        "LinearCrossEntropyOptions LinearCrossEntropyOptions.__delattr__ LinearCrossEntropyOptions.__eq__ "
        "LinearCrossEntropyOptions.__hash__ LinearCrossEntropyOptions.__init__ LinearCrossEntropyOptions.__repr__ "
        "LinearCrossEntropyOptions.__setattr__",
    ".nn.modules.loss":
        "BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CrossEntropyLoss GaussianNLLLoss HingeEmbeddingLoss "
        "HuberLoss KLDivLoss L1Loss LinearCrossEntropyLoss MSELoss MarginRankingLoss MultiLabelMarginLoss "
        "MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss NLLLoss2d PoissonNLLLoss SmoothL1Loss SoftMarginLoss "
        "TripletMarginLoss TripletMarginWithDistanceLoss _Loss _WeightedLoss",
    ".nn.modules.module":
        "Module Module._call_impl Module._get_backward_hooks Module._get_backward_pre_hooks Module._load_from_state_dict "
        "Module._named_members Module._register_load_state_dict_pre_hook Module._register_state_dict_hook "
        "Module._save_to_state_dict Module.apply Module.bfloat16 Module.buffers Module.children Module.cpu Module.cuda "
        "Module.double Module.eval Module.float Module.get_extra_state Module.half Module.ipu Module.load_state_dict "
        "Module.modules Module.mtia Module.named_buffers Module.named_children Module.named_modules "
        "Module.named_parameters Module.parameters Module.register_backward_hook Module.register_forward_hook "
        "Module.register_forward_pre_hook Module.register_full_backward_hook Module.register_full_backward_pre_hook "
        "Module.register_load_state_dict_post_hook Module.register_load_state_dict_pre_hook "
        "Module.register_state_dict_post_hook Module.register_state_dict_pre_hook Module.requires_grad_ "
        "Module.set_extra_state Module.share_memory Module.state_dict Module.to Module.to_empty Module.type Module.xpu "
        "Module.zero_grad _IncompatibleKeys register_module_backward_hook register_module_buffer_registration_hook "
        "register_module_forward_hook register_module_forward_pre_hook register_module_full_backward_hook "
        "register_module_full_backward_pre_hook register_module_module_registration_hook "
        "register_module_parameter_registration_hook",
    ".nn.modules.normalization":
        "GroupNorm LayerNorm LocalResponseNorm RMSNorm",
    ".nn.modules.padding":
        "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d ReflectionPad1d "
        "ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d "
        "_CircularPadNd _ConstantPadNd _ReflectionPadNd _ReplicationPadNd",
    ".nn.modules.pixelshuffle":
        "PixelShuffle PixelUnshuffle",
    ".nn.modules.pooling":
        "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d "
        "AvgPool1d AvgPool2d AvgPool3d FractionalMaxPool2d FractionalMaxPool2d.__init__ FractionalMaxPool3d LPPool1d "
        "LPPool2d LPPool3d MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d _AdaptiveAvgPoolNd "
        "_AdaptiveAvgPoolNd.__init__ _AdaptiveMaxPoolNd _AvgPoolNd _LPPoolNd _MaxPoolNd _MaxUnpoolNd",
    ".nn.modules.rnn":
        "GRU GRUCell LSTM LSTMCell RNN RNNBase RNNCell RNNCellBase",
    ".nn.modules.sparse":
        "Embedding EmbeddingBag",
    ".nn.modules.transformer":
        "Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer "
        "_get_activation_fn",
    ".nn.modules.upsampling":
        "Upsample UpsamplingBilinear2d UpsamplingNearest2d",
    ".nn.modules.utils":
        "_ntuple _pair _quadruple _reverse_repeat_tuple _single _triple",
    ".nn.parallel.data_parallel":
        "DataParallel data_parallel",
    ".nn.parallel.distributed":
        "DistributedDataParallel DistributedDataParallel.no_sync",
    ".nn.parallel.parallel_apply":
        "parallel_apply",
    ".nn.parallel.replicate":
        "replicate",
    ".nn.parallel.scatter_gather":
        "gather scatter scatter_kwargs",
    ".nn.parameter":
        "Buffer Parameter UninitializedBuffer UninitializedParameter UninitializedTensorMixin _BufferMeta _ParameterMeta "
        "is_lazy",
    ".nn.utils":
        "clip_grads_with_norm_ get_total_norm",
    ".nn.utils._named_member_accessor":
        "swap_tensor",
    ".nn.utils.clip_grad":
        "clip_grad_norm clip_grad_norm_ clip_grad_value_",
    ".nn.utils.convert_parameters":
        "parameters_to_vector vector_to_parameters",
    ".nn.utils.fusion":
        "fuse_conv_bn_eval fuse_conv_bn_weights fuse_linear_bn_eval fuse_linear_bn_weights",
    ".nn.utils.init":
        "skip_init",
    ".nn.utils.memory_format":
        "convert_conv2d_weight_memory_format convert_conv3d_weight_memory_format",
    ".nn.utils.parametrizations":
        "_Orthogonal _Orthogonal.right_inverse _SpectralNorm _WeightNorm _is_orthogonal orthogonal spectral_norm "
        "weight_norm",
    ".nn.utils.parametrize":
        "ParametrizationList cached is_parametrized register_parametrization remove_parametrizations "
        "transfer_parametrizations_and_params type_before_parametrizations",
    ".nn.utils.prune":
        "BasePruningMethod CustomFromMask Identity L1Unstructured LnStructured PruningContainer RandomStructured "
        "RandomStructured.__init__ RandomUnstructured custom_from_mask global_unstructured identity is_pruned "
        "l1_unstructured ln_structured random_structured random_unstructured remove",
    ".nn.utils.rnn":
        "PackedSequence PackedSequence_ invert_permutation pack_padded_sequence pack_sequence pad_packed_sequence "
        "pad_sequence unpack_sequence unpad_sequence",
    ".nn.utils.spectral_norm":
        "SpectralNorm remove_spectral_norm spectral_norm",
    ".nn.utils.stateless":
        "_reparametrize_module functional_call",
    ".nn.utils.weight_norm":
        "WeightNorm remove_weight_norm weight_norm",
    ".onnx":
        "ONNXProgram OnnxExporterError OperatorExportTypes TensorProtoDataType TrainingMode export is_in_onnx_export "
        "register_custom_op_symbolic unregister_custom_op_symbolic",
    ".onnx.operators":
        "reshape_from_tensor_shape",
    ".onnx.symbolic_helper":
        "parse_args quantized_args",
    ".optim":
        "Adafactor Muon swap_in_optimizer_params_and_state",
    ".optim.adadelta":
        "Adadelta",
    ".optim.adagrad":
        "Adagrad",
    ".optim.adam":
        "Adam",
    ".optim.adamax":
        "Adamax",
    ".optim.adamw":
        "AdamW",
    ".optim.asgd":
        "ASGD",
    ".optim.lbfgs":
        "LBFGS LBFGS.step",
    ".optim.lr_scheduler":
        "ChainedScheduler ConstantLR CosineAnnealingLR CosineAnnealingWarmRestarts CyclicLR ExponentialLR LRScheduler "
        "LambdaLR LinearLR MultiStepLR MultiplicativeLR OneCycleLR PolynomialLR ReduceLROnPlateau SequentialLR StepLR "
        "_LRScheduler",
    ".optim.nadam":
        "NAdam",
    ".optim.optimizer":
        "Optimizer _default_to_fused_or_foreach _get_capturable_supported_devices _use_grad_for_differentiable "
        "register_optimizer_step_post_hook register_optimizer_step_pre_hook",
    ".optim.radam":
        "RAdam",
    ".optim.rmsprop":
        "RMSprop",
    ".optim.rprop":
        "Rprop",
    ".optim.sgd":
        "SGD",
    ".optim.sparse_adam":
        "SparseAdam",
    ".optim.swa_utils":
        "AveragedModel SWALR get_ema_avg_fn get_ema_multi_avg_fn get_swa_avg_fn get_swa_multi_avg_fn update_bn",
    ".overrides":
        "BaseTorchFunctionMode TorchFunctionMode _get_current_function_mode _get_current_function_mode_stack "
        "_pop_mode_temporarily enable_reentrant_dispatch get_overridable_functions handle_torch_function is_tensor_like "
        "is_tensor_method_or_property redispatch_function resolve_name wrap_torch_function",
    ".profiler.profiler":
        "ProfilerAction _KinetoProfile _default_schedule_fn profile schedule supported_activities "
        "tensorboard_trace_handler",
    ".quasirandom":
        "SobolEngine",
    ".random":
        "fork_rng get_rng_state initial_seed manual_seed seed set_rng_state thread_safe_generator",
    ".return_types":
        "aminmax aminmax_out cummax cummax_out cummin cummin_out frexp frexp_out geqrf geqrf_out histogram histogram_out "
        "histogramdd kthvalue kthvalue_out linalg_cholesky_ex linalg_cholesky_ex_out linalg_eig linalg_eig_out "
        "linalg_eigh linalg_eigh_out linalg_inv_ex linalg_inv_ex_out linalg_ldl_factor linalg_ldl_factor_ex "
        "linalg_ldl_factor_ex_out linalg_ldl_factor_out linalg_lstsq linalg_lstsq_out linalg_lu linalg_lu_factor "
        "linalg_lu_factor_ex linalg_lu_factor_ex_out linalg_lu_factor_out linalg_lu_out linalg_qr linalg_qr_out "
        "linalg_slogdet linalg_slogdet_out linalg_solve_ex linalg_solve_ex_out linalg_svd linalg_svd_out lu_unpack "
        "lu_unpack_out max max_out median median_out min min_out mode mode_out nanmedian nanmedian_out "
        "pytree_register_structseq qr qr_out slogdet slogdet_out sort sort_out svd svd_out topk topk_out triangular_solve "
        "triangular_solve_out",
    ".serialization":
        "LoadEndianness SourceChangeWarning StorageType _load add_safe_globals check_module_version_greater_or_equal "
        "clear_safe_globals default_restore_location get_crc32_options get_default_load_endianness "
        "get_default_mmap_options get_safe_globals get_unsafe_globals_in_checkpoint load location_tag register_package "
        "safe_globals save set_crc32_options set_default_load_endianness set_default_mmap_options skip_data "
        "validate_cuda_device",
    ".signal.windows":
        "bartlett blackman cosine exponential gaussian general_cosine general_hamming hamming hann kaiser nuttall",
    ".sparse":
        "BFloat16Tensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor LongTensor ShortTensor addmm "
        "as_sparse_gradcheck check_sparse_tensor_invariants log_softmax mm sampled_addmm softmax spdiags spsolve sum",
    ".sparse.semi_structured":
        "SparseSemiStructuredTensor SparseSemiStructuredTensorCUSPARSELT SparseSemiStructuredTensorCUTLASS "
        "_SEMI_STRUCTURED_SPARSE_CONFIG to_sparse_semi_structured",
    ".storage":
        "TypedStorage TypedStorage.__len__ TypedStorage._new_wrapped_storage UntypedStorage _LegacyStorage _StorageBase "
        "_StorageBase._to _StorageBase.to",
    ".testing._comparison":
        "assert_allclose assert_close",
    ".testing._creation":
        "make_tensor",
    ".torch_version":
        "TorchVersion",
    ".utils":
        "set_module swap_tensors",
    ".utils._contextlib":
        "_DecoratorContextManager _DecoratorContextManager.__call__ _DecoratorContextManager.clone",
    ".utils._foreach_utils":
        "_device_has_foreach_support _get_foreach_kernels_supported_devices _get_fused_kernels_supported_devices "
        "_group_tensors_by_device_and_dtype _has_foreach_support",
    ".utils._import_utils":
        "_check_module_exists",
    ".utils._python_dispatch":
        "BaseTorchDispatchMode TorchDispatchMode _disable_current_modes _get_current_dispatch_mode "
        "_get_current_dispatch_mode_stack _pop_mode _pop_mode_temporarily _push_mode any_torch_dispatch_mode_on_stack "
        "is_in_torch_dispatch_mode is_traceable_wrapper_subclass is_traceable_wrapper_subclass_type "
        "return_and_correct_aliasing transform_subclass",
    ".utils._pytree":
        "ConstantNode ConstantNode.__delattr__ ConstantNode.__eq__ ConstantNode.__hash__ ConstantNode.__init__ "
        "ConstantNode.__repr__ ConstantNode.__setattr__ GetAttrKey GetAttrKey.__repr__ LeafSpec MappingKey "
        "MappingKey.__repr__ NodeDef SequenceKey SequenceKey.__repr__ TreeSpec TreeSpec.__delattr__ TreeSpec.__eq__ "
        "TreeSpec.__init__ TreeSpec.__setattr__ _broadcast_to_and_flatten _deregister_pytree_node _dict_flatten "
        "_dict_flatten_with_keys _dict_unflatten _get_node_type _list_flatten _list_flatten_with_keys _list_unflatten "
        "_register_namedtuple arg_tree_leaves is_constant_class is_namedtuple_class is_namedtuple_instance is_structseq "
        "is_structseq_class is_structseq_instance key_get keystr map_only register_constant register_dataclass "
        "register_pytree_node tree_all tree_all_only tree_any tree_any_only tree_flatten tree_flatten_with_path "
        "tree_is_leaf tree_iter tree_leaves tree_leaves_with_path tree_map tree_map_ tree_map_only tree_map_only_ "
        "tree_map_with_path tree_structure tree_unflatten treespec_dumps treespec_pprint",
    ".utils.benchmark":
        "CallgrindStats CopyIfCallgrind FunctionCount FunctionCounts",
    ".utils.benchmark.utils.common":
        "Measurement Measurement.__eq__ Measurement.__init__ TaskSpec TaskSpec.__delattr__ TaskSpec.__eq__ "
        "TaskSpec.__hash__ TaskSpec.__init__ TaskSpec.__setattr__ ordered_unique select_unit set_torch_threads "
        "trim_sigfig unit_to_english",
    ".utils.benchmark.utils.compare":
        "Colorize Compare _Column",
    ".utils.benchmark.utils.fuzzer":
        "FuzzedParameter FuzzedTensor Fuzzer ParameterAlias",
    ".utils.benchmark.utils.sparse_fuzzer":
        "FuzzedSparseTensor",
    ".utils.benchmark.utils.timer":
        "Language Timer timer",
    ".utils.checkpoint":
        "CheckpointError CheckpointFunction CheckpointPolicy DefaultDeviceType GraphExecGroup SelectiveCheckpointContext "
        "check_backward_validity checkpoint checkpoint_sequential create_selective_checkpoint_contexts detach_variable "
        "get_device_states noop_context_fn set_checkpoint_debug_enabled set_checkpoint_early_stop set_device_states",
    ".utils.collect_env":
        "SystemEnv get_env_info get_pretty_env_info main pretty_str",
    ".utils.cpp_extension":
        "BuildExtension BuildExtension.with_options CUDAExtension CppExtension SyclExtension include_paths "
        "is_ninja_available library_paths load load_inline verify_ninja_availability",
    ".utils.data._utils":
        "_set_python_exit_flag",
    ".utils.data._utils.collate":
        "collate collate_float_fn collate_int_fn collate_numpy_array_fn collate_numpy_scalar_fn collate_str_fn "
        "collate_tensor_fn default_collate default_convert",
    ".utils.data._utils.pin_memory":
        "pin_memory",
    ".utils.data._utils.signal_handling":
        "_error_if_any_worker_fails _remove_worker_pids _set_SIGCHLD_handler _set_worker_pids _set_worker_signal_handlers",
    ".utils.data._utils.worker":
        "ManagerWatchdog WorkerInfo WorkerInfo.__delattr__ WorkerInfo.__eq__ WorkerInfo.__hash__ WorkerInfo.__init__ "
        "WorkerInfo.__repr__ WorkerInfo.__setattr__ _IterableDatasetStopIteration "
        "_IterableDatasetStopIteration.__delattr__ _IterableDatasetStopIteration.__eq__ "
        "_IterableDatasetStopIteration.__hash__ _IterableDatasetStopIteration.__init__ "
        "_IterableDatasetStopIteration.__repr__ _IterableDatasetStopIteration.__setattr__ _ResumeIteration "
        "_ResumeIteration.__delattr__ _ResumeIteration.__eq__ _ResumeIteration.__hash__ _ResumeIteration.__init__ "
        "_ResumeIteration.__repr__ _ResumeIteration.__setattr__ _generate_state get_worker_info",
    ".utils.data.dataloader":
        "DataLoader _BaseDataLoaderIter _DatasetKind _InfiniteConstantSampler _MultiProcessingDataLoaderIter "
        "_SingleProcessDataLoaderIter _sharding_worker_init_fn",
    ".utils.data.datapipes._decorator":
        "argument_validation functional_datapipe guaranteed_datapipes_determinism non_deterministic runtime_validation "
        "runtime_validation_disabled",
    ".utils.data.datapipes._hook_iterator":
        "_SnapshotState _check_iterator_valid _generate_input_args_string _generate_iterdatapipe_msg "
        "_set_datapipe_valid_iterator_id hook_iterator",
    ".utils.data.datapipes._typing":
        "Boolean GenericMeta Integer _DataPipeMeta _DataPipeType _IterDataPipeMeta issubinstance issubtype",
    ".utils.data.datapipes.dataframe.dataframe_wrapper":
        "PandasWrapper concat create_dataframe get_columns get_df_wrapper get_item get_len is_column is_dataframe iterate "
        "set_df_wrapper",
    ".utils.data.datapipes.dataframe.dataframes":
        "Capture CaptureA CaptureAdd CaptureCall CaptureControl CaptureDataFrame CaptureDataFrameWithDataPipeOps CaptureF "
        "CaptureGetAttr CaptureGetItem CaptureInitial CaptureLikeMock CaptureMul CaptureSetItem CaptureSub "
        "CaptureVariable CaptureVariableAssign DataFrameTracedOps DataFrameTracedOps.__iter__ DataFrameTracer "
        "disable_capture get_val",
    ".utils.data.datapipes.dataframe.datapipes":
        "ConcatDataFramesPipe ConcatDataFramesPipe.__iter__ DataFramesAsTuplesPipe DataFramesAsTuplesPipe.__iter__ "
        "ExampleAggregateAsDataFrames ExampleAggregateAsDataFrames.__iter__ FilterDataFramesPipe "
        "FilterDataFramesPipe.__iter__ PerRowDataFramesPipe PerRowDataFramesPipe.__iter__ ShuffleDataFramesPipe "
        "ShuffleDataFramesPipe.__iter__",
    ".utils.data.datapipes.dataframe.structures":
        "DataChunkDF",
    ".utils.data.datapipes.datapipe":
        "DFIterDataPipe DataChunk IterDataPipe IterDataPipe.__iter__ IterDataPipe.reset MapDataPipe "
        "_DataPipeSerializationWrapper _IterDataPipeSerializationWrapper _IterDataPipeSerializationWrapper.__iter__ "
        "_IterDataPipeSerializationWrapper.__next__ _MapDataPipeSerializationWrapper",
    ".utils.data.datapipes.iter.callable":
        "CollatorIterDataPipe MapperIterDataPipe MapperIterDataPipe.__iter__ _collate_helper",
    ".utils.data.datapipes.iter.combinatorics":
        "SamplerIterDataPipe SamplerIterDataPipe.__iter__ ShufflerIterDataPipe ShufflerIterDataPipe.__iter__ "
        "ShufflerIterDataPipe.reset",
    ".utils.data.datapipes.iter.combining":
        "ConcaterIterDataPipe ConcaterIterDataPipe.__iter__ DemultiplexerIterDataPipe ForkerIterDataPipe "
        "MultiplexerIterDataPipe MultiplexerIterDataPipe.__iter__ MultiplexerIterDataPipe.reset ZipperIterDataPipe "
        "ZipperIterDataPipe.__iter__ _ChildDataPipe _ChildDataPipe.__iter__ _ContainerTemplate _DemultiplexerIterDataPipe "
        "_DemultiplexerIterDataPipe.reset _ForkerIterDataPipe _ForkerIterDataPipe.reset _no_op",
    ".utils.data.datapipes.iter.filelister":
        "FileListerIterDataPipe FileListerIterDataPipe.__iter__",
    ".utils.data.datapipes.iter.fileopener":
        "FileOpenerIterDataPipe FileOpenerIterDataPipe.__iter__",
    ".utils.data.datapipes.iter.grouping":
        "BatcherIterDataPipe BatcherIterDataPipe.__iter__ GrouperIterDataPipe GrouperIterDataPipe.__iter__ "
        "GrouperIterDataPipe.reset UnBatcherIterDataPipe UnBatcherIterDataPipe.__iter__",
    ".utils.data.datapipes.iter.routeddecoder":
        "RoutedDecoderIterDataPipe RoutedDecoderIterDataPipe.__iter__",
    ".utils.data.datapipes.iter.selecting":
        "FilterIterDataPipe FilterIterDataPipe.__iter__",
    ".utils.data.datapipes.iter.sharding":
        "SHARDING_PRIORITIES ShardingFilterIterDataPipe ShardingFilterIterDataPipe.__iter__ _ShardingIterDataPipe",
    ".utils.data.datapipes.iter.streamreader":
        "StreamReaderIterDataPipe StreamReaderIterDataPipe.__iter__",
    ".utils.data.datapipes.iter.utils":
        "IterableWrapperIterDataPipe IterableWrapperIterDataPipe.__iter__",
    ".utils.data.datapipes.map.callable":
        "MapperMapDataPipe default_fn",
    ".utils.data.datapipes.map.combinatorics":
        "ShufflerIterDataPipe ShufflerIterDataPipe.__iter__ ShufflerIterDataPipe.reset",
    ".utils.data.datapipes.map.combining":
        "ConcaterMapDataPipe ZipperMapDataPipe",
    ".utils.data.datapipes.map.grouping":
        "BatcherMapDataPipe",
    ".utils.data.datapipes.map.utils":
        "SequenceWrapperMapDataPipe",
    ".utils.data.datapipes.utils.common":
        "StreamWrapper _check_unpickable_fn _deprecation_warning _is_local_fn get_file_binaries_from_pathnames "
        "get_file_pathnames_from_root match_masks validate_input_col validate_pathname_binary_tuple",
    ".utils.data.datapipes.utils.decoder":
        "Decoder ImageHandler MatHandler audiohandler basichandlers extension_extract_fn handle_extension imagehandler "
        "mathandler videohandler",
    ".utils.data.datapipes.utils.snapshot":
        "_simple_graph_snapshot_restoration",
    ".utils.data.dataset":
        "ChainDataset ConcatDataset Dataset IterableDataset StackDataset Subset TensorDataset random_split",
    ".utils.data.distributed":
        "DistributedSampler",
    ".utils.data.graph":
        "_list_connected_datapipes _stub_unpickler _traverse_helper traverse traverse_dps",
    ".utils.data.graph_settings":
        "apply_random_seed apply_sharding apply_shuffle_seed apply_shuffle_settings get_all_graph_pipes",
    ".utils.data.sampler":
        "BatchSampler RandomSampler Sampler SequentialSampler SubsetRandomSampler WeightedRandomSampler",
    ".utils.dlpack":
        "DLDeviceType from_dlpack",
    ".utils.flop_counter":
        "FlopCounterMode addmm_flop baddbmm_flop bmm_flop conv_flop conv_flop_count convert_num_with_suffix "
        "convert_to_percent_str get_suffix_str mm_flop register_flop_formula sdpa_flop sdpa_flop_count",
    ".utils.hooks":
        "BackwardHook RemovableHandle unserializable_hook warn_if_has_hooks",
    ".utils.weak":
        "TensorWeakRef WeakIdKeyDictionary WeakIdRef",
    ".xpu":
        "Event MemPool Stream StreamContext XPUGraph can_device_access_peer current_device current_stream device "
        "device_count device_of empty_cache get_arch_list get_device_name get_device_properties get_gencode_flags "
        "get_per_process_memory_fraction get_rng_state get_rng_state_all get_stream_from_external init initial_seed "
        "is_available is_bf16_supported is_current_stream_capturing is_initialized is_tf32_supported manual_seed "
        "manual_seed_all max_memory_allocated max_memory_reserved mem_get_info memory_allocated memory_reserved "
        "memory_snapshot memory_stats memory_stats_as_nested_dict reset_peak_memory_stats seed seed_all set_device "
        "set_per_process_memory_fraction set_rng_state set_rng_state_all set_stream synchronize",
}
