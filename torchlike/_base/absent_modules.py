"""Modules of PyTorch's that are names only: what is in them refuses when it is called (`absent.py`).

Packages import such names for annotations, for ``isinstance`` and for branches that are not taken.
"""

import functools
import sys

from torchlike._base import absent

# Reason -> module -> the names in it; see `absent.Module`.
MODULES: dict[str, dict[str, str]] = {
    "of torch.distributed there are process groups and DistributedDataParallel, not this; see jax.sharding": {
        "torch.distributed._shard": "",
        "torch.distributed._shard.sharded_tensor": "ShardedTensor ShardedTensorBase",
        "torch.distributed.checkpoint._consolidate_hf_safetensors":
            "consolidate_safetensors_files consolidate_safetensors_files_on_every_rank",
        "torch.distributed.checkpoint.format_utils":
            "BroadcastingTorchSaveReader DynamicMetaLoadPlanner _EmptyStateDictLoadPlanner _load_state_dict "
            "dcp_to_torch_save torch_save_to_dcp",
        "torch.distributed.checkpoint.hf_storage": "HuggingFaceStorageReader HuggingFaceStorageWriter",
        "torch.distributed.checkpoint.optimizer": "load_sharded_optimizer_state_dict",
        "torch.distributed.fsdp._common_utils": "_FSDPState _module_handle",
        "torch.distributed.fsdp.sharded_grad_scaler": "ShardedGradScaler",
        "torch.distributed.rpc":
            "AllGatherStates RRef TensorPipeRpcBackendOptions get_worker_info init_rpc is_available? method_factory "
            "new_method remote rpc_async rpc_sync shutdown",
        # Not torch.distributed.rpc.api: torch-geometric asks by it whether there is RPC, and decorates with what is in it.
        "torch.distributed.tensor.experimental._attention": "context_parallel set_rotate_method",
        "torch.distributed.utils": "_sync_module_states",
        "torch.nn.parallel.comm": "broadcast broadcast_coalesced gather reduce_add reduce_add_coalesced scatter",
        "torch.numa": "",
        "torch.numa.binding": "NumaOptions",
    },
    "quantized tensors are not built; XLA has no kernels for them": {
        "torch.ao": "",
        "torch.ao.nn": "",
        "torch.ao.nn.quantized":
            "BatchNorm2d BatchNorm3d Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d DeQuantize "
            "Dropout ELU Embedding EmbeddingBag FXFloatFunctional FloatFunctional GroupNorm Hardswish InstanceNorm1d "
            "InstanceNorm2d InstanceNorm3d LSTM LayerNorm LeakyReLU Linear MultiheadAttention PReLU QFunctional "
            "Quantize ReLU6 Sigmoid Softmax",
        "torch.ao.quantization":
            "AffineQuantizedObserverBase DeQuantStub FakeQuantize FakeQuantizeBase FixedQParamsFakeQuantize "
            "FixedQParamsObserver FusedMovingAvgObsFakeQuantize Granularity HistogramObserver MinMaxObserver "
            "MovingAverageMinMaxObserver MovingAveragePerChannelMinMaxObserver NoopObserver ObserverBase "
            "ObserverOrFakeQuantize PerAxis PerBlock PerChannelMinMaxObserver PerGroup PerRow PerTensor PerToken "
            "PlaceholderObserver QConfig QConfigAny QConfigDynamic QConfigMapping QuantStub QuantWrapper "
            "RecordingObserver ReuseInputObserver UniformQuantizationObserverBase add_quant_dequant convert "
            "convert_dynamic_jit convert_jit default_affine_fixed_qparams_fake_quant "
            "default_affine_fixed_qparams_observer default_debug_observer default_dynamic_fake_quant "
            "default_dynamic_quant_observer default_embedding_fake_quant default_embedding_fake_quant_4bit "
            "default_eval_fn default_fake_quant default_fixed_qparams_range_0to1_fake_quant "
            "default_fixed_qparams_range_0to1_observer default_fixed_qparams_range_neg1to1_fake_quant "
            "default_fixed_qparams_range_neg1to1_observer default_float_qparams_observer "
            "default_float_qparams_observer_4bit default_fused_act_fake_quant default_fused_per_channel_wt_fake_quant "
            "default_fused_wt_fake_quant default_histogram_fake_quant default_histogram_observer default_observer "
            "default_per_channel_weight_fake_quant default_per_channel_weight_observer default_placeholder_observer "
            "default_reuse_input_observer default_symmetric_fixed_qparams_fake_quant "
            "default_symmetric_fixed_qparams_observer default_weight_fake_quant default_weight_observer "
            "disable_fake_quant disable_observer enable_fake_quant enable_observer fuse_conv_bn fuse_conv_bn_jit "
            "fuse_conv_bn_relu fuse_convtranspose_bn fuse_linear_bn fuse_modules fuse_modules_qat "
            "fused_per_channel_wt_fake_quant_range_neg_127_to_127 fused_wt_fake_quant_range_neg_127_to_127 "
            "get_block_size get_default_compare_output_module_list get_default_custom_config_dict "
            "get_default_dynamic_quant_module_mappings get_default_dynamic_sparse_quant_module_mappings "
            "get_default_float_to_quantized_operator_mappings get_default_qat_module_mappings get_default_qat_qconfig "
            "get_default_qat_qconfig_dict get_default_qat_qconfig_mapping get_default_qconfig get_default_qconfig_dict "
            "get_default_qconfig_mapping get_default_qconfig_propagation_list get_default_static_quant_module_mappings "
            "get_default_static_quant_reference_module_mappings get_default_static_sparse_quant_module_mappings "
            "get_dynamic_quant_module_class get_embedding_qat_module_mappings "
            "get_embedding_static_quant_module_mappings get_fuser_method get_fuser_method_new get_observer_state_dict "
            "get_quantized_operator get_static_quant_module_class load_observer_state_dict no_observer_set "
            "per_channel_weight_observer_range_neg_127_to_127 prepare prepare_dynamic_jit prepare_jit prepare_qat "
            "propagate_qconfig_ qconfig_equals quantize quantize_dynamic quantize_dynamic_jit quantize_jit quantize_qat "
            "script_qconfig script_qconfig_dict swap_module weight_observer_range_neg_127_to_127",
        "torch.ao.quantization.fx": "",
        "torch.ao.quantization.fx._decomposed":
            "_per_token_quant_qparam_dim_check quantize_per_channel_group quantized_decomposed_lib",
    },
    "there are no graphs of ATen operators; torchlike.func.to_jax gives a function of JAX, which jax.export can export": {
        "torch.export":
            "AdditionalInputs CustomDecompTable Dim Dim.AUTO Dim.DYNAMIC Dim.STATIC ExportBackwardSignature "
            "ExportGraphSignature ExportedProgram "
            "ExportedProgram.run_decompositions FlatArgsAdapter ModuleCallEntry ModuleCallSignature ShapesCollection "
            "UnflattenedModule default_decompositions dims draft_export export load register_dataclass save unflatten",
    },
    "torch.nn.utils.prune prunes parameters": {
        "torch.ao.pruning":
            "BaseScheduler BaseSparsifier CubicSL FakeSparsity LambdaSL NearlyDiagonalSparsifier WeightNormSparsifier "
            "fqn_to_module get_arg_info_from_tensor_fqn get_dynamic_sparse_quantized_mapping "
            "get_static_sparse_quantized_mapping module_to_fqn",
    },
    "torchlike writes no ONNX files": {
        "torch.onnx.symbolic_opset9": "masked_fill softmax",
        "torch.onnx.symbolic_opset12": "dropout",
        "torch.onnx.symbolic_opset11":
            "arange argsort cat clamp cumsum flatten gather index_put pad select size sort squeeze stack topk unsqueeze",
        "torch.onnx.utils": "export model_signature unconvertible_ops",
    },
    "a batch of torch.func.vmap is a tracer of JAX's, no wrapped tensor": {
        "torch._functorch.vmap":
            "Tensor _add_batch_dim _broadcast_to_and_flatten _create_batched_inputs _flat_vmap _get_name "
            "_maybe_remove_batch_dim _process_batched_inputs _remove_batch_dim _unwrap_batched "
            "_validate_and_get_batch_size tree_flatten tree_unflatten",
    },
    "there are no NVTX and ITT ranges; jax.profiler works with Nsight": {
        "torch.cuda.profiler": "profile start stop",
    },
    "code is not packed with tensors; torch.save writes a state_dict": {
        "torch.package":
            "Directory EmptyMatchError GlobGroup Importer ObjMismatchError ObjNotFoundError OrderedImporter "
            "PackageExporter PackageImporter PackagingError is_from_package sys_importer",
    },
    "XLA compiles what is recorded: there is no Inductor": {
        "torch._inductor": "compile cudagraph_mark_step_begin list_mode_options list_options",
        "torch._inductor.codecache": "extract_tensor_metadata_for_cache_key",
        "torch._inductor.config": "",
        "torch._inductor.cpu_vec_isa": "pick_vec_isa",
        "torch._inductor.decomposition": "register_decomposition@",
        "torch._inductor.runtime": "",
        "torch._inductor.runtime.cache_dir_utils": "cache_dir",
    },
    "there is no Triton": {
        "torch._higher_order_ops.inline_asm_elementwise": "inline_asm_elementwise",
        "torch.sparse._triton_ops_meta":
            "create_blocked_tensor dump get_meta minimize optimize_bsr_dense_addmm optimize_scatter_mm "
            "tune__int_bsr_dense_addmm tune_bsr_dense_addmm update",
    },
    "torch.library has what replaces it": {
        "torch._custom_ops": "custom_op get_ctx impl impl_abstract impl_backward impl_save_for_backward",
    },
    "the connections of processes are of C++ that is not here": {
        "torch._C._distributed_c10d": "Reducer",
        "torch._C._distributed_rpc": "PyRRef _is_current_rpc_agent_set?",
    },
    "it takes operators as they are dispatched; here they are recorded for JAX": {
        "torch._subclasses":
            "CrossRefFakeMode DynamicOutputShapeException FakeTensor FakeTensorMode UnsupportedFakeTensorException",
        "torch._subclasses.fake_tensor": "FakeTensor FakeTensorConverter FakeTensorMode _is_tensor_constructor is_fake?",
        "torch._subclasses.functional_tensor": "FunctionalTensor FunctionalTensorMode mb_unwrap_functional_tensor",
        "torch._subclasses.meta_utils": "MetaConverter",
    },
}
# Module -> enumeration -> its members.
ENUMS: dict[str, dict[str, str]] = {
    "torch.distributed.rpc": {
        "BackendType": "TENSORPIPE",
    },
    "torch.numa.binding": {
        "AffinityMode": "NODE SOCKET EXCLUSIVE CORE_COMPLEX",
    },
    "torch.ao.quantization": {
        "QuantType": "DYNAMIC STATIC QAT WEIGHT_ONLY",
        "MappingType": "SYMMETRIC SYMMETRIC_NO_CLIPPING_ERR ASYMMETRIC",
        "TorchAODType": "INT1 INT2 INT3 INT4 INT5 INT6 INT7",
        "ZeroPointDomain": "INT FLOAT NONE",
    },
}
# Module -> settings, with PyTorch's defaults: those that programs and packages change.
SETTINGS: dict[str, dict] = {
    "torch._inductor.config": {
        "allow_buffer_reuse": True, "combo_kernels": False, "compile_threads": 1, "conv_1x1_as_mm": False,
        "coordinate_descent_check_all_directions": False, "coordinate_descent_tuning": False, "cpp_wrapper": False,
        "debug": False, "emulate_precision_casts": False, "epilogue_fusion": True, "fallback_random": False,
        "force_disable_caches": False, "force_fuse_int_mm_with_mul": False, "freezing": False, "fx_graph_cache": True,
        "fx_graph_remote_cache": None, "joint_custom_post_pass": None, "joint_custom_pre_pass": None,
        "layout_optimization": True, "max_autotune": False, "max_autotune_conv_backends": "ATEN,TRITON",
        "max_autotune_gemm": False, "max_autotune_gemm_backends": "ATEN,TRITON,CPP",
        "max_autotune_gemm_search_space": "DEFAULT", "max_autotune_pointwise": False, "nan_asserts": False,
        "pattern_matcher": True, "permute_fusion": False, "post_grad_custom_post_pass": None,
        "post_grad_custom_pre_pass": None, "pre_grad_custom_pass": None, "reorder_for_compute_comm_overlap": False,
        "shape_padding": True, "size_asserts": True, "use_mixed_mm": True, "worker_start_method": "subprocess",
        "cpp": {"enable_kernel_profile": False, "simdlen": None, "threads": -1},
        "trace": {"enabled": False, "graph_diagram": False},
        "triton": {
            "cudagraph_skip_dynamic_graphs": False, "cudagraph_support_input_mutation": True, "cudagraph_trees": True,
            "cudagraphs": False, "multi_kernel": 0, "store_cubin": False, "unique_kernel_names": True,
            "use_block_ptr": False},
    },
}
# Other names of these modules.
SAME = {
    "torch.ao.quantization.fake_quantize": "torch.ao.quantization",
    "torch.ao.quantization.observer": "torch.ao.quantization",
    "torch.ao.quantization.qconfig": "torch.ao.quantization",
    "torch.nn.quantized": "torch.ao.nn.quantized",
    "torch.quantization": "torch.ao.quantization",
    "torch.quantization.fake_quantize": "torch.ao.quantization",
    "torch.quantization.observer": "torch.ao.quantization",
    "torch.quantization.qconfig": "torch.ao.quantization",
}
_PLACES = {module: (reason, names) for reason, modules in MODULES.items() for module, names in modules.items()}


def supply() -> None:
    """Puts the modules of the tables below those packages that are imported; a package that is imported later calls it."""
    for name in sorted((*_PLACES, *SAME)):
        full = _own(name)
        parent, _, last = full.rpartition(".")
        if parent in sys.modules and full not in sys.modules:
            sys.modules[full] = _module(SAME.get(name, name))
            setattr(sys.modules[parent], last, sys.modules[full])


@functools.cache
def _module(name: str) -> absent.Module:
    return absent.Module(_own(name), *_PLACES[name], ENUMS.get(name, {}), SETTINGS.get(name, {}))


def _own(name: str) -> str:
    return name.replace("torch", __name__.partition(".")[0], 1)
