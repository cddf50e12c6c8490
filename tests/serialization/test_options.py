"""Options of files: each is written by one library and read by the other, and what is refused is refused alike."""

import collections
import gzip
import io
import mmap
import os
import pickle
import warnings
import zipfile

import pytest
import torch

import torchlike
from tests.serialization.test_serialization import by_name, read_by, saved
from torchlike._serialization import archive


class Own:
    pass


class Small:
    """A file with nothing but what reading needs."""

    def __init__(self, data):
        file = io.BytesIO(data)
        self.read, self.seek, self.tell = file.read, file.seek, file.tell


class Sink:
    """One with nothing but what writing needs."""

    def __init__(self):
        self.data = b""

    def write(self, data):
        self.data += bytes(data)
        return len(data)

    def flush(self):
        pass


def sample(t):
    x = t.arange(6.).view(2, 3)
    return {"x": x, "t": x.t(), "i": t.tensor([1, 2]), "b": t.ones(2, dtype=t.bfloat16)}


def written(t, folder, obj, **options):
    path = str(folder / "a.pt")
    t.save(obj, path, **options)
    return path


def told(x):
    if isinstance(x, torch.Tensor | torchlike.Tensor):
        known = str(x.device) != "meta"
        return (str(x.dtype), tuple(x.shape), x.stride(), str(x.device), str(x.tolist()) if known else None)
    if hasattr(x, "untyped"):
        return type(x).__name__, str(getattr(x, "dtype", "")), x.nbytes(), list(x.tolist())
    if isinstance(x, dict):
        return {k: told(v) for k, v in x.items()}
    return [told(v) for v in x] if isinstance(x, list | tuple) else repr(x)


def outcome(case, writer, reader, folder):
    """What a case gives, its warnings or its error, under torch's names."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = told(case(writer, reader, folder))
        except Exception as error:  # noqa: BLE001 - compared
            found = f"{type(error).__name__}: {error}"
    texts = [str(w.message) for w in caught if "TypedStorage" not in str(w.message)
             and issubclass(w.category, UserWarning)]
    return repr((found, texts)).replace("torchlike", "torch").replace(str(folder), "")


def mapped(how):
    def case(writer, reader, folder):
        path = written(writer, folder, sample(writer))
        with reader.serialization.set_default_mmap_options(how):
            found = reader.load(path, mmap=True)
            found["x"].add_(1)
            first = found["t"].tolist()
        return [first, reader.load(path), reader.serialization.get_default_mmap_options() == mmap.MAP_PRIVATE]
    return case


def with_environment(name, value="1", **options):
    def case(writer, reader, folder):
        path = written(writer, folder, collections.deque([1]))
        os.environ[name] = value
        try:
            return reader.load(path, **options)
        finally:
            del os.environ[name]
    return case


def loads(make=sample, old=False, **options):
    return lambda writer, reader, folder: reader.load(
        written(writer, folder, make(writer), _use_new_zipfile_serialization=not old), **options)


def saves(make, old=False):
    return lambda writer, reader, folder: reader.load(
        written(writer, folder, make(writer), _use_new_zipfile_serialization=not old), weights_only=False)


def skipped(writer, reader, folder):
    with writer.serialization.skip_data():
        path = written(writer, folder, sample(writer))
    return reader.load(path)


def without_sums(writer, reader, folder):
    writer.serialization.set_crc32_options(False)
    try:
        path = written(writer, folder, sample(writer))
    finally:
        writer.serialization.set_crc32_options(True)
    first = zipfile.ZipFile(path).infolist()[0]
    return [reader.serialization.get_crc32_options(), reader.load(path), first.CRC]


def of_a_big_endian_machine(writer, reader, folder):
    path = written(writer, folder, {"a": writer.arange(3.), "c": writer.ones(2, dtype=writer.complex64)})
    with zipfile.ZipFile(path) as old:
        records = {i.filename: old.read(i) for i in old.infolist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as new:
        for name, data in records.items():
            new.writestr(name, b"big" if name.endswith("byteorder") else data)
    return reader.load(path)


def through_gzip(writer, reader, folder):
    with gzip.open(folder / "a.gz", "wb") as file:
        writer.save(sample(writer), file)
    with gzip.open(folder / "a.gz", "rb") as file:
        return reader.load(file)


def into_a_sink(writer, reader, folder):
    sink = Sink()
    writer.save(sample(writer), sink)
    return reader.load(Small(sink.data))


def one_after_the_other(writer, reader, folder):
    file = io.BytesIO()
    writer.save(1, file)
    start = file.tell()
    writer.save(writer.ones(2), file)
    return reader.load(io.BytesIO(file.getvalue()[start:]))


def with_own_place(writer, reader, folder):
    for t in {writer, reader}:
        t.serialization.register_package(5, lambda s: "mine" if s.nbytes() == 12 else None,
                                         lambda s, where: s if where == "mine" else None)
    try:
        path = written(writer, folder, [writer.ones(3), writer.ones(2)])
        return [reader.load(path), zipfile.ZipFile(path).read("a/data.pkl").count(b"mine")]
    finally:
        for t in {writer, reader}:
            del t.serialization._package_registry[0]


def unsafe(make, **options):
    return lambda writer, reader, folder: sorted(
        reader.serialization.get_unsafe_globals_in_checkpoint(saved(writer, make(writer), **options)))


def trusting(*entries):
    def case(writer, reader, folder):
        try:
            with reader.serialization.safe_globals(list(entries)):
                return type(reader.load(written(writer, folder, Own()))).__name__
        finally:
            reader.serialization.clear_safe_globals()
    return case


CASES = {
    "mmap": loads(mmap=True), "mmap private": mapped(mmap.MAP_PRIVATE), "mmap shared": mapped(mmap.MAP_SHARED),
    "mmap to meta": loads(mmap=True, map_location="meta"), "mmap of an old file": loads(old=True, mmap=True),
    "mmap flags": lambda w, r, f: r.serialization.set_default_mmap_options(7), "skip_data": skipped, "no sums": without_sums,
    "forced": with_environment("TORCH_FORCE_WEIGHTS_ONLY_LOAD", weights_only=False),
    "forbidden": with_environment("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "yes"),
    "forbidden, but said": with_environment("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", weights_only=True),
    "forced with a pickle module": with_environment("TORCH_FORCE_WEIGHTS_ONLY_LOAD", pickle_module=pickle),
    "encoding": loads(encoding="latin1"), "big endian": of_a_big_endian_machine, "gzip": through_gzip, "small": into_a_sink,
    "two archives": one_after_the_other, "meta": loads(lambda t: t.nn.Linear(2, 3, device="meta").state_dict()),
    "meta, old": loads(lambda t: [t.empty(2, device="meta")], old=True), "old to meta": loads(old=True, map_location="meta"),
    "several dtypes": saves(lambda t: [(x := t.ones(4)), x.view(t.int32)]),
    "several dtypes, old": saves(lambda t: [(x := t.ones(4)), x.view(t.int32)], old=True),
    "tensor and bytes": saves(lambda t: [(x := t.ones(4)), x.untyped_storage()]),
    "bytes and their tensor": saves(lambda t: [(x := t.ones(4, dtype=t.uint8)), x.untyped_storage()]),
    "untyped": saves(lambda t: t.arange(3.).untyped_storage()), "typed": loads(lambda t: t.arange(3.).storage()),
    "typed, old": loads(lambda t: [(x := t.arange(6.)), x.storage(), x[2:4]], old=True),
    "parts of complex": saves(lambda t: [(x := t.ones(4, dtype=t.complex64)).real, x.imag, t.view_as_real(x)]),
    "conjugated": saves(lambda t: [(x := t.tensor([1 + 2j])), x.conj()]),
    "conjugated, old": saves(lambda t: [(x := t.tensor([1 + 2j])), x.conj()], old=True),
    "to no device": loads(map_location="nodevice"), "to xpu": loads(map_location="xpu"),
    "to a number": loads(map_location=3), "by another name": loads(map_location={"cuda:0": "cpu"}),
    "what a function sees": lambda w, r, f: (seen := []) or (r.load(written(w, f, sample(w)), map_location=lambda s, where: (
        seen.append((type(s).__name__, where, s.nbytes(), len(s), s.element_size())), s)[1]) and seen),
    "own place": with_own_place, "unknown class": loads(lambda t: Own()),
    "unsafe": unsafe(lambda t: [Own(), t.nn.Linear(1, 1)]),
    "nothing unsafe": unsafe(sample), "old unsafe": unsafe(sample, _use_new_zipfile_serialization=False),
    "pair with a number": trusting((Own, 3)), "three": trusting((Own, "a", "b")),
    "endianness": lambda w, r, f: r.serialization.set_default_load_endianness("big"),
    "lazy": lambda w, r, f: type(w.load(saved(w, w.nn.LazyLinear(3).weight), weights_only=False)).__name__,
    "version": lambda w, r, f: r.serialization.check_module_version_greater_or_equal(r, (1, 8)),
}


@read_by
@by_name
@pytest.mark.parametrize("name", CASES)
def test_cases(name, writer, reader, tmp_path):
    if torchlike in (writer, reader):
        assert outcome(CASES[name], writer, reader, tmp_path) == outcome(CASES[name], torch, torch, tmp_path)


def test_a_planted_error_is_seen(monkeypatch, tmp_path):
    """Storages that are written in the other byte order."""
    monkeypatch.setitem(archive._ORDERS, None, "big")
    monkeypatch.setattr(archive.Reader, "byteorder", "big")
    assert outcome(loads(), torchlike, torchlike, tmp_path) != outcome(loads(), torch, torch, tmp_path)


def test_own_pickle_modules():
    class Module:
        Pickler, Unpickler = type("P", (pickle._Pickler,), {}), pickle.Unpickler

    file = saved(torchlike, [torchlike.ones(2), Own], pickle_module=Module)
    assert torch.load(file, weights_only=False)[1] is Own
    Module.Pickler = type("P", (pickle.Pickler,), {})
    with pytest.raises(torchlike.UnsupportedError, match="Pickler in C: Module"):
        saved(torchlike, 1, pickle_module=Module)


class Wrapper(torchlike.Tensor):
    """A class of tensors without memory."""

    def __new__(cls, inner):
        return torchlike.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype, device=inner.device)

    def __init__(self, inner):
        self.inner = inner

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        raise NotImplementedError(func)


@pytest.mark.parametrize("old", [False, True])
def test_wrappers(old):
    file = saved(torchlike, Wrapper(torchlike.arange(3.)), _use_new_zipfile_serialization=not old)
    found = torchlike.load(file, weights_only=False)
    assert (type(found), found.inner.tolist(), tuple(found.shape)) == (Wrapper, [0, 1, 2], (3,))
    file.seek(0)
    with torchlike.serialization.safe_globals([Wrapper]):
        assert torchlike.load(file, map_location="meta").device.type == "meta"


def test_large_archives(monkeypatch):
    """Sizes and counts above those of the first zip format, here made small."""
    monkeypatch.setattr(archive, "_MOST", 100)
    monkeypatch.setattr(archive, "_MOST_ENTRIES", 3)
    file = io.BytesIO()
    out = archive.Writer(file, "a")
    for i in range(5):
        out.add(f"data/{i}", bytes([i]) * 50)
    out.close()
    file.seek(0)
    assert len(zipfile.ZipFile(file).namelist()) == 5
