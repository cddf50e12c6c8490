"""An operator of DTensors: its operands are moved to where its strategy wants them, each rank computes with its parts, and
what it gets is a part of the result.

What is decided for a call, by the sizes and placements of its tensors and its other arguments, is kept as a `_Plan`.
"""

import collections
import dataclasses
import threading
from collections.abc import Callable, Iterator
from typing import Any

from torchlike._api.creation import empty_strided
from torchlike._api.subclasses import make_wrapper_subclass
from torchlike._base.forkable import forkable
from torchlike._compile import avals, gradients
from torchlike._modes.dispatch_kernels import KernelOverload
from torchlike._modes.torch_dispatch import local as asked
from torchlike._record.bind import bind_kernel
from torchlike._record.tensor import Tensor
from torchlike.distributed.tensor import _choice, _redistribute
from torchlike.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta, contiguous_stride, local_shape, part
from torchlike.distributed.tensor._rules import gradient, options
from torchlike.distributed.tensor._rules.call import Call, R, Sizes
from torchlike.distributed.tensor._rules.table import rule_of
from torchlike.distributed.tensor.placement_types import Replicate, Shard, _StridedShard

_MIXED = ("{} got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to DTensor before calling distributed "
          "operators!")
_PLANS = 4096


@dataclasses.dataclass(frozen=True)
class _Plan:
    """``ins``: how the operands must lie; ``outs``: the specs of the results, None where they are whole and known when they
    are there; ``run``: does it with a rank's arguments."""

    ins: tuple
    outs: list | None
    run: Callable


_plans: collections.OrderedDict = collections.OrderedDict()
_lock = forkable(threading.Lock())


def made(cls, local: Tensor, spec: DTensorSpec, requires_grad: bool) -> Any:
    """A DTensor.

    Args:
        cls: the class.
        local: what this rank has.
        spec: its spec.
        requires_grad: whether it is a leaf with a gradient.

    Returns:
        a tensor of the class.
    """
    meta = spec.tensor_meta
    found = make_wrapper_subclass(cls, meta.shape, strides=meta.stride, dtype=meta.dtype, device=local.device,
                                  requires_grad=requires_grad)
    found._local_tensor, found._spec = local.detach() if local.requires_grad else local, spec
    return found


def dispatch(cls, func, args: tuple, kwargs: dict):
    """What an operator does with DTensors.

    Args:
        cls: the class DTensor.
        func: the operator's overload.
        args, kwargs: its arguments.

    Returns:
        what it returns, with DTensors for tensors.

    Raises:
        RuntimeError: tensors of more than one element that are no DTensors. ValueError: several meshes.
    """
    tensors = [*_tensors((args, kwargs))]
    if not all(isinstance(x, cls) for x in tensors):
        mesh = next(x._spec.mesh for x in tensors if isinstance(x, cls))
        args, kwargs = _all_placed(args, mesh, cls, func), _all_placed(kwargs, mesh, cls, func)
        tensors = [*_tensors((args, kwargs))]
    key = (func.kernel if isinstance(func, KernelOverload) else func, options.thread.divides_classes, _key(args, cls),
           tuple((name, _key(x, cls)) for name, x in kwargs.items()))
    plan = _plans.get(key)
    if plan is None:
        plan = _kept(key, _planned(cls, func, args, kwargs, [x._spec for x in tensors]))
    locals_ = iter([_redistribute.moved(x._local_tensor, x._spec, placements)
                    for x, placements in zip(tensors, plan.ins, strict=True)])
    if _is_write(func):
        return _written(cls, func, plan, args, kwargs, locals_)
    result = plan.run(_replaced(args, locals_, cls), _replaced(kwargs, locals_, cls))
    return _wrapped(cls, result, plan.outs, tensors[0]._spec.mesh)


def _all_placed(x, mesh, cls, func) -> Any:
    """The same with tensors as DTensors that are whole on every rank: those of one number, the zeros of gradients, in
    `implicit_replication` all."""
    if isinstance(x, Tensor) and not isinstance(x, cls):
        if x.ndim and not options.thread.takes_tensors and not asked.asked_in_formula:
            raise RuntimeError(_MIXED.format(func))
        return made(cls, x, _whole(x, mesh), False)
    if type(x) in (list, tuple):
        return type(x)(_all_placed(y, mesh, cls, func) for y in x)
    if isinstance(x, dict):
        return {name: _all_placed(y, mesh, cls, func) for name, y in x.items()}
    return x


def _kept(key, plan) -> _Plan:
    with _lock:
        _plans[key] = plan
        if len(_plans) > _PLANS:
            _plans.popitem(last=False)
    return plan


def _is_write(func) -> bool:
    return getattr(func, "writes_to_first", False)


def _written(cls, func, plan, args, kwargs, locals_) -> Tensor:
    """An operator in place: it writes to this rank's part. Where it needs the tensor elsewhere, it writes to a copy there,
    and what has become of the part comes back; of a part of a sum nothing can, so the whole takes its place."""
    self = args[0]
    given = _replaced(args, locals_, cls)
    if plan.ins[0] == self._spec.placements:
        plan.run(given, _replaced(kwargs, locals_, cls))
        return self
    given = (given[0].clone(), *given[1:])
    plan.run(given, _replaced(kwargs, locals_, cls))
    before, there = self._spec, self._spec.placed(plan.ins[0])
    if any(placement.is_partial() for placement in before.placements):
        self._local_tensor, self._spec = given[0], there
    else:
        self._local_tensor.copy_(_redistribute.moved(given[0], there, before.placements))
    return self


def _tensors(x) -> Iterator:
    if isinstance(x, Tensor):
        yield x
    elif isinstance(x, list | tuple):
        for y in x:
            yield from _tensors(y)
    elif isinstance(x, dict):
        yield from _tensors([*x.values()])


def _replaced(x, locals_, cls):
    """The same with each DTensor replaced by the next of these."""
    if isinstance(x, cls):
        return next(locals_)
    if type(x) in (list, tuple):
        return type(x)(_replaced(y, locals_, cls) for y in x)
    if isinstance(x, dict):
        return {name: _replaced(y, locals_, cls) for name, y in x.items()}
    return x


def _key(x, cls):
    """What decides of an argument."""
    if isinstance(x, cls):
        return x._spec
    if isinstance(x, list | tuple):
        return tuple([_key(y, cls) for y in x])
    try:
        hash(x)
    except TypeError:
        return type(x), repr(x)
    return type(x), x


def _wrapped(cls, result, outs, mesh):
    """Results as DTensors."""
    specs = None if outs is None else iter(outs)

    def wrap(x):
        if isinstance(x, Tensor):
            spec = _whole(x, mesh) if specs is None else next(specs)
            return made(cls, x, spec, False)
        if isinstance(x, list | tuple):
            parts = [wrap(y) for y in x]
            return type(x)(parts) if type(x) in (list, tuple) else type(x)(parts) if not hasattr(x, "_fields") else \
                type(x)(*parts)
        return x

    return wrap(result)


def _whole(x, mesh) -> DTensorSpec:
    return DTensorSpec(mesh, (Replicate(),) * mesh.ndim, TensorMeta(tuple(x.shape), x.stride(), x.dtype))


# -- planning

def _planned(cls, func, args, kwargs, specs) -> _Plan:
    """What is done for such a call."""
    if any(spec.mesh != specs[0].mesh for spec in specs):
        raise NotImplementedError(f"{func}: DTensor does not support cross-mesh operation yet! Got meshes: "
                                  f"{' '.join(str(spec.mesh) for spec in specs)}")
    if isinstance(func, KernelOverload):
        return _of_gradient(func, specs) or _of_whole(func, specs)
    row = func._row
    name = func.overloadpacket.__name__.rstrip("_")
    rule = rule_of(name, row)
    if rule is None:
        return _of_whole(func, specs)
    metas = _metas(func, args, kwargs, cls)
    call = _call(name, row, args, kwargs, specs, [meta.shape for meta in metas], cls)
    candidates = [call.alike(R, R), *rule.strategies(call)]
    if rule.is_by_element:
        candidates += _strided(candidates, specs)
    chosen = _choice.choose(candidates, specs, call.results, rule.is_view, _is_write(func), rule.is_scaled)
    ins = [tuple(c[1][k] for c in chosen) for k in range(len(specs))]
    mesh = specs[0].mesh
    outs = [DTensorSpec(mesh, tuple(c[0][k] for c in chosen), meta) for k, meta in enumerate(metas)]
    return _Plan(tuple(ins), outs, _runner(func, rule, specs, ins, outs))


def _strided(candidates, specs) -> list:
    """The same for parts that lie otherwise: where elements are computed apart, it does not matter which they are."""
    found = []
    for given in {p for spec in specs for p in spec.placements if isinstance(p, _StridedShard)}:
        for outs, ins in candidates:
            if any(p == Shard(given.dim) for p in ins):
                found.append(tuple(tuple(_StridedShard(p.dim, split_factor=given.split_factor) if isinstance(p, Shard) else p
                                         for p in side) for side in (outs, ins)))
    return found


def _of_whole(func, specs) -> _Plan:
    """Every rank computes it of the whole."""
    placements = (Replicate(),) * specs[0].mesh.ndim
    return _Plan((placements,) * len(specs), None, lambda args, kwargs: func(*args, **kwargs))


def _runner(func, rule, specs, ins, outs) -> Callable:
    if rule.compute is not None:
        given = [spec.placed(placements) for spec, placements in zip(specs, ins, strict=True)]
        return lambda args, kwargs: rule.compute(func, args, kwargs, given, outs)
    if rule.is_view:  # the strides of a part may be others than those of the whole
        sizes = local_shape(outs[0])
        return lambda args, kwargs: args[0].reshape(sizes)
    if rule.sizes is not None and outs and outs[0].placements != (R,) * len(outs[0].placements):
        place, sizes = rule.sizes, local_shape(outs[0])
        return lambda args, kwargs: func(*args[:place], sizes, *args[place + 1:], **kwargs)
    return lambda args, kwargs: func(*args, **kwargs)


def _metas(func, args, kwargs, cls) -> list[TensorMeta]:
    """The forms of the whole results: the operator done with tensors without memory."""
    if _is_write(func):
        return [args[0]._spec.tensor_meta]

    def meta(x):
        if isinstance(x, Tensor):
            return empty_strided(tuple(x.shape), x.stride(), dtype=x.dtype, device="meta")
        if type(x) in (list, tuple):
            return type(x)(meta(y) for y in x)
        return x

    made_of = func(*meta(args), **{name: meta(x) if name != "device" else "meta" for name, x in kwargs.items()})
    found = made_of if isinstance(made_of, list | tuple) else [made_of]
    return [TensorMeta(tuple(x.shape), x.stride(), x.dtype) for x in found if isinstance(x, Tensor)]


def _call(name, row, args, kwargs, specs, results, cls) -> Call:
    names = [a.name for a in row.schema.args if not a.kwonly] if row is not None else range(len(args))
    owners, left = [], iter(specs)

    def sizes(x, owner):
        if isinstance(x, cls):
            owners.append(owner)
            return Sizes(next(left).tensor_meta.shape)
        if isinstance(x, list | tuple):
            return [sizes(y, owner) for y in x]
        return x

    given: dict[Any, Any] = {owner: sizes(x, owner) for owner, x in zip(names, args, strict=False)}
    given.update({owner: sizes(x, owner) for owner, x in kwargs.items()})
    return Call(name, given, [spec.tensor_meta.shape for spec in specs], owners, results)


# -- gradients that are one operator

def _of_gradient(func, specs) -> _Plan | None:
    """What is done for the gradient of a row, by the row's rule; None where it has none."""
    kernel = func.kernel
    found = gradients.made_of(kernel)
    if found is None or found[0].kernel.row is None or len(specs) != len(kernel.ins):
        return None
    function, forward, mesh = kernel.function, found[0].kernel, specs[0].mesh
    name = forward.row.name.partition(".")[0]
    rule = rule_of(name, forward.row)
    if rule is None:
        return None
    candidates = gradient.candidates([*_of_row(name, rule, forward)], function)
    results = [tuple(a.shape) for a in kernel.outs]
    chosen = _choice.choose(candidates, specs, results, is_scaled=rule.is_scaled)
    ins = [tuple(c[1][k] for c in chosen) for k in range(len(specs))]
    outs = [DTensorSpec(mesh, tuple(c[0][k] for c in chosen), TensorMeta(shape, contiguous_stride(shape), a.dtype))
            for k, (shape, a) in enumerate(zip(results, kernel.outs, strict=True))]
    here = _local(forward.ins, [tuple(c[2][k] for c in chosen) for k in range(len(forward.ins))], mesh)
    is_mean = not rule.is_scaled and any(c[3] for c in chosen)
    again = _Again(kernel, here, forward.ins[0].numel / max(1, here[0].numel) if is_mean else 1)
    if rule.compute_gradient is None:
        return _Plan(tuple(ins), outs, lambda args, kwargs: again(*args))
    given = [spec.placed(placements) for spec, placements in zip(specs, ins, strict=True)]
    return _Plan(tuple(ins), outs, lambda args, kwargs: rule.compute_gradient(again, args, given, outs))


def _of_row(name, rule, forward) -> Iterator:
    """The strategies of a row's kernel, that of the whole first."""
    kinds, params = forward.spec
    row, arrays = forward.row, iter(forward.ins)
    given: dict[Any, Any] = {}
    owners = []
    for owner, kind in zip(row.operands, kinds, strict=False):
        if kind == "a":
            given[owner] = Sizes(next(arrays).shape)
            owners.append(owner)
        elif isinstance(kind, tuple):
            given[owner] = [Sizes(next(arrays).shape) if is_there else None for is_there in kind]
            owners += [owner] * sum(kind)
    given.update(zip(row.params, gradients.row_function.unwrap(row, params), strict=True))
    call = Call(name, given, [tuple(a.shape) for a in forward.ins], owners, [tuple(a.shape) for a in forward.outs])
    yield call.alike(R, R)
    yield from rule.strategies(call)


def _local(ins, placements, mesh) -> tuple:
    """The avals of what this rank has of operands."""
    def of(a, placed):
        sizes, _ = part(tuple(a.shape), placed, mesh.shape, mesh.get_coordinate())
        return a if tuple(sizes) == tuple(a.shape) else avals.aval(tuple(sizes), a.dtype, a.device)

    return tuple(of(a, placed) for a, placed in zip(ins, placements, strict=True))


class _Again:
    """The gradient of a rank's parts. ``by``: by how much that of a mean, which knows the part alone, is divided again;
    ``params``: those of the row; ``places``: where the operands are that it reads, by their names."""

    def __init__(self, kernel, ins, by):
        plan, forward = kernel.function.plan, kernel.function.plan.kernel
        self.params = gradients.row_function.unwrap(forward.row, forward.spec[1])
        self.places = {plan.owner[i]: k for k, i in enumerate(plan.save_ins, len(kernel.function.defined))}
        self._kernel = kernel if ins == kernel.function.plan.kernel.ins else gradients.resized(kernel, ins)
        self._by = by

    def __call__(self, *args):
        tensors = [x for x in args if isinstance(x, Tensor)]
        if self._by != 1:
            tensors[0] = tensors[0] / self._by
        outs = bind_kernel(self._kernel, tensors, tuple(x for x in args if not isinstance(x, Tensor)))
        return outs[0] if len(outs) == 1 else outs
