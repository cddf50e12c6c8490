"""torchlike: PyTorch's eager API on JAX. Written by ``python -m compat.stubs`` from the operator table: do not edit."""


import builtins
from typing import Any

from torchlike._api import *
from torchlike._C import DisableTorchFunction as DisableTorchFunction
from torchlike._C import DisableTorchFunctionSubclass as DisableTorchFunctionSubclass
from torchlike._api.streams import Event as Event
from torchlike._random.generator import Generator as Generator
from torchlike.amp.grad_scaler import GradScaler as GradScaler
OutOfMemoryError: Any
from torchlike._base.size import Size as Size
from torchlike._api.streams import Stream as Stream
from torchlike._record.tensor import Tensor as Tensor
from torchlike._api.storages import TypedStorage as TypedStorage
UnsupportedError: Any
from torchlike._api.storages import UntypedStorage as UntypedStorage
from torchlike import accelerator as accelerator
from torchlike import amp as amp
from torchlike._base.settings import are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled
from torchlike.amp.autocast_mode import autocast as autocast
from torchlike.amp._settings import autocast_decrement_nesting as autocast_decrement_nesting
from torchlike.amp._settings import autocast_increment_nesting as autocast_increment_nesting
from torchlike import autograd as autograd
from torchlike import backends as backends
bfloat16: dtype
bool: dtype
cdouble: dtype
cfloat: dtype
channels_last: memory_format
channels_last_3d: memory_format
from torchlike.amp._settings import clear_autocast_cache as clear_autocast_cache
from torchlike._dynamo.eval_frame import compile as compile
from torchlike import compiler as compiler
complex128: dtype
complex64: dtype
from torchlike._base.config import configure as configure
contiguous_format: memory_format
from torchlike.nn._functional_conv import conv_tbc as conv_tbc
from torchlike.nn._torch_namespace import cosine_embedding_loss as cosine_embedding_loss
from torchlike.counters import counters as counters
from torchlike import cpu as cpu
from torchlike import cuda as cuda
default_generator: Any
from torchlike._base.device import device as device
from torchlike import distributed as distributed
from torchlike import distributions as distributions
double: dtype
from torchlike._base.dtypes import dtype as dtype
e: builtins.float
from torchlike.nn._torch_namespace import embedding_renorm_ as embedding_renorm_
from torchlike.autograd.grad_mode import enable_grad as enable_grad
from torchlike._explain.report import explain as explain
from torchlike import fft as fft
from torchlike._api.type_info import finfo as finfo
float: dtype
float16: dtype
float32: dtype
float64: dtype
from torchlike.nn._torch_namespace import frobenius_norm as frobenius_norm
from torchlike.utils.dlpack import from_dlpack as from_dlpack
from torchlike.func._interop import from_jax as from_jax
from torchlike.interop.tensors import from_torch as from_torch
from torchlike import func as func
from torchlike.amp._settings import get_autocast_cpu_dtype as get_autocast_cpu_dtype
from torchlike.amp._settings import get_autocast_dtype as get_autocast_dtype
from torchlike.amp._settings import get_autocast_gpu_dtype as get_autocast_gpu_dtype
from torchlike._base.device import get_default_device as get_default_device
from torchlike._api.type_info import get_default_dtype as get_default_dtype
from torchlike._base.settings import get_deterministic_debug_mode as get_deterministic_debug_mode
from torchlike.backends._tf32 import get_float32_matmul_precision as get_float32_matmul_precision
from torchlike._base.settings import get_num_interop_threads as get_num_interop_threads
from torchlike._base.settings import get_num_threads as get_num_threads
from torchlike.random import get_rng_state as get_rng_state
from torchlike import graph as graph
from torchlike.nn._torch_namespace import gru as gru
from torchlike.nn._torch_namespace import gru_cell as gru_cell
half: dtype
has_lapack: builtins.bool
has_mkl: builtins.bool
has_openmp: builtins.bool
has_spectral: builtins.bool
from torchlike.nn._torch_namespace import hinge_embedding_loss as hinge_embedding_loss
from torchlike._api.type_info import iinfo as iinfo
inf: builtins.float
from torchlike.autograd.grad_mode import inference_mode as inference_mode
from torchlike._base.settings import init_num_threads as init_num_threads
from torchlike.random import initial_seed as initial_seed
from torchlike.install import install as install
int: dtype
int16: dtype
int32: dtype
int64: dtype
int8: dtype
from torchlike.amp._settings import is_autocast_cache_enabled as is_autocast_cache_enabled
from torchlike.amp._settings import is_autocast_cpu_enabled as is_autocast_cpu_enabled
from torchlike.amp._settings import is_autocast_enabled as is_autocast_enabled
from torchlike._base.settings import is_deterministic_algorithms_warn_only_enabled as is_deterministic_algorithms_warn_only_enabled
from torchlike.autograd.grad_mode import is_grad_enabled as is_grad_enabled
from torchlike.autograd.grad_mode import is_inference_mode_enabled as is_inference_mode_enabled
from torchlike._base.errors import is_warn_always_enabled as is_warn_always_enabled
jagged: layout
from torchlike import jit as jit
from torchlike.nn._torch_namespace import kl_div as kl_div
from torchlike._base.settings import layout as layout
from torchlike import linalg as linalg
from torchlike.serialization import load as load
long: dtype
from torchlike.nn._torch_namespace import lstm as lstm
from torchlike.nn._torch_namespace import lstm_cell as lstm_cell
from torchlike.random import manual_seed as manual_seed
from torchlike.nn._torch_namespace import margin_ranking_loss as margin_ranking_loss
from torchlike import masked as masked
from torchlike._base.settings import memory_format as memory_format
nan: builtins.float
from torchlike.nn._functional_layers import native_channel_shuffle as native_channel_shuffle
from torchlike.nn._torch_namespace import native_dropout as native_dropout
newaxis: Any
from torchlike import nn as nn
from torchlike.autograd.grad_mode import no_grad as no_grad
from torchlike.nn._torch_namespace import norm_except_dim as norm_except_dim
from torchlike.nn._torch_namespace import nuclear_norm as nuclear_norm
from torchlike import ops as ops
from torchlike import optim as optim
from torchlike import overrides as overrides
pi: builtins.float
from torchlike.nn._torch_namespace import poisson_nll_loss as poisson_nll_loss
preserve_format: memory_format
from torchlike import profiler as profiler
from torchlike import random as random
from torchlike.nn._torch_namespace import rnn_relu as rnn_relu
from torchlike.nn._torch_namespace import rnn_relu_cell as rnn_relu_cell
from torchlike.nn._torch_namespace import rnn_tanh as rnn_tanh
from torchlike.nn._torch_namespace import rnn_tanh_cell as rnn_tanh_cell
from torchlike.serialization import save as save
from torchlike.random import seed as seed
from torchlike import serialization as serialization
from torchlike.amp._settings import set_autocast_cache_enabled as set_autocast_cache_enabled
from torchlike.amp._settings import set_autocast_cpu_dtype as set_autocast_cpu_dtype
from torchlike.amp._settings import set_autocast_cpu_enabled as set_autocast_cpu_enabled
from torchlike.amp._settings import set_autocast_dtype as set_autocast_dtype
from torchlike.amp._settings import set_autocast_enabled as set_autocast_enabled
from torchlike.amp._settings import set_autocast_gpu_dtype as set_autocast_gpu_dtype
from torchlike._base.device import set_default_device as set_default_device
from torchlike._api.type_info import set_default_dtype as set_default_dtype
from torchlike._base.settings import set_deterministic_debug_mode as set_deterministic_debug_mode
from torchlike.backends._tf32 import set_float32_matmul_precision as set_float32_matmul_precision
from torchlike._base.settings import set_flush_denormal as set_flush_denormal
from torchlike.autograd.grad_mode import set_grad_enabled as set_grad_enabled
from torchlike._base.settings import set_num_interop_threads as set_num_interop_threads
from torchlike._base.settings import set_num_threads as set_num_threads
from torchlike._api.printing import set_printoptions as set_printoptions
from torchlike.random import set_rng_state as set_rng_state
from torchlike._base.errors import set_warn_always as set_warn_always
short: dtype
from torchlike import signal as signal
sparse_bsc: layout
sparse_bsr: layout
sparse_coo: layout
sparse_csc: layout
sparse_csr: layout
from torchlike import special as special
from torchlike import storage as storage
strided: layout
from torchlike import testing as testing
from torchlike.utils.dlpack import to_dlpack as to_dlpack
from torchlike.func._interop import to_jax as to_jax
from torchlike.interop.tensors import to_torch as to_torch
from torchlike.nn._torch_namespace import triplet_margin_loss as triplet_margin_loss
from torchlike.nn._typename import typename as typename
uint16: dtype
uint32: dtype
uint64: dtype
uint8: dtype
from torchlike.install import uninstall as uninstall
from torchlike._base.settings import use_deterministic_algorithms as use_deterministic_algorithms
from torchlike import utils as utils
from torchlike import version as version
from torchlike.func._vmap import vmap as vmap
__version__: builtins.str
