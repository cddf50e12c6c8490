"""Starts the launcher of ranks, with workers that do not import torchlike unless a test asks for it."""

import os
import pathlib
import signal
import subprocess
import sys
import time

COMMAND = [sys.executable, "-P", str(pathlib.Path(__file__).parents[2] / "torchlike" / "_command.py"), "run"]
ROOT = str(pathlib.Path(__file__).parents[2])
LIMIT = 60  # seconds


def environment(**variables) -> dict[str, str]:
    names = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT", "OMP_NUM_THREADS")
    found = {name: value for name, value in os.environ.items()
             if name not in names and not name.startswith(("TORCHELASTIC_", "PET_"))}
    return found | {"PYTHONPATH": ROOT, **variables}


class Launcher:
    """A launcher that runs; its program is text for Python, which is not torchlike's unless `is_ours`."""

    def __init__(self, folder: pathlib.Path, program: str, *flags: str, ours=False, arguments=(), **variables):
        path = folder / "program_of_ranks.py"
        path.write_text(program)
        how = [str(path)] if ours else ["--no-python", sys.executable, "-u", str(path)]
        self.start = time.monotonic()
        self.process = subprocess.Popen([*COMMAND, *flags, *how, *arguments], env=environment(**variables), text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

    def end(self):
        """(status, stdout, stderr) when it has ended."""
        try:
            out, err = self.process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise
        self.seconds = time.monotonic() - self.start
        return self.process.returncode, out, err

    def line(self) -> str:
        """The next line of its output."""
        assert self.process.stdout is not None
        return self.process.stdout.readline()


def run(folder, program, *flags, **how):
    return Launcher(folder, program, *flags, **how).end()


def is_there(pid: int) -> bool:
    """Whether a process runs (and is no zombie)."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(pids, seconds: float = 5.0) -> bool:
    """Whether all have ended in that time."""
    until = time.monotonic() + seconds
    while any(map(is_there, pids)) and time.monotonic() < until:
        time.sleep(0.02)
    return not any(map(is_there, pids))
