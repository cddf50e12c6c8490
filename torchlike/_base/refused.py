"""Public names of PyTorch that torchlike has not: {space: {reason: names}}. They refuse when they are called; those of a
Tensor when they are asked for. A question mark behind a name makes a function that answers False.

A submodule stands for all that is in it. `python -m compat.surface` says what is missing here, and what is there by now."""

REFUSED: dict[str, dict[str, str]] = {
    "torch": {
        "PyTorch has deprecated it": "native_norm",
        "it serves the workers of torch.utils.data": "thread_safe_generator",
        "there is no C++ of torchlike's own": "compiled_with_cxx11_abi",
        "a nested tensor here is no view of a buffer: see torch.nested": "_nested_view_from_buffer",
        "products of scaled operands are not built yet": "_scaled_mm",
        "quantized tensors are not built; XLA has no kernels for them":
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
    "torch.compiler": {
        "Python runs in each call: there are no guards and graphs": "config nested_compile_region",
        "a file of it has what PyTorch's compiler made": "load_compiled_function",
    },
    "torch.cpu": {
        "XLA looks at the processor, torchlike does not": "get_capabilities",
    },
    "torch.func": {
        "it is not built yet": "rearrange",
        "it shows PyTorch's wrappers; there are none": "debug_unwrap",
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
