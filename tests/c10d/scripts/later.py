"""Functions that PyTorch 2.14 has added: tensors gathered into one, timeouts that change, the backend of a group."""

import datetime
import warnings

import torch
import torch.distributed as dist

SECONDS = datetime.timedelta(seconds=30)


def attempt(title, function):
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            found = function()
        print(title, [each.category.__name__ for each in said], found, flush=True)
    except Exception as error:  # noqa: BLE001 - what it raises is compared
        print(title, type(error).__name__, str(error).split("\n")[0].split(":")[0], flush=True)


def gathered(name, shape, dst=0, **how):
    mine = torch.arange(6.0).view(2, 3) + 10 * rank
    out = torch.zeros(shape) if rank == (dst or 0) else None
    work = getattr(dist, name)(mine, out, dst, **how)
    if work is not None:
        work.wait()
    return None if out is None else out.flatten().tolist()


def swapped(objects, weights_only):
    found = [None, None]
    dist.all_gather_object(found, objects, weights_only=weights_only)
    return found


dist.init_process_group("gloo")
rank = dist.get_rank()
attempt("flat", lambda: gathered("gather_single", (12,)))
attempt("stacked", lambda: gathered("gather_single", (2, 2, 3), dst=1))
attempt("along", lambda: gathered("gather_single", (4, 3), async_op=True))
attempt("older name", lambda: gathered("gather_into_tensor", (4, 3)))
attempt("group_dst", lambda: gathered("gather_single", (12,), None, group_dst=0))
if rank == 0:
    attempt("nothing to write to", lambda: dist.gather_single(torch.ones(2), None))
    attempt("dtypes", lambda: dist.gather_single(torch.ones(2), torch.ones(4).double()))
    attempt("no tensor", lambda: dist.gather_single(3, torch.ones(4)))
    attempt("no tensor to write to", lambda: dist.gather_single(torch.ones(2), 3))
    attempt("size", lambda: dist.gather_single(torch.ones(2), torch.ones(5)))
attempt("both", lambda: dist.gather_single(torch.ones(2), torch.ones(4), dst=0, group_dst=0))
only = dist.new_group([0])
if rank:
    attempt("outside", lambda: dist.gather_single(torch.ones(2), torch.ones(4), group=only))
    attempt("timeout outside", lambda: dist.set_timeout(SECONDS, only))
    attempt("backend outside", lambda: dist.get_backend_impl(only))
attempt("timeout", lambda: dist.set_timeout(SECONDS))
attempt("no timeout", lambda: dist.set_timeout(3))
attempt("no group", lambda: dist.set_timeout(SECONDS, 3))
attempt("backend", lambda: dist.get_backend_impl().name())
attempt("backend of a device", lambda: dist.get_backend_impl(device=torch.device("cpu")).rank())
attempt("backend by name", lambda: dist.get_backend_impl(dist.group.WORLD.group_name).size())
attempt("backend of no group", lambda: dist.get_backend_impl("nobody"))
attempt("weights", lambda: swapped({"rank": rank, "x": torch.ones(2)}, True))
attempt("not weights", lambda: swapped(datetime.date(2000, 1, 1), True))
attempt("anything", lambda: swapped(datetime.date(2000, 1, 1), False))
dist.barrier()
dist.destroy_process_group()
attempt("no groups", lambda: dist.set_timeout(SECONDS))
