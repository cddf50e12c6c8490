"""`torch.onnx` outside of an export."""

import enum

import pytest
import torch
import torch.onnx.operators

import torchlike


@pytest.mark.parametrize("name", ["OperatorExportTypes", "TensorProtoDataType", "TrainingMode"])
def test_enumerations(name):
    ours, theirs = getattr(torchlike.onnx, name), getattr(torch.onnx, name)
    assert issubclass(ours, enum.IntEnum)
    assert {k: int(v) for k, v in ours.__members__.items()} == {k: int(v) for k, v in theirs.__members__.items()}


def test_nothing_is_exported():
    assert torchlike.onnx.is_in_onnx_export() is False
    with pytest.raises(torchlike.UnsupportedError, match=r"^torch\.onnx\.export is not supported"):
        torchlike.onnx.export(torchlike.nn.Linear(2, 2), (torchlike.ones(2),), "file.onnx")
    with pytest.raises(torchlike.UnsupportedError):
        torchlike.onnx.ONNXProgram()


def test_registrations_leave_functions_as_they_are():
    @torchlike.onnx.symbolic_helper.parse_args("v", "i")
    @torchlike.onnx.symbolic_helper.quantized_args(True)
    def symbolic(g, x, n):
        return g, x, n

    torchlike.onnx.register_custom_op_symbolic("own::op", symbolic, 11)
    torchlike.onnx.unregister_custom_op_symbolic("own::op", 11)
    assert symbolic(1, 2, 3) == (1, 2, 3)


def test_operators():
    found = []
    for t in (torch, torchlike):
        shape = t.onnx.operators.shape_as_tensor(t.ones(2, 3))
        reshaped = t.onnx.operators.reshape_from_tensor_shape(t.arange(6), shape)
        found.append((str(shape.dtype), shape.tolist(), reshaped.tolist()))
    assert found[0] == found[1]
