"""Which names of PyTorch count: the spaces, and the one rule of what is public there."""

import importlib
import inspect
import re
import types
import typing
import warnings

import torch

SPACES = (
    "torch", "Tensor", "nn", "nn.functional", "nn.init", "nn.utils", "nn.utils.rnn", "nn.utils.parametrize",
    "nn.utils.parametrizations", "nn.utils.prune", "linalg", "fft", "special", "signal.windows", "autograd",
    "autograd.functional", "autograd.graph", "autograd.forward_ad", "autograd.profiler", "func", "optim",
    "optim.lr_scheduler", "optim.swa_utils", "distributions", "utils.data", "utils.checkpoint", "amp", "cpu",
    "cpu.amp", "cuda", "cuda.amp", "accelerator", "compiler", "profiler", "random", "masked", "sparse", "testing",
    "backends.cpu", "backends.cuda", "backends.mkl", "backends.mps", "backends.openmp", "overrides",
)
# Areas that torchlike leaves out as a whole: quantized and nested tensors, named dimensions, torch.distributed,
# ONNX, first-class dimensions, dtypes and kernels of single libraries and of other machines.
_AREAS = re.compile(
    r"quant(?!ile)|^q(u?int\d|scheme|_)|^u?int[1-7]$|^bit|^float[48]|int_repr|_qparams|"
    r"_sparse_|^ccol_indices_copy$|^(crow|col|row)_indices_copy$|^(smm|hsmm)$|"
    r"nested|^(align_(as|to|tensors)|has_names|names|refine_names|rename_?)$|"
    r"distributed|DataParallel|data_parallel|nccl|onnx|mkldnn|mkl_|fbgemm|miopen|cudnn_|cusolver|nvrtc|[xiv]pu$|vulkan|"
    r"^is_(xla|mtia|maia|ort|hpu|lazy|metal|mps)$|_(xla|ipu)_|^sym_|^Sym(Int|Float|Bool)$|"
    r"^mtia$|^to_padded_tensor$|^(indices|values)_copy$|^backward_hooks$|^NestedIOFunction$")
# TorchScript, the dispatcher and the compiler, which put the names of their C++ classes into the torch namespace.
_MACHINERY = re.compile(
    r"Script|^(jit|script|fork|wait|cond|export|while_loop|cpp|AVG|SUM|AggregationType|\w+Type|\w*Guard|"
    r"(import_ir|parse|merge_type|unify_type)_\w+|Graph\w*|Block|Node|Gradient|Future|Use|Value|Argument|Code|CallStack|"
    r"BufferDict|ModuleDict|ParameterDict|CompilationUnit|ConcreteModule\w+|JITException|DeepCopyMemoTable|"
    r"\w+StorageContext|DispatchKey\w*|ExecutionPlan|ExtraFilesMap|FunctionSchema|IODescriptor|\w+Logger|LoggerBase|"
    r"AliasDb|(Complete)?ArgumentSpec|Benchmark(Config|ExecutionStats)|Capsule|ErrorReport|FatalError|FileCheck|"
    r"TracingState|Type|OperatorInfo|PyTorchFile\w+|StaticModule|ThroughputBenchmark|Tag|slice_inverse|batch_norm_\w+|"
    r"(grid_sampler|affine_grid_generator)\w*|unsafe_split_with_sizes|[TV]ypedStorage|vitals_enabled|read_vitals|set_vital)$")


def owner(space):
    """What PyTorch has under this name: a module, or Tensor."""
    if space == "Tensor":
        return torch.Tensor
    return torch if space == "torch" else importlib.import_module(f"torch.{space}")


def names(space) -> list:
    """The public names of a space, sorted."""
    found = owner(space)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sorted(name for name in {*getattr(found, "__all__", ()), *dir(found)} if _counts(space, found, name))


def _counts(space, where, name) -> bool:
    """In ``__all__``, or made below the space and documented; of Tensor, every public attribute."""
    if name.startswith("_") or _AREAS.search(name) or (space == "torch" and _MACHINERY.search(name)):
        return False
    if space == "Tensor":
        return True
    found = getattr(where, name, None)
    if isinstance(found, types.ModuleType | typing.TypeVar):
        return False
    if name in getattr(where, "__all__", ()):
        return True
    text = getattr(found, "__doc__", None)
    home = getattr(found, "__module__", None) or ""
    made_here = home.startswith(where.__name__) or (inspect.isbuiltin(found) and home.partition(".")[0] in ("", "torch"))
    return made_here and isinstance(text, str) and bool(text.strip())
