"""Functions of what each rank has, and operators of DTensors with tensors.
https://pytorch.org/docs/stable/distributed.tensor.html#experimental-features
"""

import contextlib
import functools
from collections.abc import Callable, Iterator

from torchlike._base.errors import UnsupportedError
from torchlike._record.tensor import Tensor
from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.distributed.tensor._dtensor import DTensor
from torchlike.distributed.tensor._rules import options
from torchlike.distributed.tensor.placement_types import Placement
from torchlike.utils import _pytree as pytree


@contextlib.contextmanager
def implicit_replication() -> Iterator[None]:
    """``with``: tensors beside DTensors count as whole on every rank.
    https://pytorch.org/docs/stable/distributed.tensor.html#torch.distributed.tensor.experimental.implicit_replication
    """
    before, options.thread.takes_tensors = options.thread.takes_tensors, True
    try:
        yield
    finally:
        options.thread.takes_tensors = before


def local_map(func: Callable | None = None, out_placements=None, in_placements=None, in_grad_placements=None,
              device_mesh: DeviceMesh | None = None, *, redistribute_inputs: bool = False,
              spmd_types: bool = False) -> Callable:
    """A function of DTensors by a function of what each rank has.
    https://pytorch.org/docs/stable/distributed.tensor.html#torch.distributed.tensor.experimental.local_map

    Args:
        func: of tensors; None to use this as a decorator.
        out_placements: of the results, one list for all or one for each, None for what is no tensor.
        in_placements: how each argument must lie, None for what is no DTensor; as it lies, where it is None.
        in_grad_placements: how the gradient of each argument is placed.
        device_mesh: of the results; that of the first DTensor where it is None.
        redistribute_inputs: whether arguments that lie otherwise are moved.
        spmd_types: must be False. PyTorch has it since 2.14.

    Returns:
        a function of DTensors.

    Raises:
        UnsupportedError: `spmd_types`.
        ValueError: when an argument lies otherwise. AssertionError: another number of placements than of arguments or
        results.
    """
    if spmd_types:
        raise UnsupportedError("torch.distributed.tensor.experimental.local_map(spmd_types=True) is not supported: nothing "
                               "checks how values vary among the ranks")
    if func is None:
        return functools.partial(local_map, out_placements=out_placements, in_placements=in_placements,
                                 in_grad_placements=in_grad_placements, device_mesh=device_mesh,
                                 redistribute_inputs=redistribute_inputs)

    @functools.wraps(func)
    def mapped(*args, **kwargs):
        flat, form = pytree.tree_flatten(args)
        if in_placements is not None and len(in_placements) != len(flat):
            raise AssertionError(f"in_placements length {len(in_placements)} does not match the number of input args "
                                 f"{len(flat)}!")
        mesh, given, is_any = device_mesh, [], False
        for i, x in enumerate(flat):
            if isinstance(x, DTensor):
                is_any, mesh = True, mesh or x.device_mesh
                x = _here(x, None if in_placements is None else in_placements[i],
                          None if in_grad_placements is None else in_grad_placements[i], redistribute_inputs)
            given.append(x)
        result = func(*pytree.tree_unflatten(given, form), **kwargs)
        return _placed(result, out_placements, mesh) if is_any else result

    return mapped


def _here(x, placements, grad_placements, moves) -> Tensor:
    """What this rank has of an argument."""
    if placements is not None and tuple(placements) != x.placements:
        if not moves:
            raise ValueError(f"arg {x} in local_map has a mismatched placements: arg placements is {x.placements} but the "
                             f"input placements is {tuple(placements)}! If redistribute_inputs is wanted, set "
                             "redistribute_inputs=True to local_map.")
        x = x.redistribute(placements=placements)
    return x.to_local(grad_placements=grad_placements)


def _placed(result, placements, mesh):
    """Results as DTensors."""
    flat, form = pytree.tree_flatten(result)
    is_one = placements is None or all(isinstance(p, Placement) for p in placements)
    wanted = [placements] * len(flat) if is_one else list(placements)
    if len(wanted) != len(flat):
        raise AssertionError(f"local_map requires one PlacementType for each output value, got {len(wanted)} placements but "
                             f"expected {len(flat)}!")
    return pytree.tree_unflatten([DTensor.from_local(x, mesh, p, run_check=False) if isinstance(x, Tensor) and p is not None
                                  else x for x, p in zip(flat, wanted, strict=True)], form)
