"""torchlike: PyTorch's eager API on JAX. ``import torchlike as torch``, and a PyTorch program runs unchanged.

This file only collects names: all of the torch namespace, and the packages below it (`nn`, `optim`, `utils`, ...), which
have PyTorch's names and layout. Names with an underscore are torchlike's own machinery; no user needs them. What
PyTorch has and torchlike refuses is listed in `_base/refused.py` and answered with the reason.

Nothing inside torchlike imports this file, except the command line. To see how a call becomes a compiled program, read
docs/design.md, then `_record/bind.py`. The order of imports between folders is in tests/test_layering.py.

(PYTEST_DONT_REWRITE: or pytest, for which torchlike has a plugin, warns where torchlike is imported before it.)
"""

import importlib as _importlib
import math as _math
import sys as _sys
import typing as _typing
from types import ModuleType as _ModuleType

from torchlike import _boot as _boot

# isort: split
from torchlike import _C as _C
from torchlike import __config__ as __config__
from torchlike import __future__ as __future__
from torchlike import _functorch as _functorch
from torchlike import _tensor as _tensor
from torchlike import _tensor_str as _tensor_str
from torchlike import _utils as _utils
from torchlike import accelerator as accelerator
from torchlike import amp as amp
from torchlike import autograd as autograd
from torchlike import backends as backends
from torchlike import classes as classes
from torchlike import compiler as compiler
from torchlike import cpu as cpu
from torchlike import cuda as cuda
from torchlike import distributed as distributed
from torchlike import fft as fft
from torchlike import func as func
from torchlike import functional as functional
from torchlike import futures as futures
from torchlike import hub as hub
from torchlike import jit as jit
from torchlike import library as library
from torchlike import linalg as linalg
from torchlike import masked as masked
from torchlike import monitor as monitor
from torchlike import mps as mps
from torchlike import mtia as mtia
from torchlike import multiprocessing as multiprocessing
from torchlike import nested as nested
from torchlike import nn as nn
from torchlike import onnx as onnx
from torchlike import ops as ops
from torchlike import optim as optim
from torchlike import overrides as overrides
from torchlike import profiler as profiler
from torchlike import random as random
from torchlike import return_types as return_types
from torchlike import serialization as serialization
from torchlike import signal as signal
from torchlike import sparse as sparse
from torchlike import special as special
from torchlike import storage as storage
from torchlike import testing as testing
from torchlike import torch_version as torch_version
from torchlike import types as types
from torchlike import utils as utils
from torchlike import version as version
from torchlike import xpu as xpu
from torchlike._api import *  # noqa: F403 - the operator faces: their names are data
from torchlike._api.checks import _assert as _assert
from torchlike._api.checks import _assert_async as _assert_async
from torchlike._api.checks import _check as _check
from torchlike._api.checks import _check_index as _check_index
from torchlike._api.checks import _check_is_size as _check_is_size
from torchlike._api.checks import _check_not_implemented as _check_not_implemented
from torchlike._api.checks import _check_tensor_all as _check_tensor_all
from torchlike._api.checks import _check_tensor_all_with as _check_tensor_all_with
from torchlike._api.checks import _check_type as _check_type
from torchlike._api.checks import _check_value as _check_value
from torchlike._api.checks import _check_with as _check_with
from torchlike._api.homes import name_all as _name_all
from torchlike._api.homes import name_in as _name_in
from torchlike._api.legacy import CUDA_TYPES as _CUDA_TYPES
from torchlike._api.legacy_storages import CUDA_STORAGES as _CUDA_STORAGES
from torchlike._api.printing import set_printoptions as set_printoptions
from torchlike._api.private import _cast_Byte as _cast_Byte
from torchlike._api.private import _cast_Char as _cast_Char
from torchlike._api.private import _cast_Double as _cast_Double
from torchlike._api.private import _cast_Float as _cast_Float
from torchlike._api.private import _cast_Half as _cast_Half
from torchlike._api.private import _cast_Int as _cast_Int
from torchlike._api.private import _cast_Long as _cast_Long
from torchlike._api.private import _cast_Short as _cast_Short
from torchlike._api.private import _has_compatible_shallow_copy_type as _has_compatible_shallow_copy_type
from torchlike._api.private import _int_mm as _int_mm
from torchlike._api.private import _softmax_backward_data as _softmax_backward_data
from torchlike._api.searching import _convert_indices_from_coo_to_csr as _convert_indices_from_coo_to_csr
from torchlike._api.searching import _convert_indices_from_csr_to_coo as _convert_indices_from_csr_to_coo
from torchlike._api.streams import Event as Event
from torchlike._api.streams import Stream as Stream
from torchlike._api.type_info import finfo as finfo
from torchlike._api.type_info import get_default_dtype as get_default_dtype
from torchlike._api.type_info import iinfo as iinfo
from torchlike._api.type_info import set_default_dtype as set_default_dtype
from torchlike._base.absent_modules import supply as _supply
from torchlike._base.config import configure as configure
from torchlike._base.device import device as DeviceObjType
from torchlike._base.device import device as device
from torchlike._base.device import get_default_device as get_default_device
from torchlike._base.device import set_default_device as set_default_device
from torchlike._base.dtypes import bcomplex32 as bcomplex32
from torchlike._base.dtypes import bfloat16 as bfloat16
from torchlike._base.dtypes import bool_ as bool
from torchlike._base.dtypes import complex32 as chalf
from torchlike._base.dtypes import complex32 as complex32
from torchlike._base.dtypes import complex64 as cfloat
from torchlike._base.dtypes import complex64 as complex64
from torchlike._base.dtypes import complex128 as cdouble
from torchlike._base.dtypes import complex128 as complex128
from torchlike._base.dtypes import dtype as dtype
from torchlike._base.dtypes import float4_e2m1fn_x2 as float4_e2m1fn_x2
from torchlike._base.dtypes import float8_e4m3fn as float8_e4m3fn
from torchlike._base.dtypes import float8_e4m3fnuz as float8_e4m3fnuz
from torchlike._base.dtypes import float8_e5m2 as float8_e5m2
from torchlike._base.dtypes import float8_e5m2fnuz as float8_e5m2fnuz
from torchlike._base.dtypes import float8_e8m0fnu as float8_e8m0fnu
from torchlike._base.dtypes import float16 as float16
from torchlike._base.dtypes import float16 as half
from torchlike._base.dtypes import float32 as float
from torchlike._base.dtypes import float32 as float32
from torchlike._base.dtypes import float64 as double
from torchlike._base.dtypes import float64 as float64
from torchlike._base.dtypes import int1 as int1
from torchlike._base.dtypes import int2 as int2
from torchlike._base.dtypes import int3 as int3
from torchlike._base.dtypes import int4 as int4
from torchlike._base.dtypes import int5 as int5
from torchlike._base.dtypes import int6 as int6
from torchlike._base.dtypes import int7 as int7
from torchlike._base.dtypes import int8 as int8
from torchlike._base.dtypes import int16 as int16
from torchlike._base.dtypes import int16 as short
from torchlike._base.dtypes import int32 as int
from torchlike._base.dtypes import int32 as int32
from torchlike._base.dtypes import int64 as int64
from torchlike._base.dtypes import int64 as long
from torchlike._base.dtypes import qint8 as qint8
from torchlike._base.dtypes import qint32 as qint32
from torchlike._base.dtypes import quint2x4 as quint2x4
from torchlike._base.dtypes import quint4x2 as quint4x2
from torchlike._base.dtypes import quint8 as quint8
from torchlike._base.dtypes import uint1 as uint1
from torchlike._base.dtypes import uint2 as uint2
from torchlike._base.dtypes import uint3 as uint3
from torchlike._base.dtypes import uint4 as uint4
from torchlike._base.dtypes import uint5 as uint5
from torchlike._base.dtypes import uint6 as uint6
from torchlike._base.dtypes import uint7 as uint7
from torchlike._base.dtypes import uint8 as uint8
from torchlike._base.dtypes import uint16 as uint16
from torchlike._base.dtypes import uint32 as uint32
from torchlike._base.dtypes import uint64 as uint64
from torchlike._base.errors import AcceleratorError as AcceleratorError
from torchlike._base.errors import OutOfMemoryError as OutOfMemoryError
from torchlike._base.errors import UnsupportedError as UnsupportedError
from torchlike._base.errors import is_warn_always_enabled as is_warn_always_enabled
from torchlike._base.errors import set_warn_always as set_warn_always
from torchlike._base.refused import REFUSED as _REFUSED
from torchlike._base.settings import are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled
from torchlike._base.settings import channels_last as channels_last
from torchlike._base.settings import channels_last_3d as channels_last_3d
from torchlike._base.settings import compiled_with_cxx11_abi as compiled_with_cxx11_abi
from torchlike._base.settings import contiguous_format as contiguous_format
from torchlike._base.settings import get_deterministic_debug_mode as get_deterministic_debug_mode
from torchlike._base.settings import get_num_interop_threads as get_num_interop_threads
from torchlike._base.settings import get_num_threads as get_num_threads
from torchlike._base.settings import init_num_threads as init_num_threads
from torchlike._base.settings import (
    is_deterministic_algorithms_warn_only_enabled as is_deterministic_algorithms_warn_only_enabled,
)
from torchlike._base.settings import jagged as jagged
from torchlike._base.settings import layout as layout
from torchlike._base.settings import legacy_contiguous_format as legacy_contiguous_format
from torchlike._base.settings import memory_format as memory_format
from torchlike._base.settings import preserve_format as preserve_format
from torchlike._base.settings import set_deterministic_debug_mode as set_deterministic_debug_mode
from torchlike._base.settings import set_flush_denormal as set_flush_denormal
from torchlike._base.settings import set_num_interop_threads as set_num_interop_threads
from torchlike._base.settings import set_num_threads as set_num_threads
from torchlike._base.settings import sparse_bsc as sparse_bsc
from torchlike._base.settings import sparse_bsr as sparse_bsr
from torchlike._base.settings import sparse_coo as sparse_coo
from torchlike._base.settings import sparse_csc as sparse_csc
from torchlike._base.settings import sparse_csr as sparse_csr
from torchlike._base.settings import strided as strided
from torchlike._base.settings import use_deterministic_algorithms as use_deterministic_algorithms
from torchlike._base.size import Size as Size
from torchlike._base.symbolic import *  # noqa: F403 - numbers that nobody knows yet
from torchlike._base.unknown_names import answer as _answer
from torchlike._base.unknown_names import answer_for as _answer_for
from torchlike._C import DisableTorchFunction as DisableTorchFunction
from torchlike._C import DisableTorchFunctionSubclass as DisableTorchFunctionSubclass
from torchlike._C import PyTorchFileReader as PyTorchFileReader
from torchlike._C import PyTorchFileWriter as PyTorchFileWriter
from torchlike._C import Tag as Tag
from torchlike._C import TensorType as TensorType
from torchlike._dynamo.eval_frame import compile as compile
from torchlike._higher_order_ops.control_flow import cond as cond
from torchlike._higher_order_ops.control_flow import while_loop as while_loop
from torchlike._linalg_utils import _symeig as symeig
from torchlike._linalg_utils import eig as eig
from torchlike._linalg_utils import lstsq as lstsq
from torchlike._linalg_utils import matrix_rank as matrix_rank
from torchlike._linalg_utils import solve as solve
from torchlike._lobpcg import lobpcg as lobpcg
from torchlike._modes.subgradients import subgradients as subgradients
from torchlike._random.generator import Generator as Generator
from torchlike._random.generator import default_generator as default_generator
from torchlike._record.tensor import Tensor as Tensor
from torchlike._record.tracebacks import show_own_lines as _show_own_lines
from torchlike._utils import get_device_module as get_device_module
from torchlike.amp._settings import autocast_decrement_nesting as autocast_decrement_nesting
from torchlike.amp._settings import autocast_increment_nesting as autocast_increment_nesting
from torchlike.amp._settings import clear_autocast_cache as clear_autocast_cache
from torchlike.amp._settings import get_autocast_cpu_dtype as get_autocast_cpu_dtype
from torchlike.amp._settings import get_autocast_dtype as get_autocast_dtype
from torchlike.amp._settings import get_autocast_gpu_dtype as get_autocast_gpu_dtype
from torchlike.amp._settings import is_autocast_cache_enabled as is_autocast_cache_enabled
from torchlike.amp._settings import is_autocast_cpu_enabled as is_autocast_cpu_enabled
from torchlike.amp._settings import is_autocast_enabled as is_autocast_enabled
from torchlike.amp._settings import set_autocast_cache_enabled as set_autocast_cache_enabled
from torchlike.amp._settings import set_autocast_cpu_dtype as set_autocast_cpu_dtype
from torchlike.amp._settings import set_autocast_cpu_enabled as set_autocast_cpu_enabled
from torchlike.amp._settings import set_autocast_dtype as set_autocast_dtype
from torchlike.amp._settings import set_autocast_enabled as set_autocast_enabled
from torchlike.amp._settings import set_autocast_gpu_dtype as set_autocast_gpu_dtype
from torchlike.amp.autocast_mode import autocast as autocast
from torchlike.amp.grad_scaler import GradScaler as GradScaler
from torchlike.autograd.grad_mode import enable_grad as enable_grad
from torchlike.autograd.grad_mode import inference_mode as inference_mode
from torchlike.autograd.grad_mode import is_grad_enabled as is_grad_enabled
from torchlike.autograd.grad_mode import is_inference_mode_enabled as is_inference_mode_enabled
from torchlike.autograd.grad_mode import no_grad as no_grad
from torchlike.autograd.grad_mode import set_grad_enabled as set_grad_enabled
from torchlike.backends._tf32 import get_float32_matmul_precision as get_float32_matmul_precision
from torchlike.backends._tf32 import set_float32_matmul_precision as set_float32_matmul_precision
from torchlike.counters import counters as counters
from torchlike.func import vmap as vmap
from torchlike.func._interop import from_jax as from_jax
from torchlike.func._interop import to_jax as to_jax
from torchlike.futures import Future as Future
from torchlike.install import install as install
from torchlike.install import uninstall as uninstall
from torchlike.interop.tensors import from_torch as from_torch
from torchlike.interop.tensors import to_torch as to_torch
from torchlike.jit import ScriptFunction as ScriptFunction
from torchlike.jit import ScriptModule as ScriptModule
from torchlike.nn._torch_namespace import conv_tbc as conv_tbc
from torchlike.nn._torch_namespace import cosine_embedding_loss as cosine_embedding_loss
from torchlike.nn._torch_namespace import embedding_renorm_ as embedding_renorm_
from torchlike.nn._torch_namespace import frobenius_norm as frobenius_norm
from torchlike.nn._torch_namespace import gru as gru
from torchlike.nn._torch_namespace import gru_cell as gru_cell
from torchlike.nn._torch_namespace import hinge_embedding_loss as hinge_embedding_loss
from torchlike.nn._torch_namespace import kl_div as kl_div
from torchlike.nn._torch_namespace import lstm as lstm
from torchlike.nn._torch_namespace import lstm_cell as lstm_cell
from torchlike.nn._torch_namespace import margin_ranking_loss as margin_ranking_loss
from torchlike.nn._torch_namespace import native_channel_shuffle as native_channel_shuffle
from torchlike.nn._torch_namespace import native_dropout as native_dropout
from torchlike.nn._torch_namespace import norm_except_dim as norm_except_dim
from torchlike.nn._torch_namespace import nuclear_norm as nuclear_norm
from torchlike.nn._torch_namespace import poisson_nll_loss as poisson_nll_loss
from torchlike.nn._torch_namespace import rnn_relu as rnn_relu
from torchlike.nn._torch_namespace import rnn_relu_cell as rnn_relu_cell
from torchlike.nn._torch_namespace import rnn_tanh as rnn_tanh
from torchlike.nn._torch_namespace import rnn_tanh_cell as rnn_tanh_cell
from torchlike.nn._torch_namespace import triplet_margin_loss as triplet_margin_loss
from torchlike.nn._typename import typename as typename
from torchlike.onnx.operators import shape_as_tensor as _shape_as_tensor
from torchlike.random import get_rng_state as get_rng_state
from torchlike.random import initial_seed as initial_seed
from torchlike.random import manual_seed as manual_seed
from torchlike.random import seed as seed
from torchlike.random import set_rng_state as set_rng_state
from torchlike.random import thread_safe_generator as thread_safe_generator
from torchlike.serialization import load as load
from torchlike.serialization import save as save
from torchlike.storage import TypedStorage as TypedStorage
from torchlike.storage import UntypedStorage as UntypedStorage
from torchlike.torch_version import __version__ as __version__
from torchlike.utils.dlpack import from_dlpack as from_dlpack
from torchlike.utils.dlpack import to_dlpack as to_dlpack

if _typing.TYPE_CHECKING:  # imported when a program asks for them: `__getattr__`
    from torchlike import distributions as distributions
    from torchlike import fx as fx
    from torchlike import graph as graph
    from torchlike import memory as memory
    from torchlike import quasirandom as quasirandom
    from torchlike._diff.public import diff as diff
    from torchlike._explain.report import explain as explain
    from torchlike._lower.lowered import lower as lower
    from torchlike._lower.lowered import lowering as lowering
    from torchlike._step.steps import step_backward as step_backward

_LATER = {  # name -> module below torchlike that defines it, or the module itself
    "diff": "_diff.public", "distributions": "distributions", "explain": "_explain.report", "fx": "fx", "graph": "graph",
    "lower": "_lower.lowered", "lowering": "_lower.lowered", "memory": "memory", "quasirandom": "quasirandom",
    "step_backward": "_step.steps"}
torch = _sys.modules[__name__]  # PyTorch's package has itself for an attribute, too, and annotations name it so
del diff  # of `_api`; with the functions that compare programs it is `_diff.public`'s


def __getattr__(name: str):
    """Imports a name that few programs use (PEP 562); others are refused, or unknown."""
    if name not in _LATER:
        return _answer("torch", vars(torch), name, depth=2)
    where = _LATER[name]
    found = _importlib.import_module(f"{__name__ if where == name else 'torchlike'}.{where}")  # __name__: see `install`
    if where != name:
        setattr(torch, name, getattr(found, name))
        _name_in("")
    return vars(torch)[name]


def __dir__() -> list[str]:
    """All names, also of modules that are not imported yet."""
    return sorted({*vars(torch), *_LATER})


vars(cuda).update(_CUDA_TYPES | _CUDA_STORAGES)
pi, e, inf, nan = _math.pi, _math.e, _math.inf, _math.nan
newaxis = None
has_lapack, has_spectral, has_mkl, has_openmp = True, True, False, False  # what torchlike computes with

_name_all(__name__)
_supply()
_show_own_lines()
# ``from torch import *`` gives no module, as in PyTorch: `random` stays Python's.
__all__ = [_name for _name in __dir__() if not _name.startswith("_")
           and not isinstance(vars(torch).get(_name), _ModuleType) and _LATER.get(_name) != _name]
for _space in _REFUSED:
    _own = _sys.modules.get(_space.replace("torch", __name__, 1))
    if _own is not None:
        _answer_for(_space, _own)
