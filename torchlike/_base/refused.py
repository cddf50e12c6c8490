"""Public names of PyTorch that torchlike has not: {space: {reason: names}}. They refuse when they are called; those of a
Tensor when they are asked for. A question mark behind a name makes a function that answers False.

A submodule stands for all that is in it. `python -m compat.surface` says what is missing here, and what is there by now."""

REFUSED: dict[str, dict[str, str]] = {
    "torch": {
        "a nested tensor here is no view of a buffer: see torch.nested": "_nested_view_from_buffer",
        "quantized tensors are not built; XLA has no kernels for them":
            "_convert_weight_to_int4pack _convert_weight_to_int4pack_for_cpu _weight_int4pack_mm "
            "_weight_int4pack_mm_for_cpu _weight_int8pack_mm "
            "quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic",
    },
    "torch.cuda": {
        "there are no captured graphs": "export_dot export_graph_data graph_annotations",
        "XLA chooses the kernels": "tunable",
        "files are read into the CPU's memory first": "gds",
    },
    "torch.cuda.graphs": {
        "there are no captured graphs":
            "export_dot export_graph_data register_graph_capture_end_hook register_graph_capture_start_hook "
            "register_graph_destroy_hook register_graph_instantiate_hook register_graph_replay_end_hook "
            "register_graph_replay_start_hook",
    },
    "torch.distributed.checkpoint": {
        "tensors whose parts lie on ranks are DTensors": "CheckpointableTensor",
    },
    "torch.utils.dlpack": {
        "JAX writes to no memory, so nothing needs protection from it": "ReadOnlyTensorWrapper",
    },
    "torch.Tensor": {
        "JAX has no such dtype": "chalf",
        "memory is not shared between processes": "share_memory_",
        "quantized tensors are not built; XLA has no kernels for them":
            "int_repr q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qscheme",
        "XLA has no tensors in oneDNN's own layout": "to_mkldnn",
    },
    "torch.nn": {
        "PyTorch's sums keep channel 0, and its gradient is of other channels: use LocalResponseNorm": "CrossMapLRN2d",
    },
    "torch.autograd": {
        "its calls fail in PyTorch, too: use Function": "NestedIOFunction",
    },
    "torch.utils": {
        "there are no backends in C++": "generate_methods_for_privateuse1_backend rename_privateuse1_backend",
        "it runs modules in threads of C++": "ThroughputBenchmark",
        "there is no C++ of torchlike's own": "get_cpp_backtrace",
    },
    "torch.compiler": {
        "Python runs in each call: there are no guards and graphs": "config",
        "a file of it has what PyTorch's compiler made": "load_compiled_function",
        "XLA compiles a program when its values are needed": "precompile",
    },
    "torch.jit": {
        "there is no TorchScript, and so no graph of it": "_get_trace_graph",
    },
    "torch.sparse": {
        "PyTorch lists it, and has it not": "solve",
    },
    "torch.profiler": {
        "its records are of PyTorch's own dispatcher": "ExecutionTraceObserver itt",
    },
}
