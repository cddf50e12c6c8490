"""The rules, as in primitives.py, of products, of gathers and scatters, and of linear algebra."""

import string

import numpy as np

from torchlike._lower.primitives import rule, shape_of, wholes
from torchlike._lower.texts import ATOM, PRODUCT, Text, at, call, dtype_name, method, tuple_of

# -- products

@rule("dot_general")
def _dot(writer, eqn, a, b):
    a, b = wholes(writer, eqn, (a, b))
    (ca, cb), (ba, bb) = eqn.params["dimension_numbers"]
    extra = _precision(eqn)
    plain = not extra and not ba and len(ca) == 1 and len(a.shape) <= 2 and len(b.shape) <= 2
    if plain:
        left = at(a, PRODUCT) if ca[0] == len(a.shape) - 1 else f"{at(a, ATOM)}.T"
        right = at(b, PRODUCT + 1) if cb[0] == 0 else f"{at(b, ATOM)}.T"
        return Text(f"{left} @ {right}", PRODUCT, shape_of(eqn), a.cost + b.cost + 1)
    n = len(ba)
    lead = tuple(range(n))
    if not extra and n and ba == lead and bb == lead and len(ca) == 1 and len(a.shape) == len(b.shape) == n + 2:
        left = at(a, PRODUCT) if ca[0] == n + 1 else f"{at(a, ATOM)}.swapaxes(-1, -2)"
        right = at(b, PRODUCT + 1) if cb[0] == n else f"{at(b, ATOM)}.swapaxes(-1, -2)"
        return Text(f"{left} @ {right}", PRODUCT, shape_of(eqn), a.cost + b.cost + 1)
    return call("jnp.einsum", f'"{_letters(a, b, ca, cb, ba, bb)}"', a, b, *extra, shape=shape_of(eqn))


def _letters(a, b, ca, cb, ba, bb) -> str:
    free = iter(string.ascii_lowercase)
    left = [next(free) for _ in a.shape]
    right = [None] * len(b.shape)
    for i, k in (*zip(ca, cb, strict=True), *zip(ba, bb, strict=True)):
        right[k] = left[i]
    right = [letter or next(free) for letter in right]
    out = [left[i] for i in ba] + [x for i, x in enumerate(left) if i not in (*ca, *ba)] + \
        [x for k, x in enumerate(right) if k not in (*cb, *bb)]
    return f"{''.join(left)},{''.join(right)}->{''.join(out)}"


def _precision(eqn) -> list:
    p, found = eqn.params, []
    if p.get("precision") is not None:
        names = [f"lax.Precision.{x.name}" for x in p["precision"]] if isinstance(p["precision"], tuple) else None
        found.append(f"precision={tuple_of(names)}" if names else f"precision={p['precision']!r}")
    wanted = p.get("preferred_element_type")
    if wanted is not None and any(np.dtype(wanted) != v.aval.dtype for v in eqn.invars):
        found.append(f"preferred_element_type={dtype_name(np.dtype(wanted))}")
    return found


@rule("conv_general_dilated")
def _convolution(writer, eqn, x, w):
    x, w = wholes(writer, eqn, (x, w))
    p = eqn.params
    arguments = [f"window_strides={tuple_of(p['window_strides'])}",
                 f"padding={tuple_of(tuple_of(pair) for pair in p['padding'])}"]
    for name in ("lhs_dilation", "rhs_dilation"):
        if any(n != 1 for n in p[name]):
            arguments.append(f"{name}={tuple_of(p[name])}")
    numbers = p["dimension_numbers"]
    if any(spec != tuple(range(len(spec))) for spec in numbers):
        arguments.append(f"dimension_numbers=lax.ConvDimensionNumbers({', '.join(tuple_of(spec) for spec in numbers)})")
    arguments += [f"{name}={p[name]}" for name in ("feature_group_count", "batch_group_count") if p[name] != 1]
    return call("lax.conv_general_dilated", x, w, *arguments, *_precision(eqn), shape=shape_of(eqn))


# -- gather and scatter

@rule("gather")
def _gather(writer, eqn, x, index):
    x = writer.whole(x, eqn.invars[0])
    p, mode = eqn.params, _mode(eqn)
    d, shape = p["dimension_numbers"], eqn.invars[0].aval.shape
    looked_up = index.inner if isinstance(index.inner, Text) else None
    rest = tuple(range(len(shape_of(eqn)) - len(shape) + 1, len(shape_of(eqn))))
    if looked_up is not None and mode != '"promise_in_bounds"' and d.collapsed_slice_dims == d.start_index_map == (0,) and \
            d.offset_dims == rest and not d.operand_batching_dims and tuple(p["slice_sizes"]) == (1, *shape[1:]):
        return call("jnp.take", x, looked_up, "axis=0", *([f"mode={mode}"] if mode == '"clip"' else []), shape=shape_of(eqn))
    n = len(shape) - 1
    batched = n and tuple(d.operand_batching_dims) == tuple(d.start_indices_batching_dims) == tuple(range(n))
    if looked_up is not None and mode == '"clip"' and batched and not d.offset_dims and \
            d.collapsed_slice_dims == d.start_index_map == (n,):
        return method(call("jnp.take_along_axis", x, index, "axis=-1", 'mode="clip"'), "squeeze", "-1", shape=shape_of(eqn))
    names = ("offset_dims", "collapsed_slice_dims", "start_index_map", "operand_batching_dims",
             "start_indices_batching_dims")
    return call("lax.gather", x, writer.whole(index, eqn.invars[1]), _numbers("GatherDimensionNumbers", d, names),
                f"slice_sizes={tuple_of(p['slice_sizes'])}", f"mode={mode}", *_flags(eqn), shape=shape_of(eqn))


def _mode(eqn) -> str:
    return {"CLIP": '"clip"', "FILL_OR_DROP": '"fill"', "PROMISE_IN_BOUNDS": '"promise_in_bounds"'}[eqn.params["mode"].name]


def _numbers(kind, value, names) -> str:
    shown = [f"{name}={tuple_of(getattr(value, name))}" for i, name in enumerate(names) if i < 3 or getattr(value, name)]
    return f"lax.{kind}({', '.join(shown)})"


def _flags(eqn) -> list:
    return [f"{name}=True" for name in ("indices_are_sorted", "unique_indices") if eqn.params[name]]


_SCATTERS = {"scatter": "scatter", "scatter-add": "scatter_add", "scatter_add": "scatter_add", "scatter-mul": "scatter_mul",
             "scatter_mul": "scatter_mul", "scatter-min": "scatter_min", "scatter_min": "scatter_min",
             "scatter-max": "scatter_max", "scatter_max": "scatter_max"}


@rule(*_SCATTERS)
def _scatter(writer, eqn, x, index, updates):
    x, index, updates = wholes(writer, eqn, (x, index, updates))
    names = ("update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims", "operand_batching_dims",
             "scatter_indices_batching_dims")
    d = eqn.params["dimension_numbers"]
    numbers = f"lax.ScatterDimensionNumbers({', '.join(f'{name}={tuple_of(getattr(d, name))}' for name in names)})"
    mode = _mode(eqn)
    return call(f"lax.{_SCATTERS[eqn.primitive.name]}", x, index, updates, numbers, f"mode={mode}", *_flags(eqn),
                shape=shape_of(eqn))


@rule("fft")
def _fft(writer, eqn, x):
    p = eqn.params
    return call("lax.fft", writer.whole(x, eqn.invars[0]), f"lax.FftType.{p['fft_type'].name}", tuple_of(p["fft_lengths"]),
                shape=shape_of(eqn))


# -- linear algebra

@rule("cholesky")
def _cholesky(writer, eqn, x):
    return call("lax.linalg.cholesky", writer.whole(x, eqn.invars[0]), "symmetrize_input=False", shape=shape_of(eqn))


@rule("triangular_solve")
def _triangular_solve(writer, eqn, a, b):
    extra = [f"{name}=True" for name in ("left_side", "lower", "transpose_a", "conjugate_a", "unit_diagonal")
             if eqn.params[name]]
    return call("lax.linalg.triangular_solve", *wholes(writer, eqn, (a, b)), *extra, shape=shape_of(eqn))


@rule("lu")
def _lu(writer, eqn, x):
    return writer.several(f"lax.linalg.lu({writer.whole(x, eqn.invars[0]).code})", eqn)


@rule("qr")
def _qr(writer, eqn, x):
    if eqn.params["pivoting"]:
        raise NotImplementedError
    return writer.several(f"lax.linalg.qr({writer.whole(x, eqn.invars[0]).code}, "
                          f"full_matrices={eqn.params['full_matrices']})", eqn)


@rule("eigh")
def _eigh(writer, eqn, x):
    p = eqn.params
    return writer.several(f"lax.linalg.eigh({writer.whole(x, eqn.invars[0]).code}, lower={p['lower']}, "
                          f"symmetrize_input=False, sort_eigenvalues={p['sort_eigenvalues']})", eqn)


@rule("svd")
def _svd(writer, eqn, x):
    p, code = eqn.params, writer.whole(x, eqn.invars[0]).code
    if not p["compute_uv"]:
        return [call("lax.linalg.svd", code, "compute_uv=False", shape=shape_of(eqn))]
    found = writer.several(f"lax.linalg.svd({code}, full_matrices={p['full_matrices']})", eqn, (1, 0, 2))
    return found
