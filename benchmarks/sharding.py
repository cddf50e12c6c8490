"""What each rank keeps of a model that `fully_shard` divides, by the number of ranks, and what a step takes.

``python -m benchmarks.sharding [--sizes 1 2 4 8] [--width 768] [--blocks 8] [--library torchlike]`` prints a table in MB:
the parts of parameters, gradients and Adam's moments on rank 0, the most that is whole at once, and how much resident memory
the process has more at most than before the model was made.
"""

import argparse
import importlib
import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import time

STEPS, LAST, ROWS, MB = 24, 8, 16, 2**20  # programs of several ranks are compiled at their ninth run
COLUMNS = ("ranks", "parameters", "gradients", "moments", "sum", "whole", "resident", "s a step")


def measured(library: str, width: int, blocks: int) -> dict:
    """What this rank has measured, in MB and seconds."""
    torch = importlib.import_module(library)
    dist = importlib.import_module(f"{library}.distributed")
    fsdp = importlib.import_module(f"{library}.distributed.fsdp")
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    before = _resident()
    model = torch.nn.Sequential()
    for _ in range(blocks):  # each is divided before the next is made: the whole model is nowhere
        block = torch.nn.Sequential(torch.nn.Linear(width, width), torch.nn.Tanh(), torch.nn.Linear(width, width))
        model.append(fsdp.fully_shard(block))
    fsdp.fully_shard(model)
    optimizer, x, most = torch.optim.Adam(model.parameters()), torch.ones(ROWS, width), 0.0
    times = []
    for _ in range(STEPS):
        start = time.perf_counter()
        optimizer.zero_grad()
        loss = model(x).square().mean()
        most = max(most, _resident() - before)
        loss.backward()
        most = max(most, _resident() - before)
        optimizer.step()
        loss.item()
        dist.barrier()
        most = max(most, _resident() - before)
        times.append(time.perf_counter() - start)
    parameters = list(model.parameters())
    sizes = {"parameters": [p.to_local() for p in parameters], "gradients": [p.grad.to_local() for p in parameters],
             "moments": [v.to_local() for state in optimizer.state.values() for v in state.values() if v.ndim]}
    found = {name: sum(x.numel() * 4 for x in tensors) / MB for name, tensors in sizes.items()}
    found.update(whole=(width + 1) * width * 2 * 4 / MB, resident=most, seconds=statistics.median(times[-LAST:]))
    dist.destroy_process_group()
    return found


def _resident() -> float:
    """How many MB the process has in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / MB


def run(library: str, size: int, width: int, blocks: int) -> dict:
    """What rank 0 of so many measures."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "benchmarks.sharding", "--as", library, "--width", str(width), "--blocks", str(blocks)]
    ranks = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={
        **os.environ, "RANK": str(rank), "WORLD_SIZE": str(size), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
        "OMP_NUM_THREADS": "1"}) for rank in range(size)]
    told = [process.communicate()[0] for process in ranks]
    return json.loads(told[0].strip().splitlines()[-1])


def main() -> None:
    """The table, or the part of one rank."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[1, 2, 4, 8])
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--library", default="torchlike")
    parser.add_argument("--as", dest="library_here")
    given = parser.parse_args()
    if given.library_here:
        print(json.dumps(measured(given.library_here, given.width, given.blocks)))
        return
    print(*(f"{name:>11}" for name in COLUMNS))
    for size in given.sizes:
        found = run(given.library, size, given.width, given.blocks)
        kept = found["parameters"] + found["gradients"] + found["moments"]
        row = [found["parameters"], found["gradients"], found["moments"], kept, found["whole"], found["resident"]]
        print(f"{size:>11}", *(f"{value:>11.1f}" for value in row), f"{found['seconds']:>11.2f}")


if __name__ == "__main__":
    main()
