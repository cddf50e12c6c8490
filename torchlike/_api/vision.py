"""`torch.grid_sampler`. https://pytorch.org/docs/stable/generated/torch.nn.functional.grid_sample.html"""

from __future__ import annotations

from torchlike._api.generated import ops
from torchlike._modes.composite import composite
from torchlike._record.tensor import Tensor


@composite("grid_sampler")
def grid_sampler(input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tensor:
    """`grid_sampler_2d` or `grid_sampler_3d`, by the rank of the input."""
    face = ops.grid_sampler_3d if input.dim() == 5 else ops.grid_sampler_2d
    return face(input, grid, interpolation_mode, padding_mode, align_corners)


FUNCTIONS: dict = {"grid_sampler": grid_sampler}
