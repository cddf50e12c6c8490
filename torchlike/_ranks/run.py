"""Runs a program in many threads, one for each rank."""

import contextlib
import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable

from torchlike._base import turns
from torchlike._base.ports import free_port
from torchlike._base.turns import RanksEndedError, Turns, place
from torchlike._c10d import world
from torchlike._ranks.blocking import giving_turns
from torchlike._ranks.output import Prefixed
from torchlike._ranks.own import Own
from torchlike._record import tracebacks
from torchlike.distributed.elastic._output import say

_STACK = 64 << 20  # bytes of each thread's, as much as the deepest programs need of a process's first one
_SHUTDOWN = 3.0  # seconds in which ranks end by themselves
_LOOK = 0.1  # seconds between looks for signals
_INTERRUPTED = 130
_ADDRESS = "127.0.0.1"


class Ranks:
    """The ranks of one program.

    Args:
        count: how many.
        one: runs the program once, and returns an exit status. It is given what tells of exceptions, as `cli.run`.
    """

    def __init__(self, count: int, one: Callable[[Callable], int]):
        self._one, self._interrupted = one, False
        port = free_port()
        self._own = [Own(_variables(rank, count, port), sys.argv) for rank in range(count)]
        self._turns = Turns(self._exchange)
        self.statuses: dict[int, int] = {}
        self.failed: list[int] = []  # in the order of their failures
        self._shown: set[int] = set()  # those whose tracebacks have been printed
        self._ended: list[int] = []
        self._is_over = threading.Event()  # all have ended, or one has failed
        self._threads = [threading.Thread(target=self._run, args=(rank,), name=f"rank {rank}", daemon=True)
                         for rank in range(count)]

    def run(self) -> int:
        """Runs all, until they have ended.

        Returns:
            the exit status: 0, that of the rank that failed first, or 130 after Ctrl-C.
        """
        turns.active.turns = self._turns
        try:
            with _stack(_STACK), giving_turns(), _prefixed():
                for thread in self._threads:
                    thread.start()
                self._wait()
        finally:
            turns.active.turns = None
        return self._exit_status()

    def _exit_status(self) -> int:
        return _INTERRUPTED if self._interrupted else self.statuses[self.failed[0]] if self.failed else 0

    def _wait(self) -> None:
        try:
            while not self._is_over.wait(_LOOK):
                pass
        except KeyboardInterrupt:
            self._interrupted = True
            self._end(KeyboardInterrupt)
        until = time.monotonic() + _SHUTDOWN
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        self._tell()
        if any(thread.is_alive() for thread in self._threads):  # it is in a call that does not come back
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(self._exit_status())

    def _end(self, error: type[BaseException]) -> None:
        """Ends all: whose turn it is by an exception, the others when it would be theirs."""
        self._turns.end()
        holder = self._turns.holder
        if holder is not None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(holder), ctypes.py_object(error))

    def _tell(self) -> None:
        if self._interrupted:
            say("SIGINT: all ranks have ended")
        if self._interrupted or not self.failed:
            return
        first, *later = self.failed
        ended = [rank for rank in range(len(self._threads)) if rank not in self.statuses]
        above = "; its traceback is above" if first in self._shown else ""
        say(f"rank {first} failed (exit status {self.statuses[first]}){above}")
        if later:
            say(f"failed, too: {_names(later)}")
        if ended:
            say(f"ended: {_names(ended)}")

    def _exchange(self, before: int | None, now: int) -> None:
        if before is not None:
            self._own[before].keep()
        self._own[now].put()

    def _run(self, rank: int) -> None:
        place.rank = rank
        try:
            self._turns.take()
            self.statuses[rank] = self._status(rank)
            if self.statuses[rank]:
                self.failed.append(rank)
                self._turns.end()
            world.leave()
        except RanksEndedError:
            pass
        finally:
            for stream in (sys.stdout, sys.stderr):
                stream.finish()
            if self._turns.has():
                self._turns.give()
            self._ended.append(rank)
            if self.failed or len(self._ended) == len(self._own):
                self._is_over.set()

    def _show(self, problem: BaseException, own) -> bool:
        """Prints a traceback, unless it is the end of all; returns True: it has been told."""
        if isinstance(problem, RanksEndedError):
            raise problem
        self._shown.add(place.rank or 0)
        tracebacks.show(type(problem), problem.with_traceback(own), own)
        return True

    def _status(self, rank: int) -> int:
        try:
            return self._one(self._show)
        except KeyboardInterrupt:
            if self._interrupted:
                raise RanksEndedError from None
            return _INTERRUPTED
        except SystemExit as problem:
            if problem.code is None or isinstance(problem.code, int):
                return problem.code or 0
            print(problem.code, file=sys.stderr)
            return 1


def _variables(rank: int, count: int, port: int) -> dict[str, str]:
    """Those of PyTorch's torchrun."""
    numbers = {"RANK": rank, "LOCAL_RANK": rank, "ROLE_RANK": rank, "WORLD_SIZE": count, "LOCAL_WORLD_SIZE": count,
               "ROLE_WORLD_SIZE": count, "GROUP_RANK": 0, "GROUP_WORLD_SIZE": 1, "MASTER_PORT": port,
               "TORCHELASTIC_RESTART_COUNT": 0, "TORCHELASTIC_MAX_RESTARTS": 0}
    return {**{name: str(number) for name, number in numbers.items()}, "MASTER_ADDR": _ADDRESS, "ROLE_NAME": "default",
            "TORCHELASTIC_RUN_ID": "none"}


@contextlib.contextmanager
def _stack(size: int):
    kept = threading.stack_size(size)
    try:
        yield
    finally:
        threading.stack_size(kept)


@contextlib.contextmanager
def _prefixed():
    kept = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = Prefixed(kept[0]), Prefixed(kept[1])
    try:
        yield
    finally:
        sys.stdout, sys.stderr = kept


def _names(ranks) -> str:
    return ", ".join(f"rank {rank}" for rank in ranks)
