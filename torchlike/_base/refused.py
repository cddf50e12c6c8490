"""Public names of PyTorch that torchlike has not: {space: {reason: names}}. They refuse when they are called; those of a
Tensor when they are asked for. A question mark behind a name makes a function that answers False.

A submodule stands for all that is in it. `python -m compat.surface` says what is missing here, and what is there by now."""

REFUSED: dict[str, dict[str, str]] = {
    "torch": {
        "a nested tensor here is no view of a buffer: see torch.nested": "_nested_view_from_buffer",
        "quantized tensors are not built; XLA has no kernels for them":
            "quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic",
    },
    "torch.Tensor": {
        "JAX has no such dtype": "chalf",
        "memory is not shared between processes": "share_memory_",
    },
    "torch.compiler": {
        "Python runs in each call: there are no guards and graphs": "config",
        "a file of it has what PyTorch's compiler made": "load_compiled_function",
    },
    "torch.masked": {
        "masked tensors are a prototype in PyTorch; torch.masked has the reductions":
            "MaskedTensor as_masked_tensor is_masked_tensor? masked_tensor",
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
    "torch.utils.data": {
        "data pipes are no longer developed in PyTorch; use data sets":
            "DFIterDataPipe DataChunk IterDataPipe MapDataPipe argument_validation functional_datapipe "
            "guaranteed_datapipes_determinism non_deterministic runtime_validation runtime_validation_disabled",
    },
}
