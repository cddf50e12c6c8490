"""A value for each parameter of a form, by its name and the text of its annotation.

A form is tried with several profiles: how its tensors look. The first that PyTorch takes is used.
"""

import ast
import dataclasses

import torch

from compat.forms.signatures import REQUIRED, Argument

SKIP = object()  # no value can be made


@dataclasses.dataclass(frozen=True)
class Profile:
    """How the tensors of a call look: a shape and a dtype, and other shapes for parameters of these names."""

    shape: tuple[int, ...]
    dtype: torch.dtype = torch.float64
    shapes: dict = dataclasses.field(default_factory=dict)

    def tensor(self, name) -> torch.Tensor:
        """Positive numbers, those of a matrix positive definite."""
        shape = self.shapes.get(name, self.shape)
        if name in _INDICES:
            return _places(shape)
        if name in _MASKS:
            return torch.arange(max(1, torch.Size(shape).numel())).reshape(shape) % 2 == 0
        numbers = torch.arange(1, torch.Size(shape).numel() + 1, dtype=torch.float64).reshape(shape)
        made = numbers / (numbers.numel() + 1) if self.dtype.is_floating_point or self.dtype.is_complex else numbers
        if len(shape) == 2 and shape[0] == shape[1]:
            made = made + made.T + 4 * torch.eye(shape[0], dtype=made.dtype)
        return made.to(self.dtype)


def _places(shape) -> torch.Tensor:
    """Indices that name no place twice: along each dimension of a matrix, within each plane of images."""
    if len(shape) > 2:
        return torch.arange(shape[-1] * shape[-2]).reshape(shape[-2:]).expand(shape).clone()
    along = torch.arange(shape[-1] if shape else 1)
    return along.reshape(shape) if len(shape) < 2 else (along + torch.arange(shape[0])[:, None]) % shape[1]


PROFILES = (
    Profile((3, 3)), Profile((3,)), Profile((1, 2, 4, 4), shapes={"weight": (2, 2, 3, 3), "bias": (2,)}),
    Profile((3, 3), torch.int64), Profile((3,), torch.int64), Profile(()), Profile((1, 2, 4), shapes={"weight": (2, 2, 3)}),
    Profile((1, 2, 4, 4, 4), shapes={"weight": (2, 2, 3, 3, 3)}), Profile((3, 3), torch.complex128), Profile((2, 3, 3)),
    Profile((3, 3), torch.bool), Profile((1, 2, 4, 4), shapes={"weight": (2,), "bias": (2,), "running_mean": (2,),
                                                             "running_var": (2,), "mean": (2,), "var": (2,)}),
)
_INDICES = ("index", "indices", "repeats", "sorted_sequence_index")
_MASKS = ("mask", "condition", "key_padding_mask")
# Where a value of the annotation's kind would mean nothing to the function.
_NAMED = {
    "dim": 0, "dim0": 0, "dim1": 1, "axis": 0, "dims": (0, 1), "axis0": 0, "axis1": 1, "dimension": 0, "size": (3, 3),
    "kernel_size": 2, "output_size": 2, "shape": (3, 3), "split_size": 1, "split_sizes": (1, 2), "sections": 1, "chunks": 2,
    "shifts": 1, "p": 0.5, "q": 0.5, "rounding_mode": "floor", "side": "right", "reduce": "sum", "reduction": "sum",
    "indexing": "ij", "norm": "ortho", "UPLO": "U", "mode": "reduced", "ord": 2, "equation": "ij->ji", "repeats": 2,
    "return_indices": False, "num_classes": -1, "n_fft": 2, "tensor_dim": 0, "bins": 3, "low": 0, "high": 5, "steps": 3,
    "step": 1, "start": 0, "end": 3, "length": 1, "device": "cpu", "k": 1, "n": 1, "N": 3, "window_length": 4, "order": 1,
    "pin_memory": False, "requires_grad": False, "pad": (1, 1), "groups": 1, "driver": "gels", "approximate": "tanh",
    "memory_format": torch.contiguous_format, "layout": torch.strided, "hermitian": True, "full_matrices": False,
    "scale_factor": None, "bidirectional": False, "dtype": torch.float64, "generator": None, "max_norm": 1.0,
    "sizes": (3, 3), "padding_idx": 0, "is_coalesced": None, "storage_offset": 0, "stride": None, "out_dtype": None,
    "dst_type": torch.float64, "maxlen": 3, "upscale_factor": 1, "downscale_factor": 1, "num_samples": 2, "copy": True,
    "weights": None, "upper": True, "kernel": 2, "factor": 1, "func": None, "memory_efficient": False, "ndim": 2,
    "stable": True, "indices": (1, 2), "physical_layout": (0, 1), "normalized_shape": (3,), "align_corners": True,
    "correction": 0, "dilation": 1, "padding": 0, "antialias": False, "window": None,
}
_KINDED = (  # by how the annotation begins, the first that fits
    (("tuple[Tensor", "list[Tensor", "Tensor[]"), "tensors"), (("Tensor | Number", "Tensor", "torch.Tensor"), "tensor"),
    (("Number", "Scalar", "_complex", "Sequence[Number"), 2), (("_bool", "bool"), True), (("_float", "float"), 0.5),
    (("_int", "int", "SymInt", "Sequence[_int", "_size", "*_int", "_symsize", "tuple[_int"), 1),
    (("_dtype", "ScalarType"), torch.float64), (("Generator", "_layout", "memory_format"), None),
)


def value(argument: Argument, profile: Profile):
    """What to give for a parameter; SKIP where nothing is known that fits."""
    if argument.name == "reduction" and "int" in argument.kind:
        return 2
    if argument.name in _NAMED and not argument.kind.startswith(("Tensor", "<class 'torch.Tensor'")):
        return _NAMED[argument.name]
    kind = argument.kind.removeprefix("<class '").removesuffix("'>").removeprefix("*")
    for beginnings, made in _KINDED:
        if kind.startswith(beginnings):
            if made == "tensors":
                return [profile.tensor(argument.name), profile.tensor(argument.name)]
            return profile.tensor(argument.name) if made == "tensor" else made
    return profile.tensor(argument.name) if not kind and argument.default is REQUIRED else SKIP


def default(argument: Argument):
    """The default as a value; SKIP where its text is none."""
    try:
        return ast.literal_eval(str(argument.default))
    except (ValueError, SyntaxError):
        return SKIP
