"""What a library makes of files, in a process of its own: ``python -m tests.campaigns.loaded LIBRARY FOLDER``.

Each line of its input names a file of the folder and a way to read it; each line of its output says how that ended, in
JSON, and what Python's audit hooks saw meanwhile. Such acts are refused, so nothing is harmed.
"""

import hashlib
import io
import json
import os
import pathlib
import pickle
import re
import resource
import sys
import threading
import time
import warnings

ROOM = 3 << 30  # bytes of addresses that a process may take beyond those that it has when it begins
MOST = 1 << 16  # elements of a tensor that are looked at
ITEMS = 2000  # objects that are looked at
# Acts of programs: "import" and "exec" stand for code that runs.
ACTS = ("os.", "subprocess.", "shutil.", "socket.", "signal.", "ctypes.", "pty.", "urllib.", "tempfile.", "webbrowser.",
        "sqlite3.", "ftplib.", "smtplib.", "http.", "winreg.", "code.", "sys.settrace", "sys.setprofile", "builtins.input",
        "builtins.breakpoint", "gc.")
CODE = ("import", "exec", "compile", "marshal.", "function.__new__")
HARMLESS = ("os.putenv", "os.listdir", "os.scandir")
_UNTIL = re.compile(r"Weights only load failed.*WeightsUnpickler error:", re.S)
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Refused(BaseException):
    """An act of a file that was read."""


class Watch:
    """Sees and refuses what is done by this thread while it is `armed`.

    ``strict`` says whether no code may run either, ``has_loop`` whether sockets are opened, as asyncio does for itself.
    """

    def __init__(self):
        self.armed, self.strict, self.has_loop = False, True, False
        self.thread, self.seen = threading.get_ident(), []

    def __call__(self, event, arguments):
        if not self.armed or threading.get_ident() != self.thread:
            return
        if event == "open":
            _, mode, flags = arguments
            acts = (isinstance(mode, str) and bool(set(mode) & set("wax+"))) or \
                (isinstance(flags, int) and flags & WRITING != 0)
        else:
            acts = event.startswith(ACTS) and event not in HARMLESS
            acts = acts and not (self.has_loop and event.startswith("socket."))
            acts = acts or (self.strict and event.startswith(CODE))
        if acts:
            self.armed = False
            self.seen.append(f"{event} {str(arguments)[:200]}")
            self.armed = True
            raise Refused(event)


def _peak() -> int:
    """The most memory since it was last asked for, in KB."""
    with open("/proc/self/status") as file:
        found = next(line for line in file if line.startswith("VmHWM"))
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    return int(found.split()[1])


def addresses() -> int:
    """How many bytes of addresses this process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


# -- what was read

def _of_tensor(torch, x):
    facts = [str(x.dtype), list(x.shape), str(x.layout), x.device.type, x.requires_grad, type(x).__name__]
    if str(x.layout) != "torch.strided":
        return facts
    facts.append(list(x.stride()))
    if x.device.type == "meta" or x.numel() > MOST or x.dim() > 64:  # see compat/gaps.toml
        return facts
    plain = x.detach().resolve_conj().resolve_neg().contiguous()
    if plain.dtype == torch.bool:  # bytes that are no bool are not
        plain = plain.view(torch.uint8) != 0
    return [*facts, plain.flatten().view(torch.uint8).tolist() if plain.numel() else []]


def _told(torch, x, left: list):
    """An object in JSON's types. Of an endless one, the beginning."""
    left[0] -= 1
    if left[0] < 0:
        return "..."
    if isinstance(x, torch.Tensor):
        return _of_tensor(torch, x)
    if isinstance(x, dict):
        plain = [(k, v) for k, v in list(x.items())[:ITEMS] if isinstance(k, str | int | float | bytes | None)]
        return [type(x).__name__, [[_told(torch, k, left), _told(torch, v, left)] for k, v in plain]]
    if isinstance(x, list | tuple):
        return [type(x).__name__, [_told(torch, v, left) for v in x[:ITEMS]]]
    if isinstance(x, set | frozenset):
        return [type(x).__name__, sorted(str(_told(torch, v, left)) for v in x)]
    if isinstance(x, bool | int | float | complex | str | bytes | bytearray | torch.dtype | torch.device | None):
        return f"{type(x).__name__} {str(x)[:1000] if not isinstance(x, int) else hex(x)[:1000]}"
    return "a function or class" if callable(x) else type(x).__name__  # torchlike's stand for PyTorch's


def _digest(torch, value) -> str:
    try:
        text = json.dumps(_told(torch, value, [ITEMS]))
    except Exception as error:  # noqa: BLE001 - compared
        text = type(error).__name__
    return hashlib.sha256(text.replace("torchlike", "torch").encode()).hexdigest()[:16]


# -- reading

def _checkpoint(torch, path):
    import torch.distributed.checkpoint as checkpoint

    state = {"a": torch.zeros(2, 3), "b": {"c": torch.zeros(4), "n": 0}}
    checkpoint.load(state, checkpoint_id=path)
    return state


def _readers(torch) -> dict:
    from safetensors import safe_open
    from safetensors import torch as tensors

    def opened(path):
        with safe_open(path, framework="pt") as file:
            return {name: file.get_tensor(name) for name in sorted(file.keys())}

    def in_memory(path):
        return io.BytesIO(pathlib.Path(path).read_bytes())

    return {
        "weights": lambda path: torch.load(in_memory(path)),
        "weights, a path": lambda path: torch.load(path),
        "weights, mapped": lambda path: torch.load(path, mmap=True),
        "weights to meta": lambda path: torch.load(in_memory(path), map_location="meta"),
        "names": lambda path: sorted(torch.serialization.get_unsafe_globals_in_checkpoint(in_memory(path))),
        "free": lambda path: torch.load(in_memory(path), weights_only=False),
        "free, mapped": lambda path: torch.load(path, weights_only=False, mmap=True),
        "safetensors": lambda path: dict(sorted(tensors.load_file(path).items())), "safetensors, opened": opened,
        "safetensors, bytes": lambda path: dict(sorted(tensors.load(pathlib.Path(path).read_bytes()).items())),
        "checkpoint": lambda path: _checkpoint(torch, path),
    }


def _short(text) -> str:
    """Beginning and end of a text, which may have a name of 100 000 letters in it."""
    return text if len(text) <= 600 else f"{text[:200]} ... {text[-400:]}"


def _ended(torch, read, path, watch) -> dict:
    """How it ended, how long it took, how much memory, and what it did besides."""
    watch.seen.clear()
    before, start = _peak(), time.process_time()
    watch.armed = True
    try:
        value = read(path)
        watch.armed = False
        ended = {"ended": "loaded"}
    except BaseException as error:  # noqa: BLE001 - reported
        watch.armed = False
        ended = {"ended": type(error).__name__, "kinds": [kind.__name__ for kind in type(error).__mro__],
                 "text": _short(_UNTIL.sub("", str(error))), "unpickling": isinstance(error, pickle.UnpicklingError)}
    ended |= {"seconds": round(time.process_time() - start, 3), "grown": _peak() - before, "acts": list(watch.seen)}
    if ended["ended"] == "loaded":
        ended["digest"] = _digest(torch, value)
    return ended


def main() -> None:
    """Answer each line, until there are no more."""
    warnings.simplefilter("ignore")
    if sys.argv[1] == "torchlike":
        import torchlike
        torchlike.install()
    import torch

    readers, watch, folder = _readers(torch), Watch(), sys.argv[2]
    asked, told = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")  # a file that is read may print, or ask
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(2, 1)
    for name in os.listdir(folder):  # what is imported at the first time
        for how in ("checkpoint",) if name.startswith("checkpoint") else [how for how in readers if how != "checkpoint"]:
            _ended(torch, readers[how], os.path.join(folder, name), watch)
    for name in ("latin1", "utf-8", "ascii", "idna"):
        "a".encode(name)
    sys.addaudithook(watch)
    resource.setrlimit(resource.RLIMIT_AS, (addresses() + ROOM, resource.RLIM_INFINITY))
    print("ready", file=told, flush=True)
    for line in asked:
        path, how = json.loads(line)
        watch.strict, watch.has_loop = not how.startswith(("free", "checkpoint")), how == "checkpoint"
        print(json.dumps(_ended(torch, readers[how], path, watch)), file=told, flush=True)


if __name__ == "__main__":
    main()
