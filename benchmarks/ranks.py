"""Training steps of a DistributedDataParallel and all_reduce, by two processes, under PyTorch and torchlike in turn.

``python -m benchmarks.ranks [--rounds 3] [--size 2] [programs ...]`` prints medians over the rounds and what is the slower
rank's. As torchrun does, each process gets one thread of OpenMP.
"""

import argparse
import datetime
import importlib
import json
import os
import socket
import statistics
import subprocess
import sys
import time

from benchmarks import timer

PROGRAMS = ("mlp", "gpt", "cnn", "all_reduce 4 MB", "all_reduce 64 MB")
LIBRARIES = {"torch": "torch", "torchlike": "torchlike"}
_WARM, _RUNS = 4.0, 3.0  # seconds


def measured(library: str, program: str) -> dict:
    """What this rank has measured: seconds a step."""
    torch = importlib.import_module(library)
    dist = importlib.import_module(f"{library}.distributed")
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=120))
    step = _all_reduce(torch, dist, program) if program.startswith("all_reduce") else _training(torch, program)
    # The ranks take the same number of steps: rank 0 says how many.
    count = _agreed(torch, dist, step, _WARM)
    if library == "torchlike" and not program.startswith("all_reduce"):
        busy, before = timer.compiling(torch), None
        while _any(torch, dist, before != (before := busy())):
            _agreed(torch, dist, step, 1.0)
    times = []
    for _ in range(max(5, int(count * _RUNS / _WARM))):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    dist.destroy_process_group()
    return {"seconds": statistics.median(times), "fastest": min(times)}


def _training(torch, program):
    wrap = importlib.import_module(f"{torch.__name__}.nn.parallel").DistributedDataParallel
    step = importlib.import_module(f"benchmarks.programs.{program}").make_step(torch, wrap)
    return lambda: step().item()


def _all_reduce(torch, dist, program):
    x = torch.zeros(int(program.split()[1]) << 18)
    return lambda: dist.all_reduce(x)


def _any(torch, dist, flag) -> bool:
    x = torch.tensor([float(flag)])
    dist.all_reduce(x)
    return x.item() > 0


def _agreed(torch, dist, step, seconds) -> int:
    """Steps for about so long; how many they were."""
    end, count = time.perf_counter() + seconds, 0
    while _any(torch, dist, time.perf_counter() < end):
        step()
        count += 1
    return count


def run(library: str, program: str, size: int) -> dict:
    """Of the slower rank."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    common = {**os.environ, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": str(size), "OMP_NUM_THREADS": "1"}
    ranks = [subprocess.Popen([sys.executable, "-m", "benchmarks.ranks", "--as", library, program],
                              env={**common, "RANK": str(rank), "LOCAL_RANK": str(rank)}, stdout=subprocess.PIPE, text=True)
             for rank in range(size)]
    found = [json.loads(process.communicate()[0].strip().splitlines()[-1]) for process in ranks]
    if any(process.returncode for process in ranks):
        print(f"{library}, {program}: exit status {[process.returncode for process in ranks]}", file=sys.stderr)
    return {name: max(each[name] for each in found) for name in found[0]}


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="*", default=PROGRAMS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--size", type=int, default=2)
    parser.add_argument("--as", dest="library", choices=LIBRARIES)
    given = parser.parse_args()
    if given.library:
        print(json.dumps(measured(given.library, given.programs[0])))
        return
    for program in given.programs:
        runs: dict = {library: [] for library in LIBRARIES}
        for turn in range(given.rounds):
            for library in (*LIBRARIES,)[::1 if turn % 2 else -1]:
                runs[library].append(run(library, program, given.size)["seconds"])
        middle = {library: statistics.median(times) for library, times in runs.items()}
        ratios = [b / a for a, b in zip(*runs.values(), strict=True)]
        print(f"{program:18}", *(f"{library} {seconds * 1e3:8.2f} ms" for library, seconds in middle.items()),
              f"ratio {statistics.median(ratios):.2f}", flush=True)


if __name__ == "__main__":
    main()
