"""A thread that compiles while the user's goes on."""

import atexit
import threading
from collections.abc import Callable
from typing import Any


class BackgroundCompiler:
    """One daemon thread, started with its first work and stopped before the interpreter goes."""

    def __init__(self, compile_one: Callable[[Any], None], urgency: Callable[[Any], float] = lambda program: 0.0):
        """`compile_one` compiles a program, and raises nothing. Of those that wait the most urgent one is next, among equals
        the one that has waited longest."""
        self._compile, self._urgency = compile_one, urgency
        self.forget_thread()

    def forget_thread(self) -> None:
        """Forget the thread and its work, too: this process has just been forked, and has none."""
        self._waiting: list = []
        self._lock = threading.Lock()
        self._work = threading.Condition(self._lock)
        self._idle = threading.Event()
        self._idle.set()
        self._thread: threading.Thread | None = None
        self._stopped = False
        self._busy = False

    def put(self, program) -> None:
        """Compile a program, some time."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._loop, name="torchlike-compiler", daemon=True)
                self._thread.start()
                atexit.register(self._stop, self._thread)
            self._idle.clear()
            self._waiting.append(program)
            self._work.notify()

    @property
    def pending(self) -> int:
        """How many programs wait, or are being compiled."""
        return len(self._waiting) + self._busy

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until there is nothing to do; False on timeout (seconds)."""
        return self._idle.wait(timeout)

    def _loop(self):
        while True:
            with self._lock:
                while not self._waiting and not self._stopped:
                    self._idle.set()
                    self._work.wait()
                if self._stopped:
                    self._idle.set()
                    return
                program = max(self._waiting, key=self._urgency)
                self._waiting.remove(program)
                self._busy = True
            self._compile(program)
            self._busy = False

    def _stop(self, thread):
        with self._lock:
            self._stopped = True
            self._work.notify()
        thread.join()
