"""Every collective, on every dtype that it is for; what each rank prints is compared with PyTorch's."""

import datetime
import os
import warnings

import torch
import torch.distributed as dist

warnings.simplefilter("ignore")
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
rank, size = dist.get_rank(), dist.get_world_size()


def told(name, f):
    try:
        found = f()
    except Exception as error:  # noqa: BLE001 - what it raises is compared
        found = f"{type(error).__name__}: {error}"
    print(name, found, flush=True)


def numbers(dtype, *shape):
    count = 1
    for n in shape:
        count *= n
    values = (torch.arange(count) * 3 + rank * 5) % 7 + 1
    return values.reshape(shape).to(dtype)


ops = dist.ReduceOp
for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.uint8, torch.int32,
              torch.int64):
    for op in (ops.SUM, ops.PRODUCT, ops.MIN, ops.MAX, ops.BAND, ops.BOR, ops.BXOR):
        x = numbers(dtype, 2, 3)
        told(f"all_reduce {dtype} {op}", lambda x=x, op=op: (dist.all_reduce(x, op), x.tolist()))
x = numbers(torch.complex64, 3)
told("complex", lambda: (dist.all_reduce(x), x.tolist()))
avg = numbers(torch.float32, 3)
told("avg", lambda: (dist.all_reduce(avg, ops.AVG), avg.tolist()))
strided = numbers(torch.float32, 3, 4).t()
told("strided", lambda: (dist.all_reduce(strided), strided.tolist(), strided.stride()))
window = numbers(torch.float32, 3, 4)
told("view", lambda: (dist.all_reduce(window[1]), window.tolist()))
leaf = numbers(torch.float32, 3).requires_grad_()
told("leaf", lambda: (dist.all_reduce(leaf), leaf.tolist(), leaf._version, leaf.requires_grad, leaf.grad_fn))
middle = leaf * 2
told("middle", lambda: (dist.all_reduce(middle), middle.tolist(), middle._version, type(middle.grad_fn).__name__))
scalar = torch.tensor(rank + 1.5)
told("scalar", lambda: (dist.all_reduce(scalar), scalar.item()))
empty = torch.zeros(0)
told("empty", lambda: (dist.all_reduce(empty), empty.tolist()))
reduced = numbers(torch.float32, 3)
dist.reduce(reduced, 1)
told("reduce", lambda: reduced.tolist() if rank == 1 else None)
for dtype in (torch.float32, torch.bfloat16, torch.int64, torch.bool, torch.complex64, torch.float64, torch.uint8):
    x = numbers(dtype, 2, 2)
    told(f"broadcast {dtype}", lambda x=x: (dist.broadcast(x, 1), x.tolist()))
    outs = [torch.zeros(2, 2, dtype=dtype) for _ in range(size)]
    x = numbers(dtype, 2, 2)
    told(f"all_gather {dtype}", lambda x=x, outs=outs: (dist.all_gather(outs, x), [o.tolist() for o in outs]))
special = torch.tensor([-0.0, float("nan"), float("-inf"), 1e-45])
told("special", lambda: (dist.broadcast(special, 0), special.tolist(), special.signbit().tolist()))
into = torch.zeros(2 * size, 3)
told("all_gather_into_tensor", lambda: (dist.all_gather_into_tensor(into, numbers(torch.float32, 2, 3)), into.tolist()))
outs = [torch.zeros(2) for _ in range(size)] if rank == 0 else None
told("gather", lambda: (dist.gather(numbers(torch.float32, 2), outs), outs))
out = torch.zeros(2)
told("scatter", lambda: (dist.scatter(out, [torch.full((2,), float(i)) for i in range(size)] if rank == 1 else None, 1),
                         out.tolist()))
out = torch.zeros(3)
told("reduce_scatter", lambda: (dist.reduce_scatter(out, [numbers(torch.float32, 3) + i for i in range(size)]),
                                out.tolist()))
out = torch.zeros(2, 3)
told("reduce_scatter_tensor", lambda: (dist.reduce_scatter_tensor(out, numbers(torch.float32, 2 * size, 3)), out.tolist()))
out = torch.zeros(2 * size)
told("all_to_all_single", lambda: (dist.all_to_all_single(out, torch.arange(2. * size) + 100 * rank), out.tolist()))
given = [i + rank for i in range(size)]
taken = [rank + i for i in range(size)]
out = torch.zeros(sum(taken))
told("uneven", lambda: (dist.all_to_all_single(out, torch.arange(float(sum(given))) + 100 * rank, taken, given),
                        out.tolist()))
outs = [torch.zeros(2) for _ in range(size)]
told("all_to_all", lambda: (dist.all_to_all(outs, [torch.full((2,), 10. * rank + i) for i in range(size)]), outs))
objects = [None] * size
told("all_gather_object", lambda: (dist.all_gather_object(objects, {"rank": rank, "text": "x" * rank * 100}), objects))
listed = [{"a": rank}, rank, "text"]
told("broadcast_object_list", lambda: (dist.broadcast_object_list(listed, 1), listed))
kept = [None] * size if rank == 0 else None
told("gather_object", lambda: (dist.gather_object((rank, "o"), kept), kept))
box = [None]
told("scatter_object_list", lambda: (dist.scatter_object_list(box, [f"for {i}" for i in range(size)], 0), box))
told("barrier", dist.barrier)
told("monitored", dist.monitored_barrier)

torches = [numbers(torch.float32, 3) + i for i in range(4)]
works = [dist.all_reduce(t, async_op=True) for t in torches]
told("async", lambda: ([w.wait() for w in reversed(works)], [w.is_completed() for w in works], torches))
work = dist.broadcast(numbers(torch.float32, 2), 0, async_op=True)
told("future", lambda: work.get_future().wait()[0].tolist())

after, before = (rank + 1) % size, (rank - 1) % size
got = torch.zeros(3)
told("ring", lambda: ([w.wait() for w in dist.batch_isend_irecv([dist.P2POp(dist.isend, numbers(torch.float32, 3), after),
                                                                  dist.P2POp(dist.irecv, got, before)])], got.tolist()))
if rank == 0:
    first = dist.isend(torch.tensor([1.0]), 1, tag=1)
    second = dist.isend(torch.tensor([2.0]), 1, tag=2)
    first.wait(), second.wait()
if rank == 1:
    a, b = torch.zeros(1), torch.zeros(1)
    told("tags", lambda: (dist.recv(b, 0, tag=2), dist.recv(a, 0, tag=1), a.item(), b.item()))
for i in range(3):
    x = torch.full((2,), float(i))
    told("ping", lambda x=x: dist.send(x, 1) if rank == 0 else (dist.recv(x, 0) if rank == 1 else None))

evens = dist.new_group(list(range(0, size, 2)))
odds = dist.new_group(list(range(1, size, 2)))
mine = evens if rank % 2 == 0 else odds
x = numbers(torch.float32, 2)
told("subgroup", lambda: (dist.all_reduce(x, group=mine), x.tolist(), dist.get_rank(mine), dist.get_world_size(mine),
                          dist.get_rank(evens), dist.get_process_group_ranks(mine)))
told("other group", lambda: dist.all_reduce(x, group=odds if rank % 2 == 0 else evens))
back = dist.new_group(list(reversed(range(size))), sort_ranks=False)
told("unsorted", lambda: (dist.get_rank(back), dist.get_global_rank(back, 0), dist.get_group_rank(back, 0)))
told("no such rank", lambda: dist.new_group([size + 3]))
told("twice", lambda: dist.new_group([0, 0]))
told("again", lambda: dist.init_process_group("gloo"))
told("no tensor", lambda: dist.all_reduce([1]))
told("no list", lambda: dist.all_gather(torch.zeros(2), torch.zeros(2)))
told("short list", lambda: dist.all_gather([torch.zeros(3)], torch.zeros(3)))
told("wrong shape", lambda: dist.all_gather([torch.zeros(3), *[torch.zeros(2)] * (size - 1)], torch.zeros(3)))
told("dtypes", lambda: dist.all_gather([torch.zeros(3)] * size, torch.zeros(3, dtype=torch.int32)))
told("to oneself", lambda: dist.send(torch.zeros(1), rank))
told("no such root", lambda: dist.broadcast(torch.zeros(1), size + 5))
told("names", lambda: (dist.get_backend(), dist.is_initialized(), dist.is_available(), dist.group.WORLD.size(),
                       dist.group.WORLD.rank(), dist.group.WORLD.name(), dist.get_backend_config(),
                       str(ops.SUM), repr(ops.AVG)))
told("local", lambda: dist.get_node_local_rank(fallback_rank=3) if "LOCAL_RANK" not in os.environ else 3)
dist.barrier()
dist.destroy_process_group()
told("destroyed", lambda: (dist.is_initialized(), dist.get_rank()))
told("destroyed twice", dist.destroy_process_group)
