"""Operators of libraries under autocast, classes and modes with ``__torch_dispatch__``, and with kernels switched off."""

import inspect
import itertools
import re

import pytest
import torch
import torch.utils._python_dispatch

import torchlike
import torchlike.utils._python_dispatch

BOTH = (torch, torchlike)
numbers = itertools.count()


def made(lib, seen=None):
    """An operator of several arguments, which adds to a list in which dtypes it computes."""
    name = f"rules{next(numbers)}::scaled"

    def scaled(x, others, k=2.0, *, n=1):
        if seen is not None:
            seen.append((x.dtype, lib.mm(x, x).dtype))
        return x * k + n

    text = "(Tensor x, Tensor[] others, float k=2.0, *, int n=1) -> Tensor"
    return lib.library.custom_op(name, scaled, mutates_args=(), schema=text)


def compared(program):
    """What a program gives in both libraries, or its error."""
    found = []
    for lib in BOTH:
        try:
            result = program(lib)
        except Exception as error:  # noqa: BLE001 - whatever it raises is compared
            result = (type(error).__name__, str(error))
        found.append(re.sub(r"rules\d+|torchlike|'torch\.|/[^ ]*:\d+", "", str(result)).replace("torch.", ""))
    assert "AttributeError" not in found[0]
    assert found[1] == found[0]


def autocast_casts(lib):
    seen: list = []
    op = made(lib, seen)
    op.register_autocast("cpu", lib.bfloat16)
    op.register_autocast("cpu", lib.float16)  # the first stays
    x = lib.ones(2, 2)
    with lib.autocast("cpu"):
        y, z = op(x, [x]), op(x.double(), [])
    return y.dtype, z.dtype, op(x, []).dtype, seen


def autocast_has_gradients(lib):
    name = f"rules{next(numbers)}::squared"
    op = lib.library.custom_op(name, lambda x: x * x, mutates_args=(), schema="(Tensor x) -> Tensor")
    op.register_autocast("cpu", lib.bfloat16)
    op.register_autograd(lambda ctx, g: g * 3)
    x = lib.ones(2, 2, requires_grad=True)
    with lib.autocast("cpu"):
        y = op(x)
    y.sum().backward()
    return y.dtype, x.grad


def autocast_by_name(lib):
    seen: list = []
    op = made(lib, seen)
    lib.library.register_autocast(op._qualname, "cpu", lib.float16)
    with lib.autocast("cpu", enabled=False):
        first = op(lib.ones(2, 2), []).dtype
    with lib.autocast("cpu"):
        second = op(lib.ones(2, 2), [], 3.0).dtype
    return first, second, seen


def autocast_of_keywords(lib):
    op = made(lib)
    op.register_autocast("cpu", lib.bfloat16)
    with lib.autocast("cpu"):
        return op(lib.ones(2, 2), [], n=3)


def mode_sees(lib):
    op = made(lib)
    calls = []

    class Mode(lib.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            calls.append((str(func), len(args), kwargs))
            return func(*args, **(kwargs or {}))

    x = lib.ones(2, 2)
    with Mode():
        y = op(x, [x])
        op(x, [x], 3.0, n=4)
        op(x, [x], n=1)
    rule = lib.library.register_torch_dispatch(op._qualname, Mode)
    rule(lambda mode, func, types, args, kwargs: func(*args, **kwargs) + 10)
    with Mode():
        z = op(x, [x])

    class Below(Mode):
        pass

    with Below():
        w = op(x, [x])
    return y, z, w, calls


def class_sees(lib):
    op = made(lib)
    calls = []

    class Wrapped(lib.Tensor):
        @staticmethod
        def __new__(cls, inner):
            made = lib.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
            made.inner = inner
            return made

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            calls.append((str(func), [kind.__name__ for kind in types]))
            args = [x.inner if isinstance(x, cls) else x for x in args]
            return Wrapped(func(*args, **(kwargs or {})))

    x = Wrapped(lib.ones(2, 2))
    first = op(x, [])

    @op.register_torch_dispatch(Wrapped)
    def rule(kind, func, types, args, kwargs):
        calls.append((kind.__name__, str(func), args[0] is x, len(args), kwargs))
        return lib.ones(3)

    return type(first).__name__, first.inner, op(x, [], n=2), calls


def defined_by_a_library(lib):
    space = f"rules{next(numbers)}"
    library = lib.library.Library(space, "FRAGMENT")
    library.define("twice(Tensor x) -> Tensor")
    library.impl("twice", lambda x: x * 2, "CPU")
    calls = []

    class Mode(lib.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            calls.append(str(func))
            return func(*args, **(kwargs or {}))

    lib.library.register_torch_dispatch(f"{space}::twice", Mode)(lambda mode, func, types, args, kwargs: args[0] - 1)
    op = getattr(lib.ops, space).twice
    with Mode():
        found = op(lib.ones(2))
    return found, op(lib.ones(2)), calls


def kernels_disabled(lib):
    op = made(lib)
    op.register_kernel("cpu")(lambda x, others, k=2.0, *, n=1: x - 100)
    x, found = lib.ones(2, 2), []
    with op.set_kernel_enabled("cpu", enabled=False):
        found.append(op(x, []))
        with op.set_kernel_enabled("cpu"):
            found.append(op(x, []))
        with op.set_kernel_enabled("cpu", False):
            found.append(op(x, []))
    with op.set_kernel_enabled("cpu"):
        found.append(op(x, []))
    return found


def context(lib):
    op = made(lib)
    found = [lib.library.get_ctx()]
    op.register_fake(lambda x, others, k=2.0, *, n=1: lib.library.get_ctx() or x)
    op(lib.ones(2, 2, device="meta"), [])
    return found


PROGRAMS = {f.__name__: f for f in (
    autocast_casts, autocast_has_gradients, autocast_by_name, autocast_of_keywords, mode_sees, class_sees,
    defined_by_a_library, kernels_disabled, context)}
ERRORS = {re.sub(r"lambda lib: (.*?),?\s*$", r"\1", inspect.getsource(f).strip()): f for f in (
    lambda lib: made(lib).register_autocast(3, lib.float16),
    lambda lib: made(lib).register_autocast("nothing", lib.float16),
    lambda lib: lib.library.register_autocast(3, "cpu", lib.float16),
    lambda lib: lib.library.register_autocast(made(lib)._qualname, "nothing", lib.float16),
    lambda lib: lib.library.register_torch_dispatch(3, int),
    lambda lib: lib.library.get_kernel(3, "CPU"),
    lambda lib: lib.library.Library("rules_one", "FRAGMENT").fallback(print, "CPU"),
    lambda lib: lib.library.Library("_", "IMPL").fallback(print),
    lambda lib: made(lib).register_effect(None))}


@pytest.mark.parametrize("name", [*PROGRAMS, *ERRORS])
def test_programs(name):
    compared(PROGRAMS.get(name) or ERRORS[name])


def test_warnings_about_kernels(caplog):
    texts = []
    for lib in BOTH:
        op, caplog.records[:] = made(lib), []
        caplog.clear()
        with op.set_kernel_enabled("cpu"), op.set_kernel_enabled("cpu", False), op.set_kernel_enabled("cpu", False):
            texts.append([record.getMessage() for record in caplog.records])
    assert texts[0] == texts[1] and len(texts[0]) == 5


@pytest.mark.parametrize("call", [
    lambda: torchlike.library.get_kernel("aten::sin", "CPU"),
    lambda: torchlike.library.Library("_", "IMPL").fallback(print, "CPU"),
    lambda: torchlike.library.Library("ours", "FRAGMENT").register_symm_mem_args("f", ["x"])], ids=range(3))
def test_refusals(call):
    with pytest.raises(torchlike.UnsupportedError, match=r"torch\.library\."):
        call()
