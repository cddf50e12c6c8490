"""Writes DTensors to a checkpoint, or reads them as others that lie otherwise."""

import sys

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Partial, Replicate, Shard, distribute_tensor, empty

dist.init_process_group("gloo")
folder, action = sys.argv[1:]
size = dist.get_world_size()
line, grid = init_device_mesh("cpu", (size,)), init_device_mesh("cpu", (2, size // 2))
ROWS, GRID = torch.arange(35.).reshape(7, 5), torch.arange(24.).reshape(4, 6)
if action == "write":
    state = {"rows": distribute_tensor(ROWS, line, [Shard(0)]), "grid": distribute_tensor(GRID, grid, [Shard(1), Shard(0)]),
             "whole": distribute_tensor(ROWS, grid, [Replicate(), Replicate()])}
    dcp.save(state, checkpoint_id=folder)
    try:
        dcp.save({"x": empty(2, device_mesh=line, placements=[Partial()])}, checkpoint_id=folder + "/x")
    except RuntimeError as error:
        print("written" if "partial placements" in str(error) else error)
else:
    state = {"rows": empty(7, 5, device_mesh=line, placements=[Shard(1)]), "grid": torch.empty(4, 6),
             "whole": empty(7, 5, device_mesh=grid, placements=[Shard(0), Shard(1)])}
    dcp.load(state, checkpoint_id=folder)
    print("read", torch.equal(state["rows"].full_tensor(), ROWS), torch.equal(state["grid"], GRID),
          torch.equal(state["whole"].full_tensor(), ROWS))
dist.destroy_process_group()
