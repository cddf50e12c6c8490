"""Schemas of overloads, against PyTorch's."""

import pytest
import torch

import torchlike


def told(lib, name) -> list:
    packet, overload = name.split(".")
    schema = getattr(getattr(lib.ops.aten, packet), overload)._schema
    return [str(schema), schema.name, schema.overload_name, schema.is_mutable,
            [(a.name, str(a.type), a.has_default_value(), a.default_value, a.kwarg_only,
              a.alias_info is not None and a.alias_info.is_write) for a in schema.arguments],
            [(out.name, str(out.type)) for out in schema.returns]]


@pytest.mark.parametrize("name", [
    "mm.default", "add.Tensor", "add_.Tensor", "sum.dim_IntList", "max.dim", "tanh.default", "addmm.default", "bmm.default",
    "cat.default", "exp_.default"])
def test_schema(name):
    assert told(torchlike, name) == told(torch, name)


def test_without_a_row():
    with pytest.raises(torchlike.UnsupportedError, match="the schema of"):
        _ = torchlike.ops.aten.one_hot.default._schema
