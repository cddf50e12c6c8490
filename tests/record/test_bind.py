"""Operands of several devices, against PyTorch: a scalar of the CPU goes to the other's device, all else is refused."""

import pytest
import torch as theirs

import torchlike as ours

OPERATIONS = {
    "mul": lambda m, x, y: x * y, "where": lambda m, x, y: m.where(x > 0, x, y), "eq": lambda m, x, y: x == y,
    "addcmul": lambda m, x, y: m.addcmul(x, x, y), "cat": lambda m, x, y: m.cat([x.reshape(-1), y.reshape(-1)]),
    "pow": lambda m, x, y: m.pow(x, y), "clamp": lambda m, x, y: m.clamp(x, y), "lerp": lambda m, x, y: m.lerp(x, y, 0.5),
}
SHAPES = [((), ()), ((), (2,)), ((2,), ()), ((2,), (2,))]


def _outcome(m, name, shapes, devices):
    try:
        x, y = (m.full(shape, 2.0, device=device) for shape, device in zip(shapes, devices, strict=True))
        made = OPERATIONS[name](m, x, y)
        return str(made.dtype), str(made.device), tuple(made.shape)
    except RuntimeError as error:
        return str(error).splitlines()[0]


@pytest.mark.parametrize("devices", [("cpu", "meta"), ("meta", "cpu")], ids="-".join)
@pytest.mark.parametrize("name", OPERATIONS)
def test_meta_and_cpu(name, devices):
    for shapes in SHAPES:
        found = _outcome(ours, name, shapes, devices)
        wanted = _outcome(theirs, name, shapes, devices)
        assert (found if isinstance(found, str) else (found[0].replace("torchlike", "torch"), *found[1:])) == wanted, shapes


@pytest.mark.parametrize("write", ["add_", "mul_", "fill_"])
def test_values_of_meta_are_not_written(write):
    """PyTorch writes what lies in the memory that a meta tensor has not."""
    for x in (ours.ones(()), ours.ones(2)):
        with pytest.raises(RuntimeError, match="Tensor on device meta is not on the expected device cpu!"):
            getattr(x, write)(ours.tensor(2.0, device="meta"))
        assert x.sum().item() == x.numel()
