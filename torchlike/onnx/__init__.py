"""`torch.onnx` for programs that ask whether they are being exported. https://pytorch.org/docs/stable/onnx.html

Nothing is exported: `export` refuses, so `is_in_onnx_export` is False, and what programs register for an export is not
kept. To leave Python, `torchlike.to_jax` gives a function of JAX, which `jax.export` writes to a file.

`symbolic_helper.py` has the decorators of what is registered, `operators.py` two functions for exported models; what else
such functions use is in `_base/absent_modules.py`. Programs import this package, nothing inside torchlike does.
"""

import enum as _enum

from torchlike._base.absent import uninstantiable as _uninstantiable
from torchlike._base.errors import UnsupportedError as _UnsupportedError
from torchlike.onnx import operators as operators
from torchlike.onnx import symbolic_helper as symbolic_helper

_REASON = "torch.onnx.export is not supported: to_jax gives a function of JAX, which jax.export writes to a file"
OperatorExportTypes = _enum.IntEnum("OperatorExportTypes", "ONNX ONNX_ATEN ONNX_ATEN_FALLBACK ONNX_FALLTHROUGH", start=0,
                                    module=__name__)
TensorProtoDataType = _enum.IntEnum(
    "TensorProtoDataType",
    "UNDEFINED FLOAT UINT8 INT8 UINT16 INT16 INT32 INT64 STRING BOOL FLOAT16 DOUBLE UINT32 UINT64 COMPLEX64 COMPLEX128 "
    "BFLOAT16 FLOAT8E4M3FN FLOAT8E4M3FNUZ FLOAT8E5M2 FLOAT8E5M2FNUZ", start=0, module=__name__)
TrainingMode = _enum.IntEnum("TrainingMode", "EVAL PRESERVE TRAINING", start=0, module=__name__)
ONNXProgram = _uninstantiable("ONNXProgram", __name__, _UnsupportedError, _REASON)


class OnnxExporterError(RuntimeError):
    """What an export that failed raises in PyTorch."""


def is_in_onnx_export() -> bool:
    """False: nothing is exported.
    https://pytorch.org/docs/stable/onnx_export.html#torch.onnx.is_in_onnx_export
    """
    return False


def export(model, args=(), f=None, **kwargs):
    """Refused: torchlike writes no ONNX files.
    https://pytorch.org/docs/stable/onnx_export.html#torch.onnx.export

    Args:
        model, args, f, kwargs: not looked at.

    Raises:
        UnsupportedError: always.
    """
    raise _UnsupportedError(_REASON)


def register_custom_op_symbolic(symbolic_name: str, symbolic_fn, opset_version: int) -> None:
    """Does nothing: it says how an operator is exported, and nothing is.

    Args:
        symbolic_name, symbolic_fn, opset_version: not looked at.
    """


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Does nothing, as for `register_custom_op_symbolic`.

    Args:
        symbolic_name, opset_version: not looked at.
    """
