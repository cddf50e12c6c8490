"""Files that are broken or hostile: `torch.load`, safetensors and checkpoints read them or say that they cannot, as PyTorch.

Mutations of files of every format (`mutations.py`) are read by torchlike and by PyTorch, each in a process with bounds to
its memory (`loaded.py`). A failure is an exception of a type that is not documented, a result where PyTorch raises or
another one, an exception where PyTorch has a result, a process that ends, more time or memory than the file explains, and
code that runs or a file that is written where only weights are read.
"""

import pathlib
import random
import shutil
import tempfile
import time
import zipfile

from tests.campaigns import checkpoints, mutations
from tests.campaigns.processes import Asked
from tests.campaigns.report import Failure, Report

LIMIT = 60  # seconds for a file, on a machine that does other things
SECONDS, MEGABYTES = 5, 192  # that one may take by itself
# What `torch.load` says that it raises; an UnpicklingError is asked for where only weights are loaded.
DOCUMENTED = ("UnpicklingError", "RuntimeError", "EOFError", "ValueError", "UnsupportedError")
PICKLES = ("AttributeError", "ImportError", "LookupError", "TypeError", "MemoryError", "ArithmeticError", "RecursionError",
           "OSError", "AssertionError", "NameError", "BufferError", "SyntaxError", "Refused")
OF_SAFETENSORS = ("SafetensorError", "OSError", "ValueError", "TypeError", "KeyError", "RuntimeError")
FOR = {"free": DOCUMENTED + PICKLES, "safetensors": OF_SAFETENSORS, "checkpoint": ("CheckpointException",)}
HOW = {"zip": ("weights", "weights", "weights", "weights, mapped", "weights, a path", "weights to meta", "names", "free",
               "free, mapped"),
       "old": ("weights", "weights", "weights", "weights, a path", "weights to meta", "names", "free"),
       "tar": ("weights", "free"), "safetensors": ("safetensors", "safetensors, opened", "safetensors, bytes"),
       "checkpoint": ("checkpoint",)}


# Where the outcomes may differ, by what the two say; see compat/gaps.toml, "torch.load of ...".
REFUSES = ("must be uncompressed and within the file", "two records of one name", "has no values in the file",
           "setStorage: ", "a storage of ", "unsupported pickle protocol", "reduce for unrecognized function", "encode by ",
           "Negative strides", "is not a type object", "Can only build Tensor", "no storage: ", "'wrap_storage'",
           "file not found", 'hasRecord("version")', "bytearray of a size",  # the case of names counts here
           "state of a tensor has an attribute", "argument 'size' failed to unpack",
           "invalid header or archive is corrupted")
# where PyTorch does not look at the record itself
OF_PLACES = ("unsupported encryption", "unsupported method", "Storage size calculation overflowed")
# what comes before the object in an old file is data, whatever is allowed
OF_HEADERS = ("not an allowed global", "Can only SETITEMS", "pickle exhausted before end of frame")
# torch.device(0) is a name, a storage of bytes in an old file is read, and so is an archive with a page and more behind it,
# for whose end PyTorch's reader looks before the file
READS = ("Unsupported operand", "Cannot access accelerator device", "UntypedStorage' has no attribute 'dtype'",
         "negative seek value", "Invalid argument", "get_record_offset_no_read")
NOTHING = ("the process", "no answer", "MemoryError")  # how what says nothing ends


class Process(Asked):
    """A process of `loaded`."""

    def __init__(self, library, folder):
        super().__init__("tests.campaigns.loaded", library, str(folder))

    def ask(self, path, how) -> None:
        """Have a file read."""
        super().ask([str(path), how])

    def answer(self, limit=LIMIT) -> dict:
        """What `loaded` says, or how it ended."""
        return super().answer(limit)


def complaint(how, ours, theirs) -> str | None:
    """What is wrong with how reading ended.

    Args:
        how: the way of reading, of `HOW`.
        ours: what `loaded` says of torchlike.
        theirs: of PyTorch; None where PyTorch has nothing like it.
    """
    ended, kinds = ours["ended"], ours.get("kinds", ())
    if ended.startswith(NOTHING[:2]):
        return None if how.startswith("free") and theirs and theirs["ended"] == ended else ended  # it may call exit
    if ours["acts"] and not how.startswith("free"):
        return f"it acts: {ours['acts'][0]}"
    documented = FOR.get(how.split(",")[0], DOCUMENTED)
    if ended != "loaded" and not set(documented) & set(kinds):
        return f"raises {ended}: {ours['text']}"
    known = theirs if theirs and how.startswith("free") else {}  # Python's pickle trusts numbers
    if ours["seconds"] > max(SECONDS, 2 * known.get("seconds", 0)):
        return f"takes {ours['seconds']:.0f} s"
    if ours["grown"] > max(MEGABYTES << 10, 2 * known.get("grown", 0)) or "not enough memory" in ours.get("text", ""):
        return f"takes {ours['grown'] >> 10} MB"
    if theirs is None or ours["acts"] or theirs.get("acts") or theirs["ended"].startswith(NOTHING):
        return None
    return _difference(how, kinds, ours, theirs)


def _difference(how, kinds, ours, theirs) -> str | None:
    ended, raised = ours["ended"], theirs["ended"] != "loaded"
    refuses = REFUSES + (OF_PLACES if "mapped" in how or "meta" in how else ()) + (OF_HEADERS if how == "free" else ())
    if ended == "loaded" and raised:
        return None if any(text in theirs["text"] for text in READS) else \
            f"loads what PyTorch refuses: {theirs['ended']}: {theirs['text']}"
    if ended != "loaded" and not raised:
        return None if "UnsupportedError" in kinds or any(text in ours["text"] for text in refuses) else \
            f"refuses what PyTorch loads: {ended}: {ours['text']}"
    if not raised and ours["digest"] != theirs["digest"]:
        return "loads something else than PyTorch"
    return None


def _has_folders(path) -> bool:
    """Whether records of an archive are marked as folders: PyTorch returns memory that it has not written for them."""
    try:
        with zipfile.ZipFile(path) as archive:
            return any(record.external_attr & 0x10 for record in archive.infolist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return False


def _outcome(answer):
    return answer["ended"], answer.get("digest"), answer.get("text")


class Session:
    """The processes and the files of a campaign. Use it in a ``with`` block."""

    def __init__(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.place.name)
        self.files = mutations.valid()
        self.checkpoint = checkpoints.valid()
        samples = self.folder / "samples"
        samples.mkdir()
        for i, data in enumerate(self.files.values()):
            (samples / str(i)).write_bytes(data)
        checkpoints.write(self.checkpoint, samples / "checkpoint")
        self.outside = self.folder / "outside"
        self.inside = self.folder / "a" / "b" / "c"
        self.inside.mkdir(parents=True)
        self.processes = [Process(library, samples) for library in ("torchlike", "torch")]

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for process in self.processes:
            process.end()
        self.place.cleanup()

    def made(self, seed: int) -> tuple:
        """(what the case of a seed is, its way of reading, the path of its file)."""
        draw = random.Random(seed)
        path = self.inside / "file"
        if draw.random() < checkpoints.SHARE:
            what, files = checkpoints.mutated(draw, self.checkpoint)
            checkpoints.write(files, self.inside / "checkpoint")
            return what, "checkpoint", self.inside / "checkpoint"
        what, data = mutations.mutated(draw, self.files)
        path.unlink(missing_ok=True)  # a mapped file that is cut ends a process that reads it on, PyTorch's too
        path.write_bytes(data)
        return what, draw.choice(HOW[what.split(" ")[0].rstrip(":")]), path

    def _again(self, path, how):
        """How PyTorch ends when it is asked again."""
        self.processes[1].ask(path, how)
        return self.processes[1].answer()

    def _before(self, path):
        data = path.read_bytes() if path.is_file() else None
        return data, sorted(p for p in self.folder.rglob("*") if p != path and path not in p.parents)

    def examined(self, seed: int) -> tuple:
        """(what it is, how it is read, how it ended, a Failure or None) of the case of a seed."""
        what, how, path = self.made(seed)
        before = self._before(path)
        asked = self.processes if how != "checkpoint" else self.processes[:1]
        for process in asked:
            process.ask(path, how)
        ours, *others = [process.answer() for process in asked]
        wrong = complaint(how, ours, others[0] if others else None)
        if wrong is not None and others and (_has_folders(path) or _outcome(self._again(path, how)) != _outcome(others[0])):
            wrong = complaint(how, ours, None)  # PyTorch reads memory that nobody has written
        if self._before(path) != before:
            wrong = wrong or "changes files"
        size = path.stat().st_size if path.is_file() else 0
        if path.is_dir():
            shutil.rmtree(path)
        if wrong is None:
            return what, how, ours["ended"], None
        where = f"{what.split(' ')[0].rstrip(':')}, {how}: {wrong.partition(':')[0]}"
        return what, how, ours["ended"], Failure(where, f"{wrong} ({what})", f"Session().examined({seed})", size)


def run(seed: int, deadline: float, most: float = float("inf")) -> Report:
    """Files by chance until the deadline, or `most` of them."""
    report = Report()
    with Session() as session:
        while time.monotonic() < deadline and report.cases < most:
            what, how, ended, failure = session.examined(seed * 1_000_000_007 + report.cases)
            report.cases += 1
            report.points.add((what.partition(",")[0], how, ended))
            if failure is not None:
                report.failures.append(failure)
    return report
