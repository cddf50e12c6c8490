"""Public names of PyTorch that torchlike has not: {space: {reason: names}}. They refuse when they are called; those of a
Tensor when they are asked for. A question mark behind a name makes a function that answers False.

A submodule stands for all that is in it. `python -m compat.surface` says what is missing here, and what is there by now."""

REFUSED: dict[str, dict[str, str]] = {
    "torch": {
        "JAX and XLA manage the device, and have no such setting or figure": "AcceleratorError",
        "PyTorch has deprecated it": "native_norm",
        "it serves the workers of torch.utils.data": "thread_safe_generator",
        "there is no C++ of torchlike's own": "compiled_with_cxx11_abi",
        "a nested tensor here is no view of a buffer: see torch.nested": "_nested_view_from_buffer",
        "products of scaled operands are not built yet": "_scaled_mm",
        "quantized tensors are not built; XLA has no kernels for them":
            "_convert_weight_to_int4pack _convert_weight_to_int4pack_for_cpu _weight_int4pack_mm "
            "_weight_int4pack_mm_for_cpu _weight_int8pack_mm "
            "quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic",
        "torch.linalg.eigh computes all eigenvalues": "lobpcg",
    },
    "torch.Tensor": {
        "JAX has no such dtype": "chalf",
        "PyTorch has deprecated it": "reinforce resize resize_as volatile",
        "PyTorch has removed it; torch.linalg has it": "eig lstsq solve symeig",
        "a gradient has the dtype of its tensor": "grad_dtype",
        "an operator of PyTorch's compiler": "slice_inverse",
        "memory is not shared between processes": "share_memory_",
        "there are no first-class dimensions": "index",
    },
    "torch.accelerator": {
        "JAX and XLA manage the device, and have no such setting or figure":
            "empty_host_cache get_device_capability reset_accumulated_memory_stats",
        "JAX orders the work itself: there are no captured graphs": "Graph",
        "PyTorch has deprecated it": "current_device_idx set_device_idx",
    },
    "torch.autograd": {
        "a switch of PyTorch's compiler": "is_view_replay_enabled",
    },
    "torch.autograd.graph": {
        "JAX and XLA manage the device, and have no such setting or figure": "region_activation_memory_budget",
        "JAX orders the work itself: there are no streams, events and captured graphs":
            "set_override_stale_capture_stream set_warn_on_accumulate_grad_stream_mismatch",
    },
    "torch.autograd.profiler": {
        "it serves PyTorch's own profiler": "EnforceUnique KinetoStepTracker MemRecordsAcc",
        "there are no NVTX and ITT ranges; jax.profiler works with Nsight":
            "load_nvprof parse_nvprof_trace",
    },
    "torch.backends.cuda": {
        "JAX and XLA manage the device, and have no such setting or figure":
            "SDPAParams blas_workspace_size can_use_efficient_attention? can_use_flash_attention? cuBLASModule "
            "cuFFTPlanCache cuFFTPlanCacheAttrContextProp cuFFTPlanCacheManager cublas_workspace_size "
            "cublaslt_workspace_size cufft_plan_cache is_ck_sdpa_available? is_flash_attention_available? "
            "preferred_blas_library preferred_linalg_library preferred_rocm_fa_library sdp_kernel",
    },
    "torch.backends.mkl": {
        "torchlike does not use MKL": "verbose",
    },
    "torch.backends.mps": {
        "there are no Metal devices": "get_core_count get_name",
    },
    "torch.compiler": {
        "Python runs in each call: there are no guards, stances and graphs":
            "CacheInfo config keep_portable_guards_unsafe keep_tensor_guards_unsafe load_compiled_function "
            "nested_compile_region set_enable_guard_collectives set_stance skip_all_guards_unsafe "
            "skip_guard_on_all_nn_modules_unsafe skip_guard_on_globals_unsafe "
            "skip_guard_on_inbuilt_nn_modules_unsafe substitute_in_graph wrap_numpy",
        "XLA keeps what it compiles: see JAX's compilation cache": "load_cache_artifacts save_cache_artifacts",
    },
    "torch.cpu": {
        "XLA looks at the processor, torchlike does not": "get_capabilities",
    },
    "torch.cuda": {
        "JAX and XLA manage the device, and have no such setting or figure":
            "CUDAPluggableAllocator CudaError DeferredCudaCallError caching_allocator_alloc "
            "caching_allocator_delete caching_allocator_disabled caching_allocator_enable change_current_allocator "
            "check_error clock_rate cudaStatus cudart current_blas_handle current_solver_handle device_memory_used "
            "get_allocator_backend get_arch_list get_gencode_flags get_per_process_memory_fraction get_sync_debug_mode "
            "host_memory_stats list_gpu_processes max_memory_cached memory_cached memory_snapshot "
            "memory_usage power_draw reset_accumulated_host_memory_stats reset_accumulated_memory_stats "
            "reset_max_memory_cached reset_peak_host_memory_stats "
            "set_per_process_memory_fraction set_sync_debug_mode temperature use_mem_pool utilization",
        "JAX orders the work itself: there are no streams, events and captured graphs":
            "ExternalStream GreenContext get_stream_from_external",
    },
    "torch.func": {
        "it is not built yet": "rearrange",
        "it shows PyTorch's wrappers; there are none": "debug_unwrap",
    },
    "torch.jit": {
        "there is no TorchScript, and so no graph of it": "_get_trace_graph",
    },
    "torch.masked": {
        "masked tensors are a prototype in PyTorch; torch.masked has the reductions":
            "MaskedTensor as_masked_tensor is_masked_tensor? masked_tensor",
    },
    "torch.nn.functional": {
        "products of scaled operands are not built yet": "ScalingType SwizzleType scaled_grouped_mm scaled_mm",
    },
    "torch.sparse": {
        "JAX has no solver of sparse systems; PyTorch's is of cuDSS alone": "solve spsolve",
        "it is of NVIDIA's tensor cores":
            "SparseSemiStructuredTensor SparseSemiStructuredTensorCUSPARSELT SparseSemiStructuredTensorCUTLASS "
            "to_sparse_semi_structured",
    },
    "torch.profiler": {
        "its records are of PyTorch's own dispatcher": "ExecutionTraceObserver itt",
    },
    "torch.random": {
        "it serves the workers of torch.utils.data": "thread_safe_generator",
    },
    "torch.utils.checkpoint": {
        "a policy here is asked about other operators: see compat/gaps.toml": "SAC_IGNORED_OPS",
    },
    "torch.utils.data": {
        "data pipes are no longer developed in PyTorch; use data sets":
            "DFIterDataPipe DataChunk IterDataPipe MapDataPipe argument_validation functional_datapipe "
            "guaranteed_datapipes_determinism non_deterministic runtime_validation runtime_validation_disabled",
    },
}
