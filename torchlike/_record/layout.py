"""What an instruction's results look like: device, strides, broadcasting; and making one."""

from torchlike._base import dtypes as dt
from torchlike._compile import avals, gradients, kernels, picks
from torchlike._compile.backends.registry import backend_of
from torchlike._compile.program import Call
from torchlike._ops import number_ranges
from torchlike._ops.geometry import broadcast, view_strides
from torchlike._record import tree

BROADCAST = ("pointwise", "broadcast")  # layouts of operators whose operands broadcast


def call(kernel, slots, constants, ranges=(), divisor=None) -> Call:
    """An instruction. A float zero is an input from the start: 0.0 == -0.0 hides a change."""
    flags = [c == 0 and c.__class__ is float for c in constants]
    return Call(kernel, slots, tuple(constants), flags, ranges, divisor)


def ranges_of(row, spec, outs, constants) -> tuple:
    """What must hold for the numbers of a row, see `number_ranges.ranges`; RuntimeError if these do not fit."""
    ranges = number_ranges.ranges(row, spec, outs[0].dtype)
    if not outs[0].numel or not backend_of(outs[0].device).has_values:
        ranges = tuple(None if isinstance(each, number_ranges.Divisor) else each for each in ranges)  # nothing is divided
    for each, number in zip(ranges, constants, strict=True):
        if each is not None:
            each.check(number)
    return ranges


def device_of(ins, params):
    """The device of the result: the operands', or the one a creation row names."""
    for a in ins:
        return a.device
    for p in params:
        if p.__class__ is avals.dev.device:
            return avals.dev.canonical(p)
    return avals.dev.CPU


def kernel_of(row, spec, ins, kinds, params, device) -> tuple:
    """(kernel, the results' avals with the strides PyTorch would give them): see `kernels.of_row`.

    What is wrong with the operands raises here: first the geometry of a view, whose texts are PyTorch's.
    """
    if row.view is None:
        kernel = kernels.of_row(row, spec, ins, kinds, params, device)
        for out in kernel.outs:
            avals.check_memory(out)
        return kernel, _with_layout(row, kernel, ins, params)
    found = row.view.geometry(tuple(ins[0].shape), ins[0].strides, ins[0].offset,
                              **dict(zip(row.params, params, strict=True)))
    plain = spec == ("a",) and not isinstance(found, list)
    kernel = picks.of_row(row, ins, params, device) if plain else kernels.of_row(row, spec, ins, kinds, params, device)
    return kernel, _view_avals(found, kernel.outs)


def divisor_of(row, spec, slots, outs) -> int | None:
    """The slot of the operand that integers are divided by, if the values of that one must be looked at."""
    by_tensor = row.divides and spec[len(row.operands) - 1] == "a"
    looks = by_tensor and outs[0].dtype.category == dt.INT and backend_of(outs[0].device).in_host_memory
    return slots[-1] if looks else None


def _with_layout(row, kernel, ins, params) -> tuple:
    if row.layout in ("contiguous", "broadcast"):
        return kernel.outs
    if row.layout in _CHANNELS:
        return _with_channels(_CHANNELS[row.layout](ins), kernel.outs, ins[0].ndim)
    if row.layout == "columns":
        return _by_columns(kernel.outs, [o.ndim == ins[0].ndim for o in kernel.outs])
    if row.layout == "stacked":
        return (_stacked(kernel.outs[0], ins, params[-1]),)
    if row.layout == "long columns":
        return (avals.by_columns(kernel.outs[0], params[-1]),)
    if callable(row.layout):
        return _by_columns(kernel.outs, row.layout(**dict(zip(row.params, params, strict=True))))
    if row.layout == "pointwise":
        strides = avals.pointwise_strides(tuple(kernel.outs[0].shape), ins)
    elif row.layout == "format":
        strides = avals.format_strides(ins[0], params[-1])
    else:
        strides = avals.preserved_strides(ins[0])
    if strides is None:
        return kernel.outs
    return tuple(avals.aval(tuple(o.shape), o.dtype, o.device, strides) for o in kernel.outs)


def _format_of_all(ins):
    found = {avals.suggested_format(a) for a in ins}
    return found.pop() if len(found) == 1 else None


_CHANNELS = {  # layout -> the memory_format of results, None for contiguous ones
    "channels": lambda ins: avals.suggested_format(ins[0]),
    "channels of all": _format_of_all,
    "channels of two": lambda ins: avals.suggested_format(ins[0]) or avals.suggested_format(ins[1]),
}


def _with_channels(memory_format, outs, rank) -> tuple:
    """The results, those of this rank in the format."""
    if memory_format is None:
        return outs
    return tuple(avals.in_format(tuple(o.shape), o.dtype, o.device, memory_format) if o.ndim == rank else o for o in outs)


def _stacked(out, ins, dim) -> avals.Aval:
    """PyTorch joins the operands along the dimension after the new one, and views that as this result."""
    memory_format, dim = _format_of_all(ins), dim % out.ndim
    if memory_format is None or dim == out.ndim - 1:
        return out
    joined = (*out.shape[:dim], out.shape[dim] * out.shape[dim + 1], *out.shape[dim + 2:])
    strides = avals.in_format(joined, out.dtype, out.device, memory_format).strides
    return avals.aval(tuple(out.shape), out.dtype, out.device, view_strides(joined, strides, tuple(out.shape)))


def _by_columns(outs, which) -> tuple:
    """The results, those of `which` with the matrices by columns; a vector is as it was."""
    return tuple(avals.by_columns(o) if chosen and o.ndim > 1 else o for o, chosen in zip(outs, which, strict=True))


def of_gradients(kernel, ins) -> tuple:
    """The results of a kernel that is no row, for operands `ins`; a gradient has the strides that PyTorch would give it."""
    row = gradients.row_of(kernel)
    if row is None:
        return kernel.outs
    known = gradients.named(kernel, ins)
    return tuple(_of_gradient(_gradient_rule(row, name, out, known), out, ins, known)
                 for name, out in zip(gradients.target_names(kernel), kernel.outs, strict=True))


def _gradient_rule(row, name, out, known):
    """How the gradient of the operand `name` lies: a word, a tuple of names, strides where a function gives them."""
    rule = row.gradient.get(name, "") if isinstance(row.gradient, dict) else row.gradient
    if callable(rule):
        words = rule.__code__.co_varnames[:rule.__code__.co_argcount]
        return rule(**{word: out.shape if word == "shape" else known.get(word) for word in words}) or "contiguous"
    if rule == "preserve":
        return avals.preserved_strides(known[name]) or "contiguous"
    if rule == "pointwise" or (not rule and row.layout in ("pointwise", "preserve", "format")):
        return ("g", *row.needs[name])
    return rule or ("channels" if row.layout in _CHANNELS else "contiguous")


def _of_gradient(rule, out, ins, known):
    if rule == "columns":
        out = avals.by_columns(out) if out.ndim > 1 else out
    elif rule == "channels":
        found = next(filter(None, (avals.suggested_format(a) for a in ins if a.ndim == out.ndim)), None)
        out = out if found is None else avals.in_format(tuple(out.shape), out.dtype, out.device, found)
    elif rule != "contiguous":
        if not rule or rule[0].__class__ is int:
            return avals.aval(tuple(out.shape), out.dtype, out.device, rule)
        out = _pointwise(rule, out, known)
        if out.shape != ins[0].shape:
            return out
    return avals.real_part(out) if ins[0].dtype.is_complex and ins[0].dtype.to_real() is out.dtype else out


def _pointwise(names, out, known):
    """`out` as the pointwise result of operands, by names or tuples of names; what cannot be broadcast to it is left out."""
    operands = [_pointwise(name, out, known) if name.__class__ is tuple else known.get(name) for name in names]
    operands = [a for a in operands if a.__class__ is avals.Aval and a.ndim == out.ndim
                and all(size in (1, n) for size, n in zip(a.shape, out.shape, strict=True))]
    strides = avals.pointwise_strides(tuple(out.shape), operands)
    return out if strides is None else avals.aval(tuple(out.shape), out.dtype, out.device, strides)


def _view_avals(found, outs) -> tuple:
    members = found if isinstance(found, list) else [found]
    if any(out.numel >= 1 << 63 for out in outs):
        raise RuntimeError("numel: integer multiplication overflow")
    return tuple(avals.aval(tuple(o.shape), o.dtype, o.device, tuple(strides), offset)
                 for o, (_, strides, offset) in zip(outs, members, strict=True))


def step(node, slots, ins, row, params):
    """The child of `node` that applies a row to `slots` (the last step of a view, say)."""
    key = (row, params, *slots)
    child = node.get(key)
    if child is None:
        kernel, outs = kernel_of(row, ("a",) * len(slots), ins, (), params, ins[0].device)
        child = tree.add(node, key, call(kernel, slots, ()), outs)
    return child


def check_broadcast(ins) -> None:
    """PyTorch's text where shapes do not broadcast."""
    shape: tuple = ()
    for a in ins:
        if a.shape == shape:
            continue
        shape = broadcast(shape, a.shape)
