"""A thread that compiles while the user's goes on.

An interruption may come after any call in the user's thread, also after those that `threading`'s conditions and events make,
which are Python: their locks would then stay locked, and the next `put` would wait for ever. So only what is written in C is
used here: locks, a queue and threads.
"""

import _thread
import atexit
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

from torchlike._compile.executors.leaving import leave_behind

_BEGAN = time.monotonic()
_LEAST, _SHARE, _MOST = 1.0, 0.1, 10.0  # seconds, of the process's time, seconds: how long its end waits for the compiler


class BackgroundCompiler:
    """One daemon thread, started with its first work and stopped before the interpreter goes, see `leaving`."""

    def __init__(self, compile_one: Callable[[Any], None], urgency: Callable[[Any], float] = lambda program: 0.0, locks=()):
        """`compile_one` compiles a program, and raises nothing; it holds `locks` meanwhile. Of those that wait the most
        urgent one is next, among equals the one that has waited longest."""
        self._compile, self._urgency, self._locks = compile_one, urgency, locks
        self.forget_thread()
        atexit.register(self._stop)

    def forget_thread(self) -> None:
        """Forget the thread and its work, too: this process has just been forked, and has none."""
        self._waiting: list = []
        self._lock = threading.Lock()
        self._calls: queue.SimpleQueue = queue.SimpleQueue()  # each has the thread look for work
        self._until_idle: list = []  # locks of those who wait for the end of all work
        self._ends: list = []  # for each thread a lock that is locked as long as it runs, and its two numbers
        self._has_thread = self._stopped = self._busy = False

    def put(self, program) -> None:
        """Compile a program, some time."""
        with self._lock:
            if not self._has_thread:
                _thread.start_new_thread(self._loop, ())
                self._has_thread = True  # an interruption before this has two threads share the work
            self._waiting.append(program)
        self._calls.put(None)

    @property
    def pending(self) -> int:
        """How many programs wait, or are being compiled."""
        return len(self._waiting) + self._busy

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until there is nothing to do; False on timeout (seconds)."""
        done = threading.Lock()
        with self._lock:
            if not self._has_thread or not self.pending:
                return True
            done.acquire()
            self._until_idle.append(done)
        self._calls.put(None)
        return done.acquire(timeout=-1 if timeout is None else timeout)

    def _loop(self):
        end = threading.Lock()
        with end:
            self._ends.append((end, threading.get_ident(), threading.get_native_id()))
            while not self._stopped:
                self._calls.get()
                while (program := self._next()) is not None:
                    self._compile(program)

    def _next(self):
        """The program to be compiled now; None if there is none, which those who wait for that are told."""
        with self._lock:
            self._busy = bool(self._waiting) and not self._stopped
            if self._busy:
                program = max(self._waiting, key=self._urgency)
                self._waiting.remove(program)
                return program
            for done in self._until_idle:
                done.release()
            self._until_idle.clear()
            return None

    def _stop(self):
        """Wait for the program that is being compiled, so that the next process finds it, but not long."""
        self._stopped = True
        for _ in self._ends:
            self._calls.put(None)
        until = time.monotonic() + min(max(_LEAST, _SHARE * (time.monotonic() - _BEGAN)), _MOST)
        for end, *numbers in self._ends:
            try:
                has_ended = end.acquire(timeout=max(until - time.monotonic(), 0.0))
            except KeyboardInterrupt:  # who ends the process has waited long enough
                has_ended = False
            if not has_ended and leave_behind(end, *numbers):
                for lock in self._locks:  # handlers that come after this one may fork
                    lock._at_fork_reinit()
