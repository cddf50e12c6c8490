"""A thread that compiles while the user's goes on."""

import atexit
import queue
import threading
from collections.abc import Callable
from typing import Any


class BackgroundCompiler:
    """One daemon thread, started with its first work and stopped before the interpreter goes."""

    def __init__(self, compile_one: Callable[[Any], None]):
        """`compile_one` compiles a program, and raises nothing."""
        self._compile = compile_one
        self._queue: queue.SimpleQueue = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._idle = threading.Event()
        self._idle.set()
        self._thread: threading.Thread | None = None
        self._stopped = False

    def put(self, program) -> None:
        """Compile a program, some time after those that came before."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._loop, name="torchlike-compiler", daemon=True)
                self._thread.start()
                atexit.register(self._stop, self._thread)
            self._idle.clear()
            self._queue.put(program)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until there is nothing to do; False on timeout (seconds)."""
        return self._idle.wait(timeout)

    def _loop(self):
        while True:
            program = self._queue.get()
            if program is None:
                return
            if not self._stopped:
                self._compile(program)
            with self._lock:
                if self._queue.empty():
                    self._idle.set()

    def _stop(self, thread):
        self._stopped = True
        self._queue.put(None)
        thread.join()
