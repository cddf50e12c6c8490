"""Locks that other threads of the parent hold are open in a child; a thread's own stay its own."""

import os
import threading

import pytest

from torchlike._base.forkable import forkable, open_locks


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", [threading.Lock, threading.RLock])
def test_a_lock_of_another_thread(kind):
    for lock, opened in ((forkable(kind()), True), (kind(), False)):
        held, done = threading.Event(), threading.Event()

        def hold(lock=lock, held=held, done=done):
            with lock:
                held.set()
                done.wait()

        thread = threading.Thread(target=hold)
        thread.start()
        held.wait()
        child = os.fork()
        if child == 0:
            open_locks()
            os._exit(0 if lock.acquire(timeout=0.2) else 1)
        done.set()
        thread.join()
        assert (os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0) is opened
