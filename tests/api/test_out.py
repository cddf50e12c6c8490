"""``out=``: where PyTorch has it; under autocast, where PyTorch casts for no operator that writes to a tensor."""

import inspect
import pathlib
import re
import warnings

import numpy as np
import pytest
import torch

import torchlike
from compat.compare import check
from compat.compare.tolerances import ROWS
from tests.speed import sampled


def other(t, x):
    """In the other of two dtypes that autocast knows."""
    return x.to(t.float32 if x.dtype is t.bfloat16 else t.bfloat16)


CALLS = {
    "pow": lambda t, x, out: t.pow(x, 2, out=out),
    "prod": lambda t, x, out: t.prod(x, 1, out=out[0]),
    "norm": lambda t, x, out: t.norm(x, dim=1, out=out[0]),
    "linalg.norm": lambda t, x, out: t.linalg.norm(x, dim=1, out=out[0]),
    "mm": lambda t, x, out: t.mm(x, x, out=out),
    "matmul": lambda t, x, out: t.matmul(x, x, out=out),
    "linalg.inv": lambda t, x, out: t.linalg.inv(x, out=out),
    "cat": lambda t, x, out: t.cat([x[:1], x[1:].double()], out=out.double()),
    "sum": lambda t, x, out: t.sum(x, 1, out=out[0]),
    "softmax": lambda t, x, out: t.softmax(x, 1, out=out),
    "float_power": lambda t, x, out: t.float_power(x, 2, out=out.double()),
    "clamp": lambda t, x, out: t.clamp(x, max=0.5, out=out),
    "take": lambda t, x, out: t.take(x, t.tensor([0, 1]), out=out[0, :2]),
    "polar": lambda t, x, out: t.polar(x, x, out=out),
    "index_copy": lambda t, x, out: t.index_copy(x, 0, t.tensor([0]), other(t, x[:1]), out=out),
    "quantile": lambda t, x, out: t.quantile(x, 0.5, dim=1, out=out[0]),
}


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("name", CALLS)
def test_as_pytorch(name, dtype):
    found = []
    for t in (torch, torchlike):
        x = t.arange(9.0).reshape(3, 3).to(getattr(t, dtype)).sin() + 2 * t.eye(3).to(getattr(t, dtype))
        with t.autocast("cpu"):
            try:
                made = CALLS[name](t, x, t.zeros(3, 3, dtype=getattr(t, dtype)))
                found.append((str(made.dtype), made.float().numpy()))
            except (RuntimeError, NotImplementedError) as error:
                found.append((type(error).__name__, str(error).partition("\n")[0]))
    assert found[0][0] == found[1][0], found
    if isinstance(found[0][1], np.ndarray):
        np.testing.assert_allclose(found[1][1], found[0][1], rtol=2e-2 if dtype == "bfloat16" else 1e-5, atol=1e-6)


# -- which functions take it

SPACES = {"": "", "linalg": "linalg_", "special": "special_", "fft": "fft_", "nn.functional": ""}  # and their operators


def operators_with_out() -> set:
    """PyTorch's operators with an ``out=`` that somebody wrote; the others were generated, and Python does not have them."""
    found = set()
    for schema in torch._C._jit_get_all_schemas():
        space, _, name = schema.name.partition("::")
        if space == "aten" and any(argument.is_out for argument in schema.arguments):
            overload = getattr(getattr(torch.ops.aten, name), schema.overload_name or "default")
            if torch.Tag.generated not in overload.tags:
                found.add(name)
    return found


def functions_with_out() -> set:
    """The built-in functions of the torch namespace with ``out=``, as PyTorch's stubs have them."""
    text = (pathlib.Path(torch._C.__file__).parent / "_C" / "_VariableFunctions.pyi").read_text()
    return set(re.findall(r"^def (\w+)\([^)]*?\bout:", text.replace("(),", ","), re.MULTILINE))


def space(module, name):
    for part in filter(None, name.split(".")):
        module = getattr(module, part)
    return module


def takes_out(function) -> bool:
    return "out" in inspect.signature(function).parameters


def strays(functions, name, builtin) -> list:
    """The names of those of our `functions` that take ``out=``, where those of PyTorch's module `name` do not."""
    theirs = space(torch, name)
    found = []
    for called, function in functions.items():
        twin = getattr(theirs, called, None)
        if twin is None or not callable(function) or isinstance(function, type) or not takes_out(function):
            continue
        if inspect.isbuiltin(twin):
            has = twin.__name__ in builtin or SPACES[name] + called in builtin
        else:
            has = takes_out(torch.overrides.get_testing_overrides().get(twin, twin))
        if not has:
            found.append(called)
    return found


@pytest.fixture(scope="module")
def builtin():
    return operators_with_out() | functions_with_out()


@pytest.mark.parametrize("name", SPACES)
def test_only_where_pytorch_has_it(name, builtin):
    ours = {called: function for called, function in vars(space(torchlike, name)).items() if not called.startswith("_")}
    assert sum(map(takes_out, filter(inspect.isfunction, ours.values()))) >= 5
    assert strays(ours, name, builtin) == []


@pytest.mark.parametrize(("called", "name"), [("rsub", ""), ("masked_fill", ""), ("softmax", "special"),
                                             ("relu6", "nn.functional")])
def test_planted_stray_is_seen(called, name, builtin):
    assert strays({called: lambda x, out=None: x, "add": torchlike.add}, name, builtin) == [called]


SQUARE = [[4.0, 1.0, 2.0], [1.0, 5.0, 3.0], [2.0, 1.0, 6.0]]
RESULTS = {  # how many each has
    **dict.fromkeys(("abs", "neg", "floor", "sign", "tril", "triu", "diag", "msort", "nonzero", "isposinf", "signbit",
                     "nan_to_num", "logcumsumexp 0", "diff", "quantile 0.5", "softmax 0", "renorm 2 0 1.0", "argmax 0",
                     "amax 0",
                     "linalg.inv", "linalg.det", "linalg.cholesky", "linalg.eigvalsh", "linalg.svdvals", "linalg.norm",
                     "linalg.vector_norm", "linalg.matrix_norm", "mm x", "matmul x", "inner x", "linalg.solve x",
                     "linalg.vecdot x", "linalg.cross x", "sin", "exp", "add x", "mul x", "maximum x", "sqrt",
                     "logaddexp x"), 1),
    **dict.fromkeys(("sort", "max 0", "min 0", "cummax 0", "mode", "kthvalue 1", "topk 2", "aminmax", "linalg.qr",
                     "linalg.slogdet", "linalg.eigh", "linalg.lu_factor"), 2),
    "linalg.svd": 3,
}


@pytest.mark.parametrize("dtype", ["float64", "float16", "complex64", "int64"])
@pytest.mark.parametrize("name", RESULTS)
def test_out_of_another_dtype(name, dtype):
    """Some operators cast, others refuse another dtype than the result's."""
    count = RESULTS[name]

    def written(t):
        path, *given = name.split()
        function, x = t, t.tensor(SQUARE)
        for part in path.split("."):
            function = getattr(function, part)
        args = [x if a == "x" else float(a) if "." in a else int(a) for a in given]
        outs = tuple(t.empty(0, dtype=getattr(t, dtype)) for _ in range(count))
        operand = [x, x] if path == "cat" else x
        return function(operand, *args, out=outs if count > 1 else outs[0])

    check(written, tolerance=ROWS)


MAKERS = [
    "zeros(0)", "ones(2, 3)", "empty(0)", "eye(2)", "full((2,), 1)", "full((2,), 1.5)", "full((2,), True)",
    "full((2,), 300)", "full((2,), 1j)", "arange(3)", "arange(0.0, 1.5)", "linspace(0, 3, 2)", "logspace(0, 1, 2)",
    "range(0, 1)", "randperm(3)", "rand(3)", "randn(3)", "randint(1, (3,))", "normal(0.0, 1.0, (3,))", "fft.fftfreq(3)",
    "fft.rfftfreq(3)",
]
HOW = {
    **{dtype: {"out": dtype} for dtype in ("float64", "float16", "int64", "uint8", "bool", "complex64")},
    "dtype of its own": {"out": "float64", "dtype": "float64"}, "another dtype": {"out": "int64", "dtype": "float32"},
    "device": {"out": "float32", "device": "cpu"}, "another device": {"out": "float32", "device": "meta"},
    "requires grad": {"out": "float32", "requires_grad": True}, "ints cannot": {"out": "int64", "requires_grad": True},
    "layout": {"out": "float32", "layout": "strided"}, "another layout": {"out": "float32", "layout": "sparse_coo"},
}


@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
@pytest.mark.parametrize(("call", "how"), sampled(MAKERS, HOW, fast=10, ci=3))
def test_new_numbers_in_out(call, how):
    """What is made takes the dtype of `out`; another one, or another device or layout, is refused."""
    def written(t):
        given = {key: getattr(t, value) if key in ("dtype", "layout") else value for key, value in HOW[how].items()}
        given["out"] = t.empty(0, dtype=getattr(t, given["out"]))
        return eval(f"t.{call.removesuffix(')')}, **given)", {"t": t, "given": given})

    check(written, tolerance=ROWS, facts=("requires_grad",))


@pytest.mark.parametrize(("name", "operand", "dtype"), sampled(
    ["sum", "prod", "nansum", "nanmean", "mean", "cumsum", "cumprod", "all", "any"], ["x", "x.long()", "x > 0", "x + 0j"],
    ["float64", "float16", "int8", "uint8", "bool", "complex128"], fast=10, ci=3))
def test_computed_in_the_dtype_of_out(name, operand, dtype):
    def written(t):
        x = t.tensor([[1.5, 0.25, -3.0], [2.5, 0.0, 100.0]])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of imaginary parts that are lost, once in a process
            return getattr(t, name)(eval(operand, {"x": x}), 1, out=t.empty(0, dtype=getattr(t, dtype)))

    check(written, tolerance=ROWS)


def test_sums_in_double_precision():
    """Not in float32, and cast then."""
    def written(t):
        x = t.tensor([1.0, 2.0 ** -30, 2.0 ** -30])
        return [f(x, 0, out=t.empty(0, dtype=t.float64)).tolist() for f in (t.sum, t.cumsum, t.mean)]

    check(written, tolerance=ROWS)


def test_each_result_has_memory_of_its_own():
    """Both that are empty."""
    def written(t):
        outs = tuple(t.empty(0, dtype=dtype) for dtype in (t.float32, t.float32, t.int64, t.float32))
        t.linalg.lstsq(t.eye(3)[:2], t.ones(2, 3), driver="gels", out=outs)
        return [x.shape for x in outs], outs[1].tolist()

    check(written, tolerance=ROWS)
