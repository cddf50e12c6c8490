"""What packages use of `torch._C`, PyTorch's C++ under the names that Python has for it.

Switches of `__torch_function__`, questions about what is running (a backward call, a transform), and names: of dispatch
keys, of which there are none, and of TorchScript's graphs. Settings of TorchScript can be made, without effect.

`_nn.py` and `_functorch.py` are PyTorch's modules of these names, `_fft.py`, `_linalg.py` and `_special.py` have functions
of those spaces by the full names under which PyTorch's are pickled. `_names.py` has what is only named. Programs use this
package, nothing inside torchlike does but the torch namespace.
"""

from torchlike._api.linalg import LinAlgError as _LinAlgError  # noqa: F401 - a name that packages catch
from torchlike._base import absent as _absent
from torchlike._base import device as _device
from torchlike._base.block import Block as _Base
from torchlike._base.errors import UnsupportedError
from torchlike._C import _cpu as _cpu
from torchlike._C import _fft as _fft
from torchlike._C import _functorch as _functorch
from torchlike._C import _linalg as _linalg
from torchlike._C import _nn as _nn
from torchlike._C import _special as _special
from torchlike._C._names import Block as Block
from torchlike._C._names import DispatchKey as DispatchKey
from torchlike._C._names import DispatchKeySet as DispatchKeySet
from torchlike._C._names import Graph as Graph
from torchlike._C._names import Node as Node
from torchlike._C._names import PyTorchFileReader as PyTorchFileReader
from torchlike._C._names import PyTorchFileWriter as PyTorchFileWriter
from torchlike._C._names import Tag as Tag
from torchlike._C._names import TensorType as TensorType
from torchlike._C._names import Value as Value
from torchlike._C._names import _IncludeDispatchKeyGuard as _IncludeDispatchKeyGuard
from torchlike._compile.backends.registry import accelerators as _accelerators
from torchlike._library.below import _AutoDispatchBelowAutograd as _AutoDispatchBelowAutograd
from torchlike._library.below import _is_below_autograd as _is_below_autograd
from torchlike._modes import autocast as _autocast
from torchlike._random.generator import Generator as Generator
from torchlike._record.cell import storage_of as _storage_of
from torchlike._record.tensor import Tensor as _Tensor
from torchlike._record.torch_function import Switch
from torchlike._record.torch_function import disabled_torch_function_impl as _disabled_torch_function_impl
from torchlike._record.torch_function import has_torch_function as _has_torch_function  # noqa: F401
from torchlike._record.torch_function import has_torch_function_unary as _has_torch_function_unary  # noqa: F401
from torchlike._record.torch_function import has_torch_function_variadic as _has_torch_function_variadic  # noqa: F401
from torchlike._record.torch_function import local as _local
from torchlike._record.trace import state as _state
from torchlike.autograd.graph_task import running as _running

__all__ = ["DisableTorchFunction", "DisableTorchFunctionSubclass", "_disabled_torch_function_impl", "_log_api_usage_once"]


class DisableTorchFunctionSubclass(Switch):
    """``with``: no class takes calls over, in this thread; modes do."""

    def __init__(self):
        super().__init__("classes_off")


class DisableTorchFunction(Switch):
    """``with``: neither classes nor modes take calls over, in this thread."""

    def __init__(self):
        super().__init__("all_off")


class _ExcludeDispatchKeyGuard(_Base):
    """``with``: autocast is off for the devices of some keys, in this thread; keys of other kinds are refused."""

    def __init__(self, keys: DispatchKeySet):
        self.kinds = {key.name.removeprefix("Autocast").lower() for key in keys if key.name.startswith("Autocast")}
        if len(self.kinds) < len(keys):
            raise UnsupportedError("torch._C._ExcludeDispatchKeyGuard of other keys than those of autocast is not supported")
        self.before = _autocast.settings.enabled

    def _begin(self) -> None:
        self.before = _autocast.settings.enabled
        _autocast.enable(self.before - self.kinds)

    def _end(self) -> None:
        _autocast.enable(self.before)


def _is_torch_function_enabled() -> bool:
    """Whether classes may take calls over, in this thread."""
    return not (_local.classes_off or _local.all_off)


def _is_torch_function_mode_enabled() -> bool:
    """Whether a mode takes calls over, in this thread."""
    return bool(_local.modes) and not _local.all_off


def _log_api_usage_once(event) -> None:
    """Nothing is logged, as in PyTorch without PYTORCH_API_USAGE_STDERR."""


def _are_functorch_transforms_active() -> bool:
    """Whether a transform of `torch.func` runs, in this thread."""
    return bool(_state.thread.frames)


def _current_graph_task_id() -> int:
    """The number of the backward call that runs in this thread; -1 outside of one."""
    return -1 if _running.task is None else _running.task.number


def _get_accelerator(check=None) -> _device.device:
    """The GPU; the CPU where there is none."""
    return _device.device("cuda" if _accelerators() else "cpu")


def _get_default_device() -> str:
    """The name of the device on which new tensors are made."""
    return str(_device.get_default_device())


def _get_privateuse1_backend_name() -> str:
    """What a device of a kind of its own would be called."""
    return "privateuseone"


def _is_alias_of(x, y) -> bool:
    """Whether two tensors share memory."""
    return _storage_of(x._cell) is _storage_of(y._cell)


def _nothing() -> None:
    """What settings return that have no effect."""


_TensorMeta = type(_Tensor)
_get_tracing_state = _absent.answering("_get_tracing_state", __name__, _nothing)
_is_tracing = _absent.answering("_is_tracing", __name__, bool)
_has_kleidiai = _has_mps = _has_xpu = False
_cuda_isInBadFork = _absent.answering("_cuda_isInBadFork", __name__, bool)

# Settings of TorchScript and of PyTorch's kernels.
_jit_can_fuse_on_cpu = _absent.answering("_jit_can_fuse_on_cpu", __name__, bool)
_jit_can_fuse_on_gpu = _absent.answering("_jit_can_fuse_on_gpu", __name__, bool)
_jit_override_can_fuse_on_cpu = _absent.answering("_jit_override_can_fuse_on_cpu", __name__, _nothing)
_jit_override_can_fuse_on_gpu = _absent.answering("_jit_override_can_fuse_on_gpu", __name__, _nothing)
_jit_set_nvfuser_enabled = _absent.answering("_jit_set_nvfuser_enabled", __name__, bool)
_jit_set_nvfuser_guard_mode = _absent.answering("_jit_set_nvfuser_guard_mode", __name__, bool)
_jit_set_profiling_executor = _absent.answering("_jit_set_profiling_executor", __name__, bool)
_jit_set_profiling_mode = _absent.answering("_jit_set_profiling_mode", __name__, bool)
_jit_set_texpr_fuser_enabled = _absent.answering("_jit_set_texpr_fuser_enabled", __name__, _nothing)
_set_math_sdp_allow_fp16_bf16_reduction = _absent.answering("_set_math_sdp_allow_fp16_bf16_reduction", __name__, _nothing)
_cuda_clearCublasWorkspaces = _absent.answering("_cuda_clearCublasWorkspaces", __name__, _nothing)
