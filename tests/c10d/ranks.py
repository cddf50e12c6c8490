"""A script run by several ranks, under PyTorch or torchlike."""

import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator

SCRIPTS = pathlib.Path(__file__).parent / "scripts"
_LIMIT = 240  # seconds
_ABORT = "terminate called without an active exception"  # what PyTorch's ranks may say at their end, when all is done
MODULES = {"torch": [], "torchlike": ["-m", "torchlike", "run"]}
_LINE = re.compile(r"\[rank(\d+)\]: (.*\n?)")


def free_port() -> int:
    """A port that nobody has."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run(library: str, script: str, size: int, *arguments: str) -> list[tuple[int, str]]:
    """(status, what it printed) of each rank."""
    port = free_port()
    processes = [_started(library, script, rank, size, port, arguments) for rank in range(size)]
    try:
        found = [process.communicate(timeout=_LIMIT)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
    return [_ended(process.returncode, text) for process, text in zip(processes, found, strict=True)]


def run_all(script: str, size: int, *arguments: str) -> list[tuple[int, str]]:
    """The same of torchlike's."""
    return run("torchlike", script, size, *arguments)


def _ended(status: int, text: str) -> tuple[int, str]:
    is_over = status == -signal.SIGABRT and text.endswith(_ABORT + "\n")
    return (0, text.removesuffix(_ABORT + "\n")) if is_over else (status, text)


def _started(library, script, rank, size, port, arguments):
    environment = {**os.environ, "RANK": str(rank), "WORLD_SIZE": str(size), "LOCAL_RANK": str(rank),
                   "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen([sys.executable, *MODULES[library], str(SCRIPTS / script), *arguments], env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def run_in_one(script: str, size: int, *arguments: str) -> list[tuple[int, str]]:
    """The same of torchlike's ranks in one process; what is not a rank's own stands with those of all."""
    done = subprocess.run([sys.executable, *MODULES["torchlike"], "--devices", str(size), str(SCRIPTS / script), *arguments],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=_LIMIT)
    texts = [""] * size
    for line in done.stdout.splitlines(keepends=True):
        found = _LINE.match(line)
        for rank in [int(found[1])] if found else range(size):
            texts[rank] += found[2] if found else line
    return [(done.returncode, text) for text in texts]


def differing(script: str, size: int, *arguments: str, ours=run_all) -> Iterator[str]:
    """The lines that the ranks print differently under PyTorch and torchlike."""
    known = run("torch", script, size, *arguments)
    if any(status for status, _ in known):  # PyTorch's ranks sometimes miss one another, at a port that others want, too
        known = run("torch", script, size, *arguments)
    both = known, ours(script, size, *arguments)
    for rank, ((theirs, text), (ours, mine)) in enumerate(zip(*both, strict=True)):
        if theirs or ours:
            yield f"rank {rank} ended with {theirs} under torch, {ours} under torchlike:\n{text[-2000:]}\n{mine[-2000:]}"
        expected, found = _told(text), _told(mine)
        yield from (f"rank {rank}: {a}\n     not {b}" for a, b in zip(expected, found, strict=False) if a != b)
        if len(expected) != len(found):
            yield f"rank {rank} has {len(found)} lines, not {len(expected)}: {mine[-2000:]}"


def _told(text) -> list[str]:
    """What it printed without PyTorch's own log."""
    return [line for line in text.splitlines() if not line.startswith(("[rank", "[W", "[E"))]
