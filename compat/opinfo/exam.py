"""All checks of one operator, with counts; runs in a worker."""

import itertools
import re

import torch
from torch.testing._internal.common_methods_invocations import op_db

from compat import findings
from compat.opinfo import autocast, channels, checks, hostile, out_dtypes, points, special, transforms
from compat.opinfo.translate import Missing, function

DTYPES = ("float64", "float32", "bfloat16", "float16", "int64", "int32", "uint8", "bool", "complex128")
CHECKS = ("forward", "grad", "gradgrad", "forward-ad", "inplace", "out", "errors", "texts", "autocast", "jvp", "vmap",
          "func-grad", "channels-last", "special", "points", "hostile", "hostile texts", "out-dtypes", "out-dtypes texts")
_SPREAD = 2  # samples of an operator for the last five, which take long
# LAPACK makes of nan and infinities what its version does; some of its loops never end.
_LAPACK = re.compile("linalg|svd|eig|qr|lu_|^lu|lstsq|cholesky|inverse|det|lobpcg|pca|geqrf|householder|solve|matrix_exp")
_OUTSIDE = ("quantized", "sparse", "nested", "jiterator", "torch.ops", "_")
_NAMES = ("sparse", "to_sparse", "jiterator", "nested")
RANDOM = set("""cauchy exponential geometric log_normal normal uniform randn randn_like rand_like randint randint_like
    multinomial bernoulli nn.functional.dropout nn.functional.dropout2d nn.functional.dropout3d nn.functional.alpha_dropout
    nn.functional.feature_alpha_dropout nn.functional.rrelu empty empty_like empty_strided empty_permuted new_empty
    new_empty_strided svd_lowrank pca_lowrank nn.functional.fractional_max_pool2d nn.functional.fractional_max_pool3d
    nn.functional.scaled_dot_product_attention nn.functional.multi_head_attention_forward resize_ resize_as_""".split())  # noqa: SIM905


def counted(op) -> bool:
    """Whether an entry belongs to the exam."""
    if op.name.startswith("__") or op.name.startswith("_native") or not op.name.startswith(_OUTSIDE):
        return not any(word in op.name for word in _NAMES) and not op.name.startswith("_native")
    return False


def operators() -> dict:
    """{full name: OpInfo} of the exam."""
    return {op.full_name: op for op in op_db if counted(op)}


def examine(op, wanted, dtypes, limit) -> dict:
    """{check: {"passed", "failed", "first"}} for an operator; "state" says missing where it does not exist."""
    found: dict = {}
    try:
        function(op.op)
    except Missing as error:
        return {"missing": str(error)}
    with checks.quiet():
        for dtype in dtypes:
            if "forward" in wanted and getattr(torch, dtype) in op.dtypes:
                found[f"forward {dtype}"] = _count(_samples(op, dtype, False, limit),
                                                   lambda s: checks.forward(op, s, op.name in RANDOM))
        _derivatives(op, wanted, limit, found)
        _forms(op, wanted, limit, found)
        if "autocast" in wanted:
            _autocast(op, limit, found)
        _transforms(op, wanted, limit, found)
        if "points" in wanted and points.applies(op):
            found["points"] = _points(op)
        if "hostile" in wanted and not op.name.startswith(("empty", "new_empty")):
            _variations(op, "hostile", hostile.examine, _first_dtype(op), limit, found)
        if "out-dtypes" in wanted and op.supports_out:
            for dtype in ("float32", "int64", "bool", "complex64"):
                _variations(op, "out-dtypes", out_dtypes.examine, dtype, limit, found)
        if ("errors" in wanted or "texts" in wanted) and op.error_inputs_func is not None:
            _errors(op, found)
    return found


def _derivatives(op, wanted, limit, found):
    if not op.supports_autograd or torch.float64 not in op.supported_backward_dtypes("cpu"):
        return
    for check, second, supported in (("grad", False, True), ("gradgrad", True, op.supports_gradgrad)):
        if check in wanted and supported:
            found[check] = _count(_samples(op, "float64", True, limit),
                                  lambda s, second=second: checks.gradient(op, s, second))
    if "forward-ad" in wanted and op.supports_forward_ad:
        found["forward-ad"] = _count(_samples(op, "float64", True, limit), lambda s: checks.forward_mode(op, s))


def _forms(op, wanted, limit, found):
    dtype = "float64" if torch.float64 in op.dtypes else "int64"
    if getattr(torch, dtype) not in op.dtypes:
        return
    random = op.name in RANDOM
    if "inplace" in wanted and op.inplace_variant is not None:
        samples = [s for s in _samples(op, dtype, False, limit) if not s.broadcasts_input]
        found["inplace"] = _count(samples, lambda s: checks.in_place(op, s, random))
    if "out" in wanted and op.supports_out:
        found["out"] = _count(_samples(op, dtype, False, limit), lambda s: checks.out_form(op, s, random))


def _autocast(op, limit, found):
    """With gradients, and in the dtype of the region."""
    for dtype, grad in (("float32", op.supports_autograd), ("bfloat16", False)):
        if getattr(torch, dtype) in op.dtypes:
            counted = _count(_samples(op, dtype, grad, limit), lambda s: autocast.check(op, s, op.name in RANDOM))
            findings.join(found.setdefault("autocast", findings.tally()), counted)


def _transforms(op, wanted, limit, found):
    """Over samples spread evenly, those that PyTorch has no rule for left out."""
    random, differentiable = op.name in RANDOM, op.supports_autograd and torch.float64 in op.supported_backward_dtypes("cpu")
    dtype = _first_dtype(op)
    for name, check, fits in (("jvp", transforms.jvp, differentiable), ("func-grad", transforms.grad, differentiable),
                              ("vmap", transforms.vmap, dtype)):
        if name in wanted and fits:
            samples = list(_samples(op, dtype, differentiable, None))
            found[name] = _count(spread(samples, limit), lambda s, check=check: check(op, s, random))
    if "channels-last" in wanted and dtype:
        samples = [s for s in _samples(op, dtype, differentiable, None) if channels.applies(s)]
        found["channels-last"] = _count(spread(samples, limit), lambda s: channels.check(op, s, random))
    if "special" in wanted and dtype and not random and not _LAPACK.search(op.name):
        samples = [s for s in _samples(op, dtype, differentiable, None) if special.applies(s)]
        found["special"] = findings.tally()
        for turn in range(special.TURNS):
            findings.join(found["special"], _count(spread(samples, limit), lambda s, turn=turn: special.check(op, s, turn)))


def _points(op) -> dict:
    tally = findings.tally()
    for dtype in points.DTYPES:
        if getattr(torch, dtype) in op.dtypes:
            different = points.examine(op, dtype)
            findings.add(tally, different and f"{len(different)} points: {different[0]} [{dtype}]")
    return tally


def _first_dtype(op):
    return next((dtype for dtype in ("float64", "int64", "bool") if getattr(torch, dtype) in op.dtypes), None)


def _variations(op, check, examined, dtype, limit, found):
    """What ``examined(op, sample, random)`` tells of variations of each sample: what differs, and where texts do."""
    if dtype is None or getattr(torch, dtype) not in op.dtypes:
        return
    kinds, texts = (found.setdefault(name, findings.tally()) for name in (check, f"{check} texts"))
    for i, sample in enumerate(spread(list(_samples(op, dtype, False, None)), limit)):
        for name, (kind, text) in examined(op, sample, op.name in RANDOM):
            where = f"[{dtype} sample {i}, {name}: {_described(sample)}]"
            for tally, told in ((kinds, kind), (texts, text)):
                if told is not None:
                    findings.add(tally, told and f"{told} {where}")


def spread(samples, limit) -> list:
    """At most `limit` of them, evenly from first to last."""
    step = max(len(samples) / (limit or _SPREAD), 1)
    return [samples[int(i * step)] for i in range(int(len(samples) / step))]


def _errors(op, found):
    kinds, texts = findings.tally(), findings.tally()
    for given in op.error_inputs("cpu"):
        try:
            kind, text = checks.error(op, given)
        except Missing as error:
            kind = text = f"missing {error}"
        findings.add(kinds, kind)
        findings.add(texts, text)
    found["errors"], found["texts"] = kinds, texts


def _samples(op, dtype, requires_grad, limit):
    torch.manual_seed(0)
    try:
        yield from itertools.islice(op.sample_inputs("cpu", getattr(torch, dtype), requires_grad=requires_grad), limit)
    except (NotImplementedError, RuntimeError):  # the database itself has no samples of this dtype
        return


def _count(samples, check) -> dict:
    tally = findings.tally()
    for i, sample in enumerate(samples):
        try:
            text = check(sample)
        except Missing as error:
            text = f"missing {error}"
        if text is not None:
            findings.add(tally, f"sample {i}: {text} [{_described(sample)}]" if text else "")
    return tally


def _described(sample) -> str:
    def short(value):
        if isinstance(value, torch.Tensor):
            return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
        if isinstance(value, list | tuple):
            return f"({', '.join(map(short, value))})"
        return str(value)[:40]

    pieces = [short(sample.input), *map(short, sample.args), *(f"{k}={short(v)}" for k, v in sample.kwargs.items())]
    return ", ".join(pieces)[:160]
