"""`torch.nn.functional.scaled_mm`, compared with PyTorch's kernel for the CPU."""

import warnings

import pytest
import torch

import torchlike
from compat.compare import check
from compat.compare.tolerances import EXACT, LAYERS


def f8(lib, *shape, dtype="float8_e4m3fn", seed=0):
    values = torch.randn(shape, generator=torch.Generator().manual_seed(seed)).tolist()
    return lib.tensor(values).reshape(shape).to(getattr(lib, dtype))


def scaled(**given):
    """A call with these arguments, functions of the library, in the place of the usual ones."""
    def call(lib):
        kind = lib.nn.functional.ScalingType.TensorWise
        usual = {"mat_a": f8(lib, 32, 16), "mat_b": f8(lib, 16, 8, seed=1), "scale_a": lib.tensor(0.3),
                 "scale_recipe_a": kind,
                 "scale_b": lib.tensor(0.7), "scale_recipe_b": kind}
        out = lib.nn.functional.scaled_mm(**{**usual, **{name: make(lib) for name, make in given.items()}})
        return out.float(), str(out.dtype), out.stride()

    return call


def recipe(name):
    return lambda lib: getattr(lib.nn.functional.ScalingType, name)


def swizzle(name):
    return lambda lib: getattr(lib.nn.functional.SwizzleType, name)


def rows(**more):
    return scaled(**{"scale_a": lambda lib: lib.linspace(0.1, 2, 32).reshape(32, 1), "scale_recipe_a": recipe("RowWise"),
                     "scale_b": lambda lib: lib.linspace(1, 3, 8).reshape(1, 8), "scale_recipe_b": recipe("RowWise"),
                     **more})


def dtype(name):
    return lambda lib: None if name is None else getattr(lib, name)


CALLS = {
    **{f"to {name}": scaled(output_dtype=dtype(name)) for name in (
        "float32", "float16", "bfloat16", "float64", "float8_e4m3fn", "float8_e5m2", "int32", None)},
    **{f"of {name}": scaled(mat_a=lambda lib, name=name: f8(lib, 32, 16, dtype=name)) for name in (
        "float8_e5m2", "float8_e4m3fnuz", "float32", "bfloat16")},
    "rows": rows(), "rows to float32": rows(output_dtype=dtype("float32")),
    "rows of too few": rows(scale_b=lambda lib: lib.ones(8, 1)), "rows of one": rows(scale_a=lambda lib: lib.ones(())),
    "rows with a hole": rows(scale_a=lambda lib: lib.ones(32, 2)[:, :1]),
    "bias": scaled(bias=lambda lib: lib.arange(8.0), output_dtype=dtype("float32")),
    "bias of a half": scaled(bias=lambda lib: lib.arange(8.0).half()),
    "bias of 1 x 8": scaled(bias=lambda lib: lib.ones(1, 8)),
    "bias too small": scaled(bias=lambda lib: lib.ones(7)), "bias of integers": scaled(bias=lambda lib: lib.ones(8).int()),
    "overflow": scaled(scale_a=lambda lib: lib.tensor(300.0), output_dtype=dtype("float8_e4m3fn")),
    "odd sizes": scaled(mat_a=lambda lib: f8(lib, 5, 7), mat_b=lambda lib: f8(lib, 7, 3)),
    "nothing summed": scaled(mat_a=lambda lib: f8(lib, 4, 0), mat_b=lambda lib: f8(lib, 0, 3)),
    "3 dimensions": scaled(mat_a=lambda lib: f8(lib, 2, 32, 16)), "1 dimension": scaled(mat_b=lambda lib: f8(lib, 16)),
    "shapes": scaled(mat_a=lambda lib: f8(lib, 32, 8)),
    "scale of float64": scaled(scale_a=lambda lib: lib.tensor(1.0).double()),
    "scale (1)": scaled(scale_a=lambda lib: lib.ones(1), scale_b=lambda lib: lib.ones(1, 1)),
    "scale (2)": scaled(scale_a=lambda lib: lib.ones(2)), "mixed": scaled(scale_recipe_a=recipe("RowWise")),
    "blocks": scaled(scale_recipe_a=recipe("BlockWise1x32"), scale_recipe_b=recipe("BlockWise1x32")),
    "no swizzle": scaled(swizzle_a=swizzle("NO_SWIZZLE"), swizzle_b=swizzle("NO_SWIZZLE")),
    "swizzle": scaled(swizzle_a=swizzle("SWIZZLE_32_4_4")), "swizzles": scaled(
        swizzle_a=swizzle("NO_SWIZZLE"), swizzle_b=lambda lib: [swizzle("SWIZZLE_32_4_4")(lib)]),
    "contraction": scaled(contraction_dim=lambda lib: (1, 0)),
    "other contraction": scaled(contraction_dim=lambda lib: (0, 1)), "one": scaled(contraction_dim=lambda lib: [1]),
    "fast": scaled(use_fast_accum=lambda lib: True), "lists": scaled(
        scale_a=lambda lib: [lib.tensor(0.3)], scale_recipe_a=lambda lib: [recipe("TensorWise")(lib)]),
    "lists of two": scaled(scale_a=lambda lib: [lib.tensor(0.3)] * 2), "no scale": scaled(scale_a=lambda lib: None),
    "no scales": scaled(scale_a=lambda lib: [], scale_b=lambda lib: []), "a number": scaled(scale_recipe_a=lambda lib: 0),
}


@pytest.mark.parametrize("name", CALLS)
def test_scaled_mm(name):
    check(CALLS[name], tolerance=LAYERS)


@pytest.mark.parametrize("name", ["ScalingType", "SwizzleType"])
def test_enumerations(name):
    def outcomes(lib):
        kind = getattr(lib.nn.functional, name)
        return ([(each, value.value, int(value), value.name) for each, value in kind.__members__.items()], repr(kind(1)),
                kind(0) == 0)

    check(outcomes, tolerance=EXACT)


def test_grouped():
    for lib in (torch, torchlike):
        kind = lib.nn.functional.ScalingType.TensorWise
        with pytest.raises(NotImplementedError):
            lib.nn.functional.scaled_grouped_mm(f8(lib, 32, 16), f8(lib, 2, 16, 8), lib.ones(()), kind, lib.ones(()), kind,
                                                offs=lib.tensor([16, 32], dtype=lib.int32))


def older(**given):
    """A call of `torch._scaled_mm` with these arguments, functions of the library, in the place of the usual ones."""
    def call(lib):
        usual = {"input": f8(lib, 32, 16), "mat2": f8(lib, 16, 8, seed=1), "scale_a": lib.tensor(0.3),
                 "scale_b": lib.tensor(0.7)}
        out = lib._scaled_mm(**{**usual, **{name: make(lib) for name, make in given.items()}})
        return out.float(), str(out.dtype)

    return call


OLDER = {
    "": older(), "to float32": older(out_dtype=dtype("float32")), "rows": older(
        scale_a=lambda lib: lib.linspace(0.1, 2, 32).reshape(32, 1),
        scale_b=lambda lib: lib.linspace(1, 3, 8).reshape(1, 8)),
    "rows alone": older(scale_a=lambda lib: lib.ones(32, 1)), "scale (2)": older(scale_a=lambda lib: lib.ones(2)),
    "rows with a hole": older(scale_a=lambda lib: lib.ones(32, 2)[:, :1], scale_b=lambda lib: lib.ones(1, 8)),
    "scale of float64": older(scale_b=lambda lib: lib.tensor(1.0).double()),
    "of float32": older(input=lambda lib: lib.ones(32, 16)),
    "3 dimensions": older(input=lambda lib: f8(lib, 2, 3, 4)), "1 dimension": older(mat2=lambda lib: f8(lib, 16)),
    "shapes": older(input=lambda lib: f8(lib, 32, 8)),
    "bias": older(bias=lambda lib: lib.arange(8.0), out_dtype=dtype("float32")),
    "bias too small": older(bias=lambda lib: lib.ones(7)), "bias of integers": older(bias=lambda lib: lib.ones(8).int()),
    "scale of the result": older(scale_result=lambda lib: lib.tensor(2.0)),
    "scales of the result": older(scale_result=lambda lib: lib.ones(2)),
    "out": older(out_dtype=dtype("float32"), out=lambda lib: lib.empty(32, 8)),
}


@pytest.mark.parametrize("name", OLDER)
def test_older_form(name):
    """PyTorch's own kernel: on processors with AMX oneDNN's, which rounds more and checks other things, has its turn."""
    with warnings.catch_warnings(action="ignore"), torch.backends.mkldnn.flags(enabled=False):
        check(OLDER[name], tolerance=LAYERS)
