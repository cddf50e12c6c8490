"""Where the parts of a tensor begin, under PyTorch's names."""

from torchlike._base.size import Size
from torchlike.distributed.tensor._dtensor import of_whole
from torchlike.distributed.tensor._dtensor_spec import part


def compute_local_shape_and_global_offset(global_shape, mesh, placements) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What this rank has of a tensor.

    Args:
        global_shape: the sizes of the whole.
        mesh: the DeviceMesh.
        placements: one for each dimension of the mesh.

    Returns:
        (its sizes, where it begins in each dimension).
    """
    sizes, offsets = part(tuple(global_shape), placements, mesh.shape, mesh.get_coordinate())
    return Size(sizes), tuple(offsets)


def compute_global_tensor_info(tensor, mesh, placements) -> tuple[list[int], list[int]]:
    """The form of the whole of which each rank has as much as this one.

    Args:
        tensor: what this rank has.
        mesh, placements: as for `compute_local_shape_and_global_offset`.

    Returns:
        (its sizes, its strides).
    """
    meta = of_whole(tensor, mesh, tuple(placements)).tensor_meta
    return list(meta.shape), list(meta.stride)
