"""Styles by the names of submodules."""

import fnmatch
import warnings

from torchlike.distributed.device_mesh import DeviceMesh, _mesh_resources
from torchlike.distributed.tensor.parallel.style import ParallelStyle
from torchlike.nn.modules.module import Module


def parallelize_module(module: Module, device_mesh: DeviceMesh | None = None, parallelize_plan=None, *,
                       src_data_rank: int | None = 0) -> Module:
    """Divide a module over the ranks of a mesh of one dimension.
    https://pytorch.org/docs/stable/distributed.tensor.parallel.html#torch.distributed.tensor.parallel.parallelize_module

    Args:
        module: the module.
        device_mesh: the mesh; the innermost ``with`` one where it is None.
        parallelize_plan: a ParallelStyle, or styles by names of submodules, in which a part may have wildcards
            (``layers.*.attention``).
        src_data_rank: as for `distribute_tensor`.

    Returns:
        the module.

    Raises:
        TypeError: another plan. RuntimeError: there is no mesh.
    """
    mesh = device_mesh or _mesh_resources.get_current_mesh()
    if parallelize_plan is None:
        warnings.warn("No parallelize_plan is provided and auto-parallel is not supported at the moment, so this "
                      "parallelize_module call will do nothing.", stacklevel=2)
        return module
    if isinstance(parallelize_plan, ParallelStyle):
        parallelize_plan.src_data_rank = src_data_rank
        return parallelize_plan._apply(module, mesh)
    if not isinstance(parallelize_plan, dict):
        raise TypeError("Expect Union[ParallelStyle, Dict[str, ParallelStyle]] for parallelize_plan, "
                        f"{type(parallelize_plan)} found!")
    for name, style in parallelize_plan.items():
        found, missing = _named(module, name)
        if not found:
            where = missing[1]
            warnings.warn(f"Parallelize plan key '{name}' could not be resolved: no submodule matching token '{missing[0]}' "
                          f"in module {where}, skipping this plan entry.", stacklevel=2)
        for each in found:
            parallelize_module(each, mesh, style, src_data_rank=src_data_rank)
    return module


def _named(module, name) -> tuple[list[Module], tuple]:
    """(The submodules of a name with wildcards, the part that none has and the module where it was looked for)."""
    found, missing = [module], ("", module)
    for token in name.split(".") if name else ():
        before = found
        found = [child for each in before for key, child in each.named_children() if fnmatch.fnmatch(key, token)]
        if not found:
            return [], (token, before[0])
    return found, missing
