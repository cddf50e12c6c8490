"""Collectives that return their results; what each rank prints is compared with PyTorch's."""

import datetime
import warnings

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as fc
from torch.distributed.device_mesh import init_device_mesh

warnings.simplefilter("ignore")
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
rank, size = dist.get_rank(), dist.get_world_size()
world, ranks = dist.group.WORLD, list(range(size))
line = init_device_mesh("cpu", (size,))
plane = init_device_mesh("cpu", (1, size), mesh_dim_names=("a", "b"))
pair = dist.new_group([0, 1])


def told(name, f):
    try:
        found = f()
    except Exception as error:  # noqa: BLE001 - what it raises is compared
        found = f"{type(error).__name__}: {error}"
    print(name, found, flush=True)


def numbers(*shape, dtype=torch.float32):
    return ((torch.arange(torch.Size(shape).numel()) * 3 + rank * 5) % 7 + 1).reshape(shape).to(dtype)


def values(x):
    return x.tolist(), tuple(x.shape), str(x.dtype)


def graded(f, *shape, **kwargs):
    """The result, and the gradient of its weighted sum."""
    x = numbers(*shape).requires_grad_()
    y = f(x, **kwargs)
    (y * torch.arange(1.0, y.numel() + 1).reshape(y.shape) * (rank + 1)).sum().backward()
    return y.tolist(), y.requires_grad, x.grad.tolist()


given = numbers(3)
for name, group in {"group": world, "ranks": ranks, "mesh": line, "dim": (plane, 1), "name": world.group_name}.items():
    told(f"all_reduce {name}", lambda group=group: (values(fc.all_reduce(given, "sum", group)), given.tolist()))
for op in ("sum", "avg", "product", "min", "max", "SUM", "Max", "odd"):
    told(f"all_reduce {op}", lambda op=op: values(fc.all_reduce(given, op, world)))
for op in ("band", "bor", "bxor", "sum"):
    told(f"all_reduce int {op}", lambda op=op: values(fc.all_reduce(numbers(3, dtype=torch.int64), op, world)))
told("2D mesh", lambda: fc.all_reduce(given, "sum", plane))
told("odd tuple", lambda: fc.all_reduce(given, "sum", (3, 4)))
told("odd group", lambda: fc.all_reduce(given, "sum", 3.5))
told("no name", lambda: fc.all_reduce(given, "sum", "nobody"))
told("broadcast", lambda: (values(fc.broadcast(given, 1, world)), given.tolist()))
told("wait", lambda: values(fc.wait_tensor(fc.all_reduce(given, "sum", world))))
told("wait plain", lambda: values(fc.wait_tensor(given)))
told("async", lambda: (isinstance(given, fc.AsyncCollectiveTensor), values(fc.all_reduce(given, "sum", world) * 2)))
for dim in (0, 1, -1):
    told(f"all_gather {dim}", lambda dim=dim: values(fc.all_gather_tensor(numbers(2, 3), dim, world)))
    told(f"all_gather_single {dim}", lambda dim=dim: values(fc.all_gather_single(numbers(2, 3), dim, world)))
    told(f"reduce_scatter {dim}",
         lambda dim=dim: values(fc.reduce_scatter_tensor(numbers(2 * size, 3 * size), "sum", dim, world)))
    told(f"reduce_scatter_single {dim}",
         lambda dim=dim: values(fc.reduce_scatter_single(numbers(2 * size, 3 * size), "avg", dim, world)))
told("strided", lambda: values(fc.all_gather_tensor(numbers(3, 2).t(), 0, world)))
told("uneven", lambda: fc.reduce_scatter_tensor(numbers(2 * size + 1, 3), "sum", 0, world))
told("all_to_all", lambda: values(fc.all_to_all_single(numbers(2 * size, 2), None, None, world)))
sent, taken = [i + rank for i in ranks], [rank + i for i in ranks]
told("all_to_all sizes", lambda: values(fc.all_to_all_single(numbers(sum(sent), 2), taken, sent, world)))
told("all_to_all half", lambda: fc.all_to_all_single(numbers(sum(sent)), taken, None, world))
told("all_to_all odd", lambda: fc.all_to_all_single(numbers(sum(sent)), [1.5] * size, sent, world))
told("permute", lambda: values(fc.permute_tensor(numbers(3), [(i + 1) % size for i in ranks], world)))
told("permute dtype", lambda: values(fc.permute_tensor(numbers(2, 2, dtype=torch.int64), ranks[::-1], world)))
told("coalesced", lambda: [values(x) for x in fc.all_reduce_coalesced([numbers(2), numbers(2, 2)], "sum", world)])
told("gathered", lambda: [values(x) for x in fc.all_gather_into_tensor_coalesced([numbers(2), numbers(1, 2)], world)])
told("scattered", lambda: [values(x) for x in fc.reduce_scatter_tensor_coalesced(
    [numbers(2 * size), numbers(2, size)], "sum", [0, 1], world)])
told("scattered short", lambda: fc.reduce_scatter_tensor_coalesced([numbers(2 * size)], "sum", [], world))
told("subgroup", lambda: values(fc.all_reduce(given, "sum", pair)) if rank < 2 else None)
told("grad all_reduce", lambda: graded(lambda x: fc.all_reduce(x, "sum", world), 3))
told("grad all_reduce max", lambda: graded(lambda x: fc.all_reduce(x, "max", world), 3))
told("grad all_gather plain", lambda: graded(lambda x: fc.all_gather_tensor(x, 1, world), 2, 2))
for dim in (0, 1):
    told(f"grad all_gather {dim}", lambda dim=dim: graded(lambda x: fc.all_gather_tensor_autograd(x, dim, world), 2, 2))
    told(f"grad reduce_scatter {dim}",
         lambda dim=dim: graded(lambda x: fc.reduce_scatter_tensor_autograd(x, "sum", dim, world), size, 2 * size))
told("grad reduce_scatter max", lambda: graded(lambda x: fc.reduce_scatter_tensor_autograd(x, "max", 0, world), size))
told("grad reduce_scatter avg", lambda: graded(lambda x: fc.reduce_scatter_tensor_autograd(x, "avg", 0, world), size))
told("grad all_to_all", lambda: graded(lambda x: fc.all_to_all_single_autograd(x, None, None, world), 2 * size))
told("grad all_to_all sizes", lambda: graded(lambda x: fc.all_to_all_single_autograd(x, taken, sent, world), sum(sent)))
told("grad all_to_all plain", lambda: graded(lambda x: fc.all_to_all_single(x, None, None, world), size))
told("grad broadcast", lambda: graded(lambda x: fc.broadcast(x, 0, world), 2))
told("grad permute", lambda: graded(lambda x: fc.permute_tensor(x, ranks[::-1], world), 2))
told("grad coalesced", lambda: graded(lambda x: torch.cat(fc.all_reduce_coalesced([x, x * 2], "sum", world)), 2))
told("grad wait", lambda: graded(fc.wait_tensor, 2))
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    fc.all_gather_tensor(numbers(2), 0, world).tolist()
    fc.reduce_scatter_tensor_autograd(numbers(size), "sum", 0, world).tolist()
told("older", lambda: [(str(each.message), each.category.__name__) for each in seen if "deprecated" in str(each.message)])
dist.destroy_process_group()
