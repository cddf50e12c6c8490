"""The one place where torchlike uses what JAX does not document.

Each name says why it is needed, and which documented name does the same in newer versions of JAX. A test,
`tests/compile/test_jax_private.py`, forbids such names elsewhere. It also holds all names and keywords of JAX that torchlike
uses against each supported version, by a table that ``python -m compat.jax_names --write`` makes from JAX's releases.
"""

import contextlib
import functools
import operator
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np
from jax._src import compiler, config, core
from jax._src.interpreters import partial_eval
from jax._src.lib import _jax, xla_client
from jax.extend.core import ClosedJaxpr
from jax.interpreters import ad, batching, mlir
from jax.interpreters.partial_eval import dce_jaxpr as dce_jaxpr  # removes dead equations; no documented name does
from jaxlib.lapack import prepare_lapack_call

# Settings

# Settings by which users debug their own JAX code, and the values that torchlike's work needs. Documented names set all of
# them but the check of leaks, and none reads one in 50 ns.
_jit_is_off, _leaks = config.disable_jit, config.check_tracer_leaks
_dtypes, _ranks = config.numpy_dtype_promotion, config.numpy_rank_promotion
_to_device, _between = config.transfer_guard_host_to_device, config.transfer_guard_device_to_device
_to_host = config.transfer_guard_device_to_host
_OWN = ((_jit_is_off, False), (_leaks, False), (_dtypes, "standard"), (_ranks, "allow"),
        (_to_device, "allow"), (_between, "allow"), (_to_host, "allow"))


def own_work() -> contextlib.AbstractContextManager:
    """A block in which JAX works for torchlike: with 64 bits, jitted, leaks unchecked, numpy's promotion, and all transfers,
    whatever users have set to debug their own JAX code. It stands around tracing, compiling and running, not around each
    operation: it takes 1.3 us, 0.5 more than `jax.enable_x64`.
    """
    if (_jit_is_off.value or _leaks.value or _to_device.value or _between.value or _to_host.value
            or _dtypes.value != "standard" or _ranks.value != "allow"):
        return _unwatched()
    return jax.enable_x64(True)


class _Users(threading.local):
    """The values that the settings of `_OWN`, without those of transfers, have outside of `own_work`; None outside."""

    given: tuple | None = None


_users = _Users()


@contextlib.contextmanager
def _unwatched() -> Iterator[None]:
    before, _users.given = _users.given, _users.given or tuple(setting.value for setting, _ in _OWN[:4])
    try:
        with contextlib.ExitStack() as stack:
            for setting, value in _OWN:
                stack.enter_context(setting(value))
            stack.enter_context(jax.enable_x64(True))
            yield
    finally:
        _users.given = before


@contextlib.contextmanager
def users_work() -> Iterator[None]:
    """A block inside of `own_work` in which a user's JAX code runs under the user's settings. Transfers stay allowed, since
    the code gets torchlike's arrays.
    """
    with contextlib.ExitStack() as stack:
        for value, (setting, _) in zip(_users.given or (), _OWN, strict=False):
            stack.enter_context(setting(value))
        yield


# Traces and tracers

# Makes a trace the current one inside a block. `jax.core` has it until 0.9, `jax.extend.core` since 0.10.
set_current_trace: Callable = core.set_current_trace
# The value of an array or tracer if it is known, else None: branches on values under a `Recorder`. No documented name does.
to_concrete_value: Callable = core.to_concrete_value
# The trace that evaluates at once, which numpy's stands in for (`_compile/eager.py`). No documented name.
EvalTrace: Any = core.EvalTrace
Trace: Any = core.Trace  # `jax.core.Trace` is documented; its methods say "must override", so subclasses' types differ
# The transform that a tracer belongs to: which of nested transforms it is. No documented name.
trace_of: Callable[[Any], Any] = operator.attrgetter("_trace")
HOST_COPY = "_npy_value"  # an array's attribute: numpy's copy of it, which is a view, or None. No documented name.


_Tracer: Any = jax.core.Tracer  # documented; as Any, for subclasses have `aval` as a property


class OwnTracer(_Tracer):
    """A tracer of torchlike's: JAX's attributes are set without its constructor, whose arguments differ from 0.9 on.

    Args:
        trace: its Trace, or None.
    """

    __slots__ = ()

    def __init__(self, trace):
        self._trace = trace  # pyrefly: ignore[missing-attribute]
        self._line_info = None  # pyrefly: ignore[missing-attribute]


def current_trace() -> Any:
    """The trace that JAX's primitives go to now. `jax.extend.core.take_current_trace` since 0.10."""
    return core.trace_ctx.trace


def compiles_as(trace, other) -> None:
    """Have JAX take what it compiles of jitted functions under `trace` for that under `other`.

    JAX tells traces apart by a weak reference in each: a trace with one of its own leaves entries in JAX's caches for ever.
    """
    trace._weakref = getattr(other, "_weakref", None)


def outer(trace) -> Any:
    """The trace around a transform's, None for the outermost."""
    return getattr(trace, "parent_trace", None)


def kind_of(trace) -> str:
    """The name of a trace's class: "EvalTrace", "BatchTrace", "JVPTrace", "LinearizeTrace" or another."""
    return type(trace).__name__


def is_batched(tracer) -> bool:
    """Whether this is a tracer of `jax.vmap`, which has ``val`` and ``batch_dim``."""
    return hasattr(tracer, "batch_dim")


def is_dual(tracer) -> bool:
    """Whether this is a tracer of `jax.jvp`, which has ``primal`` and ``tangent``."""
    return type(tracer).__name__ == "JVPTracer"


def like(tracer, *values) -> Any:
    """A tracer of the same transform with other values: (value, dimension) under vmap, (primal, tangent) under jvp."""
    kind: Any = type(tracer)
    return kind(trace_of(tracer), *values)


_traced: Any = getattr(partial_eval, "trace_to_jaxpr", None)  # since jax 0.10


def forget_traced() -> None:
    """Give up the jaxprs that JAX keeps, without a bound, of its own functions that rows call, such as `jnp.where`: one for
    each shape. Compiled programs stay. `jax.clear_caches` would drop those, too."""
    if hasattr(_traced, "cache_clear"):
        _traced.cache_clear()


# Jaxprs and primitives

JIT = ("jit", "pjit")  # the primitive of jitted functions in newer and older JAX


def open_jaxpr(closed) -> Any:
    """The equations of a ClosedJaxpr without the values of its constants, which come before its other inputs: to be kept.

    Since jax 0.11 a ClosedJaxpr and its ``jaxpr`` are one object, which holds the values.
    """
    jaxpr = closed.jaxpr
    return jaxpr.with_consts(()) if hasattr(jaxpr, "with_consts") else jaxpr


def closed_jaxpr(inner) -> Any:
    """A jaxpr among an equation's parameters as a ClosedJaxpr: until jax 0.10 some are, and some are open."""
    return inner if isinstance(inner, ClosedJaxpr) else ClosedJaxpr(inner, ())


_lowered: Any = getattr(partial_eval, "lower_jaxpr2", None)  # since jax 0.10


def low(closed) -> Any:
    """A ClosedJaxpr with each high-level primitive written as the primitives that it consists of: `jnp.frexp`,
    `jnp.searchsorted` and others are such since jax 0.11."""
    return _lowered(closed) if getattr(closed.jaxpr, "is_high", False) else closed


def traced(function: Callable, *arguments) -> Any:
    """The jaxpr of a function as `jax.make_jaxpr` gives it, of low-level primitives."""
    return low(jax.make_jaxpr(function)(*arguments))


def scan_counts(params) -> tuple[int, int]:
    """(how many constants a scan has, how many values it carries), by the parameters of its equation."""
    if "num_consts" in params:  # until jax 0.10
        return params["num_consts"], params["num_carry"]
    constants, carried, _ = params["ft_in"].unpack()
    return len(constants), len(carried)


def results_of(primitive, operands, params: dict) -> list:
    """The results of an equation with these operands and parameters. `jax.core.eval_jaxpr` takes whole jaxprs only."""
    bound = primitive.get_bind_params(params)
    functions, params = bound if isinstance(bound, tuple) else ((), bound)  # before jax 0.10 and since
    found = primitive.bind(*functions, *operands, **params)
    return list(found) if primitive.multiple_results else [found]


def function_of(jaxpr) -> str:
    """The name of the Python function that a jaxpr was traced from, "" where JAX does not say."""
    told = getattr(getattr(jaxpr, "debug_info", None), "func_src_info", None) or ""
    return told.split(" ")[0]


def file_of(jaxpr) -> str | None:
    """The file of the Python function that a jaxpr was traced from, None where JAX does not say."""
    return getattr(getattr(jaxpr, "debug_info", None), "func_filename", None)


# What rules get, of tangents that are symbolic zeros and of operands whose cotangents are asked for. No documented names.
instantiate_zeros: Callable = ad.instantiate_zeros
is_undefined_primal: Callable = ad.is_undefined_primal
bdim_at_front: Callable = batching.bdim_at_front


def register(primitive, run: Callable, jvp: Callable, transpose: Callable, batch: Callable) -> None:
    """Give a primitive its rules: evaluation (also lowering), tangents, transposition and batching.

    `jax.custom_jvp` and `jax.custom_derivatives.linear_call` are documented; neither has a transposition that differs from
    the tangent and holds under every transform.
    """
    primitive.def_impl(run)
    primitive.def_abstract_eval(lambda *_, jaxpr, **__: jaxpr.out_avals)
    ad.primitive_jvps[primitive] = jvp
    ad.primitive_transposes[primitive] = transpose
    batching.fancy_primitive_batchers[primitive] = batch
    mlir.register_lowering(primitive, mlir.lower_fun(run, multiple_results=True))


# Clients and executables


def cpu_client(devices: int, agent=None, collectives=None, rank: int = 0, size: int = 1) -> Any:
    """A client of XLA's for the CPU beside JAX's own. `jax.distributed` makes the process's one client know others.

    Args:
        devices: how many devices this process has.
        agent, collectives: what `agent` and `gloo` give, where several processes have devices.
        rank, size: this process's number among them, and how many they are.
    """
    return xla_client.make_cpu_client(asynchronous=True, distributed_client=agent, node_id=rank, num_nodes=size,
                                      num_devices=devices, collectives=collectives)


def coordinator(address: str, size: int) -> Any:
    """JAX's coordinator of `size` processes, at an address. `jax.distributed` starts one for the whole process alone."""
    return _jax.get_distributed_runtime_service(address, size)


def agent(address: str, rank: int, timeout: int) -> Any:
    """A process's end of the coordinator's connection; `timeout` in seconds."""
    return _jax.get_distributed_runtime_client(address, rank, init_timeout=timeout, shutdown_on_destruction=False)


def gloo(agent, host: str) -> Any:
    """Collectives by gloo between the CPU clients of processes that have met at a coordinator."""
    return _jax.make_gloo_tcp_collectives(distributed_client=agent, hostname=host)


def compiled_for(text: str, devices) -> Any:
    """An executable of a program in StableHLO, partitioned over devices. `jax.jit` compiles no texts."""
    n = len(devices)
    options = compiler.get_compile_options(num_replicas=1, num_partitions=n, device_assignment=np.arange(n).reshape(1, n))
    options.executable_build_options.use_spmd_partitioning = True
    options.executable_build_options.use_shardy_partitioner = True
    return devices[0].client.compile_and_load(text.encode(), _jax.DeviceList(tuple(devices)), options)


def load_lapack() -> None:
    """Make jaxlib's LAPACK kernels known to XLA: an executable that calls one, and is read from disk, crashes without."""
    prepare_lapack_call("getrf_ffi", np.dtype(np.float32))


# Forks

_LOCKS = type(threading.Lock()), type(threading.RLock())


@functools.lru_cache(maxsize=1)
def locks() -> tuple:
    """The locks that JAX's modules, and the cached properties of its classes in Python 3.11, have."""
    found = []
    for name, module in [*sys.modules.items()]:
        if name.partition(".")[0] in ("jax", "jaxlib"):
            for value in [*vars(module).values()]:
                found += [getattr(x, "lock", None) for x in vars(value).values()
                          if isinstance(x, functools.cached_property)] if isinstance(value, type) else [value]
    return tuple(lock for lock in found if isinstance(lock, _LOCKS))
