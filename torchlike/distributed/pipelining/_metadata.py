"""What stages tell one another of the tensors that they send: shape, strides, dtype, and whether they require grad."""

import warnings
from typing import Any, NamedTuple

from torchlike._base.dtypes import dtype
from torchlike._base.errors import UnsupportedError
from torchlike._base.size import Size
from torchlike._record.tensor import Tensor
from torchlike.distributed.tensor import DTensor
from torchlike.fx.node import map_aggregate


class PipeliningMetadataError(RuntimeError):
    """Tensors between stages are not what has been said of them, or are none."""


class TensorMeta(NamedTuple):
    """What is known of a tensor that is not there."""

    shape: Size
    stride: tuple
    dtype: dtype
    requires_grad: bool

    @classmethod
    def of(cls, tensor: Tensor) -> "TensorMeta":
        """Of a tensor.

        Args:
            tensor: the tensor.

        Returns:
            its metadata.

        Raises:
            UnsupportedError: it is a DTensor.
        """
        if isinstance(tensor, DTensor):
            raise UnsupportedError("torch.distributed.pipelining: stages that send DTensors, not their to_local()")
        return cls(tensor.shape, tensor.stride(), tensor.dtype, tensor.requires_grad)

    def differences(self, other: "TensorMeta") -> list[str]:
        """In what another one differs; whether it requires grad depends on the mode, and is not compared.

        Args:
            other: the other.

        Returns:
            a text for each.
        """
        return [f"{name} mismatch: {mine} vs {theirs}" for name, mine, theirs in zip(
            self._fields[:3], self[:3], other[:3], strict=True) if mine != theirs]


def metas_of(tensors) -> Any:
    """The metadata of tensors, some of which may be None.

    Args:
        tensors: a tuple, or None.

    Returns:
        a tuple; None of None.
    """
    return None if tensors is None else tuple(None if x is None else TensorMeta.of(x) for x in tensors)


def as_tuple(args: Any, allow_none: bool = False) -> tuple | None:
    """What a stage is given or gives, as a tuple of tensors.

    Args:
        args: a tensor, a tuple or list of them, or None.
        allow_none: whether there may be None among them.

    Returns:
        the tuple; None of None.

    Raises:
        PipeliningMetadataError: something else.
    """
    if args is None:
        return None
    if isinstance(args, Tensor):
        return (args,)
    if not isinstance(args, tuple | list):
        raise PipeliningMetadataError(
            f"Stage args must be a tensor, tuple, or list of tensors, got {type(args).__name__}.")
    for i, each in enumerate(args):
        if each is None and not allow_none:
            raise PipeliningMetadataError(
                f"Stage arg[{i}] is None. Stage args must be tensors. Use kwargs for optional values.")
        if each is not None and not isinstance(each, Tensor):
            raise PipeliningMetadataError(f"Stage arg[{i}] has type {type(each).__name__}. All stage args must be tensors. "
                                          "Use kwargs for non-tensor inputs.")
    return tuple(args)


def check_alike(what: str, expected: tuple, found: tuple) -> None:
    """Raises where tensors are not as expected.

    Args:
        what: what they are, for the text.
        expected, found: their metadata.

    Raises:
        PipeliningMetadataError: in number, shape, strides or dtype.
    """
    if len(expected) != len(found):
        raise PipeliningMetadataError(f"{what}: expected {len(expected)} tensors, got {len(found)}")
    for i, (meta, other) in enumerate(zip(expected, found, strict=True)):
        differences = meta.differences(other)
        if differences:
            raise PipeliningMetadataError(f"{what}[{i}]: {'; '.join(differences)}")


def warn_of_differences(what: str, expected: tuple | None, found: tuple | None) -> None:
    """Warns where tensors are not what the user has said of them.

    Args:
        what: what they are, for the text.
        expected, found: their metadata; None where nothing is known.
    """
    if not expected or not found:
        return
    if len(expected) != len(found):
        warnings.warn(f"{what}: expected {len(expected)} tensors, got {len(found)}", UserWarning, stacklevel=2)
        return
    for i, (meta, other) in enumerate(zip(expected, found, strict=True)):
        if meta is None or other is None:
            continue
        differences = meta.differences(other)
        if differences:
            warnings.warn(f"{what}[{i}]: Metadata mismatch. {'; '.join(differences)}. Using dynamically inferred metadata "
                          "instead.", UserWarning, stacklevel=2)


def described(values):
    """Tensors in a structure as texts, for errors.

    Args:
        values: the structure.

    Returns:
        the same structure.
    """
    return map_aggregate(values, lambda v: f"Tensor({v.shape}, grad={v.requires_grad}, dtype={v.dtype})"
                         if isinstance(v, Tensor) else str(v))
