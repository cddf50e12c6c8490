"""Messages from whichever rank sends one: all arrive once, beside those of ranks that are named."""

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
x = torch.zeros(3)
if rank == 0:
    print(sorted((dist.recv(x, tag=1), x.tolist()) for _ in range(2 * (size - 1))))
    print(dist.recv(x, 1, tag=2), x.tolist())  # while shares of the others wait on that line
    work = dist.irecv(x, tag=3)
    work.wait()
    print(x.tolist(), work._source_rank())
    print(dist.recv(x, size - 1, tag=4), x.tolist())
else:
    for value in (1, 10):
        dist.send(x + value * rank, 0, tag=1)
    if rank == 1:
        dist.send(x + 20, 0, tag=2)
    if rank == size - 1:
        dist.send(x + 30, 0, tag=3)
        dist.send(x + 31, 0, tag=4)
dist.barrier()
dist.destroy_process_group()
