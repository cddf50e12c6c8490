"""The launcher: rounds of workers, until they end well, fail once too often, or a signal comes."""

import contextlib
import dataclasses
import os
import shutil
import signal
import sys
import tempfile
import threading

from torchlike.distributed.elastic import _failures
from torchlike.distributed.elastic._nodes import Nodes, OneNode, Place, RendezvousError, SignalError
from torchlike.distributed.elastic._output import say
from torchlike.distributed.elastic._workers import Streams, Worker, Workers

FAILED = 1


@dataclasses.dataclass
class Job:
    """What is run.

    Args:
        command: the worker's command line; "{local_rank}" in it stands for that.
        workers: how many on this node.
        role: ROLE_NAME.
        run_id: the name of the run.
        max_restarts: how often all workers are started again.
        interval: seconds between looks at the workers.
        shutdown: seconds from SIGTERM to SIGKILL.
        log_dir: where log files are, "" for a new folder.
        redirects, tee: bits of the streams by local rank, see `Streams`.
        shown: the local ranks that are shown, None for all.
        signals: the names of the signals that end all.
        virtual_local_rank: whether each worker sees one GPU, as its first.
    """

    command: list[str]
    workers: int
    role: str
    run_id: str
    max_restarts: int
    interval: float
    shutdown: float
    log_dir: str
    redirects: dict[int, int]
    tee: dict[int, int]
    shown: set[int] | None
    signals: list[str]
    virtual_local_rank: bool


class Signals:
    """Signals that come in a block; the first ends the workers gently, the second does not.

    Args:
        names: which.
    """

    def __init__(self, names: list[str]):
        self._numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
        self.first: int | None = None
        self._count = 0
        self._before: dict = {}

    def __enter__(self):
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._note) for number in self._numbers}
        return self

    def __exit__(self, *error):
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame) -> None:
        self.first = self.first or number
        self._count += 1

    def insist(self) -> bool:
        """Whether another one has come."""
        return self._count > 1


def launch(job: Job, nodes: OneNode | Nodes, signals: Signals) -> int:
    """Runs the job.

    Args:
        job: what is run.
        nodes: the others.
        signals: what may interrupt it.

    Returns:
        The exit status: 0, that of the worker that failed first, 128 and the number of a signal, or 1.
    """
    folder = tempfile.mkdtemp(prefix="torchelastic_")
    try:
        status, number = None, 0
        while status is None:
            status = _Round(job, nodes, signals, folder, number).run()
            number += 1
        return status
    except RendezvousError as error:
        say(str(error))
        return FAILED
    except SignalError:
        return 128 + (signals.first or 0)
    finally:
        with contextlib.suppress(BrokenPipeError):
            sys.stdout.flush()
        nodes.leave()
        shutil.rmtree(folder, ignore_errors=True)


class _Round:
    """All workers, started once."""

    def __init__(self, job: Job, nodes: OneNode | Nodes, signals: Signals, folder: str, number: int):
        self.job, self.nodes, self.signals, self.number = job, nodes, signals, number
        self.place = nodes.join(number)
        self._errors = os.path.join(folder, f"attempt_{number}")
        self._logs = _log_folder(job, folder, number) if job.redirects or job.tee else ""
        self.workers = Workers(job.shutdown)

    def run(self) -> int | None:
        """The exit status, None to begin again."""
        try:
            self._start()
            return self._watch()
        finally:
            self.workers.end()  # of which none is left, unless something has gone wrong here
            self.workers.finish()

    def _start(self) -> None:
        for local_rank in range(self.job.workers):
            folder = os.path.join(self._errors, str(local_rank))
            os.makedirs(folder)
            environment = worker_environment(self.job, self.place, local_rank, self.number,
                                             os.path.join(folder, "error.json"))
            command = [part.replace("{local_rank}", str(local_rank)) for part in self.job.command]
            self.workers.start(command, environment, local_rank, self.place.first_rank + local_rank,
                               self._streams(local_rank))

    def _streams(self, local_rank: int) -> Streams:
        job, logs = self.job, os.path.join(self._logs, str(local_rank)) if self._logs else ""
        is_shown = job.shown is None or local_rank in job.shown
        return Streams(self._prefix(local_rank), logs, job.redirects.get(local_rank, 0), job.tee.get(local_rank, 0),
                       is_shown)

    def _prefix(self, local_rank: int) -> str:
        return f"[rank{self.place.first_rank + local_rank}]: " if self.place.world_size > 1 else ""

    def _watch(self) -> int | None:
        while True:
            failed = self.workers.watch(self.job.interval)
            if self.signals.first is not None:
                return self._interrupted(self.signals.first)
            if failed:
                return self._failed(_failures.first(failed))
            told = self.nodes.elsewhere()
            if told:
                return self._failed_elsewhere(told)
            if self.workers.have_ended and self.nodes.have_all_ended():
                return 0

    def _interrupted(self, number: int) -> int:
        name = signal.Signals(number).name
        self.nodes.fail(f"{name} has ended the launcher of node {self.place.group_rank}")
        self.workers.end(number, self.signals.insist)
        say(f"{name}: all workers have ended")
        return 128 + number

    def _failed(self, worker: Worker) -> int | None:
        _failures.tell_first(worker, self._prefix(worker.local_rank))
        assert worker.failure is not None
        self.nodes.fail(f"rank {worker.rank} of node {self.place.group_rank} has failed ({worker.failure.brief})")
        self.workers.end(insists=lambda: self.signals.first is not None)
        _failures.tell_others(self.workers.all, worker)
        return self._again(_failures.exit_status(worker))

    def _failed_elsewhere(self, text: str) -> int | None:
        say(f"{text}: the workers of this node are ended")
        self.workers.end(insists=lambda: self.signals.first is not None)
        return self._again(FAILED)

    def _again(self, status: int) -> int | None:
        """None if there is another round."""
        if self.signals.first is not None:
            return 128 + self.signals.first
        if self.number >= self.job.max_restarts:
            return status
        say(f"all workers are started again: {self.number + 1} of {self.job.max_restarts}")
        return None


def _log_folder(job: Job, folder: str, number: int) -> str:
    base = job.log_dir or tempfile.gettempdir()
    os.makedirs(base, exist_ok=True)
    return os.path.join(base, f"{job.run_id}_{folder[-8:]}", f"attempt_{number}")


def worker_environment(job: Job, place: Place, local_rank: int, number: int, error_file: str) -> dict[str, str]:
    """The environment of a worker: that of the launcher, and the variables of PyTorch's torchrun.

    Args:
        job: what is run.
        place: where this node stands.
        local_rank: which of its workers.
        number: of the round.
        error_file: where it writes what it raises.

    Returns:
        The variables.
    """
    found = dict(os.environ)
    if "OMP_NUM_THREADS" not in found and job.workers > 1:
        found["OMP_NUM_THREADS"] = "1"
    found |= {
        "LOCAL_RANK": str(local_rank), "RANK": str(place.first_rank + local_rank), "WORLD_SIZE": str(place.world_size),
        "LOCAL_WORLD_SIZE": str(job.workers), "GROUP_RANK": str(place.group_rank),
        "GROUP_WORLD_SIZE": str(place.group_world_size), "ROLE_RANK": str(place.role_rank + local_rank),
        "ROLE_WORLD_SIZE": str(place.role_world_size), "ROLE_NAME": job.role, "MASTER_ADDR": place.address,
        "MASTER_PORT": str(place.port), "TORCHELASTIC_RESTART_COUNT": str(number),
        "TORCHELASTIC_MAX_RESTARTS": str(job.max_restarts), "TORCHELASTIC_RUN_ID": job.run_id,
        "TORCHELASTIC_USE_AGENT_STORE": "True", "TORCHELASTIC_ERROR_FILE": error_file,
        "TORCHELASTIC_SIGNALS_TO_HANDLE": ",".join(job.signals),
        "TORCH_NCCL_ASYNC_ERROR_HANDLING": found.get("TORCH_NCCL_ASYNC_ERROR_HANDLING", "1")}
    if job.virtual_local_rank:
        gpus = [name for name in found.get("CUDA_VISIBLE_DEVICES", "").split(",") if name]
        found |= {"LOCAL_RANK": "0", "CUDA_VISIBLE_DEVICES": gpus[local_rank] if gpus else str(local_rank)}
    return found
