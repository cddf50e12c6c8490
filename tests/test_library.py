"""`torch.library`, compared with PyTorch's."""

import re
import threading
import typing
import warnings
from collections.abc import Sequence

import pytest
import torch

import torchlike

BOTH = (torch, torchlike)
LIBRARIES = pytest.mark.parametrize("lib", BOTH, ids=["torch", "torchlike"])
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # PyTorch's vmap falls back


def signatures(t):
    """Functions whose annotations are schemas, and some that are none."""
    def a(x: t.Tensor, y: float = 2.0, z: t.Tensor | None = None, *, n: int = 3, s: str = "a", b: bool = True) -> int: ...
    def b(x: t.Tensor, v: list[float] | None = None, d: t.dtype | None = None, e: float = -1) -> tuple[t.Tensor, int]: ...
    def c(x: list[t.Tensor], o: Sequence[t.Tensor | None], n: int | float | bool = 1) -> list[t.Tensor]: ...
    def d(x: t.Tensor, w: t.device | None = None) -> None: ...
    def e(x: "t.Tensor", k: typing.Optional[int] = None) -> int: ...  # noqa: UP045 - both forms
    def f(x) -> None: ...
    def g(x: dict) -> None: ...
    def h(x: t.Tensor): ...
    def i(x: t.Tensor, *rest) -> None: ...
    def j(x: list[str]) -> None: ...
    def k(x: t.Tensor, y: tuple = ()) -> None: ...
    def m(x: t.Tensor, y: list[int] = ()) -> None: ...
    return a, b, c, d, e, f, g, h, i, j, k, m


def told(error):
    """An error without the modules, types and paths of a library."""
    return type(error).__name__, re.split(r"The valid types|Got func|\n", str(error))[0]


@pytest.mark.parametrize("mutates", [(), ("x",), "unknown", ("q",), ("y",)], ids=str)
@pytest.mark.parametrize("number", range(12))
def test_infer_schema(number, mutates):
    found = []
    for t in BOTH:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                function = signatures(t)[number]
                function.__globals__["t"] = t  # what the annotation in quotes means
                found.append(t.library.infer_schema(function, mutates_args=mutates))
            except ValueError as error:
                found.append(told(error))
    assert found[0] == found[1]


@LIBRARIES
def test_kernels_before_the_definition(lib):
    lib.library.impl("ours_early::unpack", ["CPU"], lambda x: x + 1)
    lib.library.register_kernel("ours_early::twice", "cpu", lambda x: x * 2)
    space = lib.library.Library("ours_early", "FRAGMENT")
    space.impl("thrice", lambda x: x * 3, "CPU")
    with pytest.raises(AttributeError):
        lib.ops.ours_early.unpack  # noqa: B018 - asked for
    for name in ("unpack", "twice", "thrice"):
        space.define(f"{name}(Tensor x) -> Tensor")
    assert [getattr(lib.ops.ours_early, name)(lib.ones(1)).item() for name in ("unpack", "twice", "thrice")] == [2, 2, 3]


def test_kernels_of_pytorchs_operators():
    with pytest.raises(RuntimeError, match="does not exist"):
        torchlike.library.Library("aten", "IMPL").impl("mul.Tensor", lambda x, y: x, "CPU")


@LIBRARIES
def test_custom_op(lib):
    @lib.library.custom_op("ours_test::scaled_sin", mutates_args=())
    def scaled_sin(x: lib.Tensor, k: float = 1.0, *, shift: float = 0.0) -> lib.Tensor:
        return lib.sin(x * k) + shift

    x = lib.ones(3, requires_grad=True)
    out = scaled_sin(x, 2.0, shift=1.0)
    assert out.grad_fn.name() == "GeneratedBackwardFor_ours_test_scaled_sin_defaultBackward"
    with pytest.raises(RuntimeError, match=r"^Trying to backward through ours_test\.scaled_sin\.default but no autograd"):
        out.sum().backward()

    def set_up(ctx, inputs, keyword_only_inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.k, ctx.shift = inputs[1], keyword_only_inputs["shift"]

    def backward(ctx, grad):
        return grad * lib.cos(ctx.saved_tensors[0] * ctx.k) * ctx.k, None

    scaled_sin.register_autograd(backward, setup_context=set_up)
    for call in (scaled_sin, lib.ops.ours_test.scaled_sin, lib.ops.ours_test.scaled_sin.default):
        x.grad = None
        call(x, 2.0, shift=1.0).sum().backward()
        assert lib.allclose(x.grad, 2 * lib.cos(x.detach() * 2))
    assert str(lib.ops.ours_test.scaled_sin.default) == "ours_test.scaled_sin.default"
    assert lib.ops.ours_test.scaled_sin.default.name() == "ours_test::scaled_sin"
    assert repr(scaled_sin) == "<CustomOpDef(ours_test::scaled_sin)>"
    for args, text in (((), "is missing value for argument 'x'."),
                       ((x, 1.0, 2.0), "takes 2 positional argument(s) but 3 was/were given.  Declaration: ours_test::sca")):
        with pytest.raises(RuntimeError) as caught:
            scaled_sin(*args)
        assert f"ours_test::scaled_sin() {text}" in str(caught.value)


@LIBRARIES
def test_vmap(lib):
    calls = []

    @lib.library.custom_op("ours_test::double", mutates_args=())
    def double(x: lib.Tensor, y: lib.Tensor) -> lib.Tensor:
        return x * 2 + y

    x, y = lib.arange(6.0).reshape(2, 3), lib.ones(3)
    assert lib.vmap(double, in_dims=(0, None))(x, y).tolist() == (x * 2 + 1).tolist()
    assert lib.vmap(double, in_dims=(1, 0))(x, y).tolist() == (x * 2 + 1).t().tolist()

    @double.register_vmap
    def rule(info, in_dims, x, y):
        calls.append((info.batch_size, in_dims))
        return double(x.movedim(in_dims[0], 0), y), 0

    assert lib.vmap(double, in_dims=(1, None))(x, lib.ones(1)).tolist() == (x * 2 + 1).t().tolist()
    assert calls == [(3, (1, None))]


@LIBRARIES
def test_results_must_be_new(lib):
    for name, function in (("same", lambda x: x), ("view", lambda x: x[0])):
        op = lib.library.custom_op(f"ours_test::{name}", function, mutates_args=(), schema="(Tensor x) -> Tensor")
        with pytest.raises(RuntimeError, match=rf"{name} .*must not also be an input to this custom operator and \(2\)"):
            op(lib.ones(2))


@LIBRARIES
def test_writes(lib):
    @lib.library.custom_op("ours_test::fill", mutates_args={"x"})
    def fill(x: lib.Tensor) -> None:
        x.fill_(5)

    x = lib.zeros(2)
    version = x._version
    assert fill(x) is None
    assert x.tolist() == [5, 5] and x._version > version


@LIBRARIES
def test_library(lib):
    x = lib.ones(3, requires_grad=True)
    library = lib.library.Library("ours_lib", "DEF")
    assert library.define("twice(Tensor x, int k=2) -> Tensor") == "twice"
    with pytest.raises(RuntimeError, match=r"^Tried to register an operator \(ours_lib::twice\(Tensor x\) -> Tensor\) with"):
        library.define("twice(Tensor x) -> Tensor")
    with pytest.raises(NotImplementedError, match=r"Could not run 'ours_lib::twice' with arguments from the 'CPU' backend"):
        lib.ops.ours_lib.twice(x)
    library.impl("twice", lambda x, k=2: x * k, "CompositeImplicitAutograd")
    assert lib.ops.ours_lib.twice(x, k=3).grad_fn.name() == "MulBackward0"
    library.define("seven(Tensor x) -> Tensor")
    library.impl("seven", lambda x: x + 1, "CPU")

    class Seven(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            with lib._C._AutoDispatchBelowAutograd():
                return lib.ops.ours_lib.seven(x)

        @staticmethod
        def backward(ctx, grad):
            return grad * 7

    library.impl("seven", Seven.apply, "Autograd")
    out = lib.ops.ours_lib.seven(x)
    out.sum().backward()
    assert (out.tolist(), x.grad.tolist()) == ([2.0] * 3, [7.0] * 3)
    with pytest.raises(ValueError, match=r"^Unsupported kind: XX$"):
        lib.library.Library("q", "XX")


@LIBRARIES
def test_functions(lib):
    lib.library.define("ours_fun::f", "(Tensor x) -> Tensor")
    with pytest.raises(ValueError, match="Expected `qualname` to be of the form"):
        lib.library.define("f", "(Tensor x) -> Tensor")

    @lib.library.impl("ours_fun::f", "cpu")
    def f(x):
        return x * 3

    @lib.library.register_fake("ours_fun::f")
    def fake(x):
        return lib.empty_like(x)

    x = lib.ones(2, requires_grad=True)
    lib.library.register_autograd("ours_fun::f", lambda ctx, grad: grad * 10)
    lib.ops.ours_fun.f(x).sum().backward()
    assert (lib.ops.ours_fun.f(x).tolist(), x.grad.tolist()) == ([3, 3], [10, 10])
    assert lib.ops.ours_fun.f(lib.empty(2, 3, device="meta")).shape == (2, 3)
    with pytest.raises(RuntimeError, match="operator ours_fun::nope does not exist"):
        lib.library.register_fake("ours_fun::nope", fake)
    assert not hasattr(lib.ops.ours_fun, "nope") and not hasattr(lib.ops.nobodys, "f")
    with pytest.raises(AttributeError, match=r"The underlying op of 'ours_fun\.f' has no overload name 'nope'"):
        lib.ops.ours_fun.f.nope  # noqa: B018
    with pytest.raises(OSError, match="Could not load this library: /nowhere"):
        lib.ops.load_library("/nowhere")


def test_refusals():
    for call in (lambda: torchlike.library.opcheck(None, ()), lambda: torchlike.library.wrap_triton(None),
                 lambda: torchlike.library.triton_op("a::b", mutates_args=())):
        with pytest.raises(torchlike.UnsupportedError, match=r"^torch\.library\."):
            call()
    op = torchlike.library.custom_op("ours_test::cat", lambda x: x[0] + x[1], mutates_args=(),
                                     schema="(Tensor[] x) -> Tensor")
    assert op([torchlike.ones(1), torchlike.ones(1)]).tolist() == [2]
    with pytest.raises(torchlike.UnsupportedError, match="that the dispatch key XLA would tell"):
        torchlike.library.Library("ours_test", "FRAGMENT").impl("cat", print, "XLA")


def test_blocks_below_autograd_are_of_their_thread():
    seen = []
    with torchlike._C._AutoDispatchBelowAutograd():
        thread = threading.Thread(target=lambda: seen.append(torchlike._C._is_below_autograd()))
        thread.start()
        thread.join()
        seen.append(torchlike._C._is_below_autograd())
    assert seen == [False, True] and not torchlike._C._is_below_autograd()


def test_dtypes_are_defaults():
    def program(t):
        def scaled(x: t.Tensor, to: t.dtype = t.float64, other: t.dtype | None = None) -> t.Tensor:
            return x.to(to)

        schema = t.library.infer_schema(scaled, mutates_args=())
        library = t.library.Library("tests_dtypes", "DEF")
        library.define(f"scaled{schema}")
        library.define("more(Tensor x, *, ScalarType a=long, ScalarType? b=bfloat16) -> Tensor")
        library.impl("scaled", scaled, "CompositeExplicitAutograd")
        call, x = t.ops.tests_dtypes.scaled, t.ones(2)
        return schema, [str(y.dtype) for y in (call(x), call(x, t.float16))]

    assert program(torchlike) == program(torch)
