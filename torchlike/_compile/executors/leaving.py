"""The end of a process in which XLA compiles: it takes seconds to a minute, and cannot be told to stop.

While XLA compiles, the thread that called it waits, and takes the interpreter's lock every now and then to look for
signals. Once the interpreter ends, that ends the thread, in the middle of C++, which aborts the process. So the thread is
stopped where it waits, by a signal whose handler never returns, and as soon as Python has ended the process does, with
Python's own status: the destructors of XLA's libraries would meet its pool of threads at work.
"""

import ctypes
import gc
import os
import signal
import sys

_COMPILER, _CALLBACKS = os.path.join("jax", "_src", "compiler.py"), os.path.join("jax", "_src", "lib", "__init__.py")
_WAITS = "S"  # for a lock or an event, in Linux's word for a thread's state
_LOOK = 0.02  # seconds between two looks at where the thread is


def leave_behind(end, ident: int, native_id: int) -> bool:
    """Wait until a thread has ended, or is stopped for ever in XLA's compiler. What it has not given to XLA yet it traces no
    further. Where that cannot be done (it takes Linux and glibc) it is waited for.

    Args:
        end: a lock that is locked as long as the thread runs.
        ident: of the thread, as `threading.get_ident` gives it.
        native_id: as `threading.get_native_id` gives it.

    Returns:
        whether it is stopped, with all locks that it holds.
    """
    collects, told = gc.isenabled(), False
    gc.disable()  # it calls JAX, where the exception below would be lost
    try:
        while not end.acquire(timeout=_LOOK):
            frame = sys._current_frames().get(ident)
            file = "" if frame is None else frame.f_code.co_filename
            if file.endswith(_COMPILER) and _is_stopped(ident, native_id):
                return True
            if not told and file and not file.endswith(_CALLBACKS):
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(SystemExit))
                told = True
        return False
    finally:
        if collects:
            gc.enable()


def _is_stopped(ident, native_id) -> bool:
    """Whether a thread that waits in C++ could be stopped there, and the process will end."""
    libc = _library()
    if libc is None or _state(native_id) != _WAITS or (number := _signal(libc)) is None:
        return False
    libc.fflush(None)
    libc.on_exit(libc._exit, None)
    signal.pthread_kill(ident, number)
    return True


def _library():
    """The C library, where it has what is needed."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    return libc if hasattr(libc, "on_exit") else None


def _signal(libc) -> int | None:
    """A signal that nobody uses, and whose handler now waits for ever."""
    handler = libc.signal
    handler.argtypes, handler.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_void_p
    pause = ctypes.cast(libc.pause, ctypes.c_void_p)
    for number in range(signal.SIGRTMAX, signal.SIGRTMIN, -1):
        before = handler(number, pause)
        if before is None:  # SIG_DFL
            return number
        handler(number, before)
    return None


def _state(native_id) -> str:
    try:
        with open(f"/proc/self/task/{native_id}/stat") as file:
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return ""
