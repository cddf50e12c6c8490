"""What is told of workers that have failed: the first error with its traceback, the others by name."""

import signal
import sys

from torchlike.distributed.elastic._output import say
from torchlike.distributed.elastic._workers import Worker

# A worker that is killed writes nothing, and is seen a moment after others that fail because of it.
_KILLS = {signal.SIGKILL, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE}
_LATE = 1.0  # seconds


def first(failed: list[Worker]) -> Worker:
    """The one whose failure was the first."""
    def when(worker: Worker) -> float:
        failure = worker.failure
        assert failure is not None
        return failure.time - (_LATE if -failure.exitcode in _KILLS else 0.0)

    return min(failed, key=when)


def tell_first(worker: Worker, prefix: str) -> None:
    """Its traceback, if it is known, and how it ended."""
    failure = worker.failure
    assert failure is not None
    for line in failure.traceback.splitlines():
        print(f"{prefix}{line}", file=sys.stderr)
    status = f"{failure.signal_name()}" if failure.exitcode < 0 else f"exit status {failure.exitcode}"
    above = "; its traceback is above" if failure.traceback else ""
    say(f"rank {worker.rank} failed ({status}, local rank {worker.local_rank}, pid {worker.pid}){above}")


def tell_others(workers: list[Worker], told: Worker) -> None:
    """The others that have failed, and those that were ended."""
    others = [worker for worker in workers if worker is not told]
    failed = [f"rank {worker.rank} ({worker.failure.brief})" for worker in others
              if worker.failure is not None and (worker.is_own_failure or worker.failure.traceback)]
    names = {f"rank {worker.rank}": worker for worker in others}
    ended = [name for name, worker in names.items() if worker.failure is not None and not worker.is_own_failure
             and not worker.failure.traceback]
    killed = [name for name in ended if names[name].status == -signal.SIGKILL]
    if failed:
        say(f"failed, too: {', '.join(failed)}")
    if ended:
        say(f"ended: {', '.join(ended)}" + (f"; SIGKILL was needed for {', '.join(killed)}" if killed else ""))


def exit_status(worker: Worker) -> int:
    """The launcher's own status: the worker's, or 128 and the number of a signal, as a shell has it."""
    status = worker.status or 0
    return 128 - status if status < 0 else status
