"""Files that PyTorch's programs write, and what chance or an enemy makes of them."""

import collections
import io
import json
import pickle
import pickletools
import random
import struct
import tarfile
import warnings
import zipfile

import safetensors.numpy
import torch

import torchlike

NUMBERS = (0, 1, -1, 2, 7, 127, 128, 255, 256, 2**15, 2**16 - 1, 2**16, 2**24, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40,
           2**62, 2**63 - 1, -2**31, -2**63)
NAMES = ("../../outside", "/outside", "archive/../data.pkl", "archive/data/0", "archive/data.pkl", "", "archive/", "\0", "..",
         "archive/data/../../outside", "archive/constants.pkl", "archive/byteorder", "other/data.pkl", "archive/data/é")
# What a pickle may name: first what does harm.
GLOBALS = ("os system", "posix system", "builtins exec", "builtins eval", "builtins open", "builtins __import__", "builtins getattr",
           "subprocess Popen", "shutil rmtree", "socket socket", "runpy run_path", "pickle loads", "torch load", "torch save",
           "torch.hub load", "builtins bytearray", "_codecs encode", "collections OrderedDict", "collections Counter",
           "torch Size", "torch device", "torch float32", "torch FloatStorage", "torch LongStorage", "torch.storage UntypedStorage",
           "torch.storage TypedStorage", "torch Tensor", "torch.nn.parameter Parameter", "torch.nn.modules.linear Linear",
           "torch._utils _rebuild_tensor", "torch._utils _rebuild_tensor_v2", "torch._utils _rebuild_tensor_v3",
           "torch._utils _rebuild_parameter", "torch._utils _rebuild_parameter_with_state", "torch._utils _rebuild_sparse_tensor",
           "torch._utils _rebuild_meta_tensor_no_storage", "torch._utils _rebuild_wrapper_subclass",
           "torch._tensor _rebuild_from_type_v2", "torch.serialization _get_layout", "builtins complex", "builtins set")
CODES = {code.name: code for code in pickletools.opcodes}
DEEP = (b"(", b"]", b"}", b")", b"\x85", b"(l", b"]\x94", b"N\x85", b"2", b"\x8f")  # opcodes that may stand many times


def objects(t) -> dict:
    """What is in the files, by name."""
    t.manual_seed(0)
    x, noted = t.arange(6.).view(2, 3), t.ones(3)
    noted.foo = 3
    model = t.nn.Sequential(t.nn.Linear(3, 2), t.nn.BatchNorm1d(2))
    mixed = {"window": x[:, 1:], "whole": x, "t": x.t(), "size": t.Size([1, 2]), "dtypes": [t.float16, t.bool], "text": "naïve",
             "device": t.device("cpu"), "large": 10**30, "leaf": t.ones(2, requires_grad=True), "noted": noted, "n": 2.5,
             "half": t.ones(3, dtype=t.bfloat16), "i": t.tensor([[1, 2]]), "counter": collections.Counter("aab"), "none": None,
             "tied": [model[0].weight, model[0].weight], "bools": t.tensor([True, False]), "empty": t.zeros(0, 3)}
    others = {"conj": t.tensor([1 + 2j]).conj(), "wide": t.ones(1, 1).expand(4, 5),
              "sparse": t.sparse_coo_tensor(t.tensor([[0, 2]]), t.ones(2), (4,)), "bytes": bytearray(b"abc"), "set": {1, 2},
              "meta": t.empty(2, 3, device="meta"), "complex": 1 + 2j}
    return {"state": dict(model.state_dict()), "mixed": mixed, "others": others, "one": x}


def _saved(t, obj, **options) -> bytes:
    file = io.BytesIO()
    t.save(obj, file, **options)
    return file.getvalue()


def _tar() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as whole:
        for name in ("sys_info", "pickle", "storages", "tensors"):
            data = pickle.dumps({"protocol_version": 1000} if name == "sys_info" else 0, 2)
            info = tarfile.TarInfo(name)
            info.size = len(data)
            whole.addfile(info, io.BytesIO(data))
    return file.getvalue()


def valid() -> dict:
    """The files, by names that begin with their formats: "zip", "old", "tar", "safetensors"."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of sparse tensors
        return _valid()


def _valid():
    found = {}
    for t in (torch, torchlike):
        for name, obj in objects(t).items():
            found[f"zip of {name} by {t.__name__}"] = _saved(t, obj)
            if name != "others":
                found[f"old of {name} by {t.__name__}"] = _saved(t, obj, _use_new_zipfile_serialization=False)
    found["zip of protocol 4"] = _saved(torchlike, objects(torchlike)["mixed"], pickle_protocol=4)
    found["tar"] = _tar()
    arrays = {name: x.detach().numpy() for name, x in objects(torch)["state"].items()}
    found["safetensors"] = safetensors.numpy.save(arrays, {"a": "b"})
    return found


# -- of any bytes

def _place(draw, data) -> int:
    return draw.randrange(len(data) + 1) if draw.random() < 0.5 else min(len(data), draw.randrange(200))


def _bits(draw, data, _):
    changed = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 8))):
        changed[min(_place(draw, data), len(data) - 1)] ^= 1 << draw.randrange(8)
    return bytes(changed)


def _bytes(draw, data, _):
    changed = bytearray(data)
    for _ in range(draw.choice((1, 2, 5))):
        changed[min(_place(draw, data), len(data) - 1)] = draw.choice((0, 1, 0x7F, 0x80, 0xFF, draw.randrange(256)))
    return bytes(changed)


def _cut(draw, data, _):
    return data[:_place(draw, data)] if draw.random() < 0.7 else data[_place(draw, data):]


def _spliced(draw, data, others):
    """A part of another file in place of one of this."""
    other = draw.choice(others)
    start, there = _place(draw, data), _place(draw, other)
    part = other[there:there + draw.choice((1, 8, 64, 1000))]
    return data[:start] + part + data[start + draw.choice((0, len(part))):]


def _repeated(draw, data, _):
    start = _place(draw, data)
    part = data[start:start + draw.choice((1, 30, 200))]
    return data[:start] + part * draw.choice((0, 2, 3, 500)) + data[start + len(part):]


def _number(draw, data, _):
    """A number of 1, 2, 4 or 8 bytes anywhere."""
    width = draw.choice((1, 2, 4, 8))
    start = min(_place(draw, data), max(len(data) - width, 0))
    value = draw.choice((*NUMBERS, len(data), len(data) - start)) % 2**(8 * width)
    return data[:start] + value.to_bytes(width, "little") + data[start + width:]


# -- of archives

HEADERS = {b"PK\x01\x02": ((4, 2), (6, 2), (8, 2), (10, 2), (12, 2), (14, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2), (32, 2),
                           (34, 2), (36, 2), (38, 4), (42, 4)),
           b"PK\x03\x04": ((4, 2), (6, 2), (8, 2), (14, 4), (18, 4), (22, 4), (26, 2), (28, 2)),
           b"PK\x05\x06": ((4, 2), (6, 2), (8, 2), (10, 2), (12, 4), (16, 4), (20, 2)),
           b"PK\x06\x06": ((4, 8), (12, 2), (16, 4), (24, 8), (32, 8), (40, 8), (48, 8)),
           b"PK\x06\x07": ((4, 4), (8, 8), (16, 4))}


def _places_of(data, kind) -> list:
    found, at = [], data.find(kind)
    while at >= 0:
        found.append(at)
        at = data.find(kind, at + 1)
    return found


def _header(draw, data, _):
    """A field of a header or of the directory of an archive."""
    kind = draw.choice([kind for kind in HEADERS if kind in data])
    offset, width = draw.choice(HEADERS[kind])
    start = draw.choice(_places_of(data, kind)) + offset
    old = int.from_bytes(data[start:start + width], "little")
    value = draw.choice((*NUMBERS, len(data), old + 1, old - 1, old * 2, old ^ (1 << draw.randrange(8 * width))))
    return data[:start] + (value % 2**(8 * width)).to_bytes(width, "little") + data[start + width:]


def records(data) -> list:
    """(name, bytes) of an archive's records."""
    with zipfile.ZipFile(io.BytesIO(data)) as whole:
        return [(info.filename, whole.read(info)) for info in whole.infolist()]


def archived(entries, compression=zipfile.ZIP_STORED, comment=b"") -> bytes:
    """An archive of (name, bytes)."""
    file = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w", compression) as whole:
        warnings.simplefilter("ignore")  # of two records of a name
        whole.comment = comment
        for name, content in entries:
            whole.writestr(zipfile.ZipInfo(name), content, compression)
    return file.getvalue()


def _directory(draw, data, _):
    """Records that are renamed, doubled, missing, exchanged, compressed, empty or long."""
    entries = records(data)
    i, j = draw.randrange(len(entries)), draw.randrange(len(entries))
    (name, content), (other, others) = entries[i], entries[j]
    change = draw.randrange(8)
    if change == 0:
        entries[i] = draw.choice(NAMES) or "-", content
    elif change == 1:
        entries.insert(j, (name, draw.choice((content, others, b""))))
    elif change == 2:
        del entries[i]
    elif change == 3:
        entries[i], entries[j] = (name, others), (other, content)
    elif change == 4:
        entries[i] = name, content[:draw.randrange(len(content) + 1)]
    elif change == 5:
        entries[i] = name, content + bytes(draw.choice((1, 8, 10**5)))
    elif change == 6:
        entries.append((draw.choice(NAMES) or "-", draw.choice((content, b"1", bytes(10**5)))))
    compressed = change == 7 or draw.random() < 0.1
    made = archived([(name.replace("\0", "_"), content) for name, content in entries],
                    zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED, draw.choice((b"", b"", b"PK\x05\x06" * 6)))
    return b"before" + made if draw.random() < 0.05 else made


def _repacked(change):
    """A change of the pickle of an archive, whose sums are those of the new one; in an old file that of its pickles."""
    def changed(draw, data, others):
        if not data.startswith(b"PK"):
            return change(draw, data, others)
        entries = records(data)
        return archived([(name, change(draw, content, others) if name.endswith("data.pkl") else content)
                         for name, content in entries])

    return changed


# -- of pickles

def steps(data) -> list:
    """(opcode, argument, start, end) of the pickles that follow each other."""
    found: list = []
    start = 0
    while start < len(data):
        try:
            each = [(code, argument, start + at) for code, argument, at in pickletools.genops(data[start:])]
        except Exception:  # noqa: BLE001 - what follows the pickles is none, and says so in many ways
            break
        starts = [at for _, _, at in each] + [each[-1][2] + 1]
        found += [(code, argument, at, after) for (code, argument, at), after in zip(each, starts[1:], strict=True)]
        start = starts[-1]
    return found


def _an_opcode(draw) -> bytes:
    """One with an argument of some kind."""
    code = draw.choice(pickletools.opcodes)
    start = code.code.encode("latin1")
    size = 0 if code.arg is None else code.arg.n
    if code.name == "GLOBAL":
        return start + draw.choice(GLOBALS).replace(" ", "\n").encode() + b"\n"
    if size == pickletools.UP_TO_NEWLINE:
        return start + draw.choice((b"1", b"I01", b"1e999", b"'a'", b"9" * 6000, b"os\nsystem", b"0x7f")) + b"\n"
    if size < 0:
        width = {pickletools.TAKEN_FROM_ARGUMENT1: 1, pickletools.TAKEN_FROM_ARGUMENT4: 4,
                 pickletools.TAKEN_FROM_ARGUMENT4U: 4, pickletools.TAKEN_FROM_ARGUMENT8U: 8}[size]
        content = draw.choice((b"", b"abc", b"\xff" * 3))
        return start + (draw.choice((len(content), *NUMBERS)) % 2**(8 * width)).to_bytes(width, "little") + content
    return start + (draw.choice(NUMBERS) % 2**(8 * max(size, 1))).to_bytes(max(size, 1), "little")[:size]


def _an_integer(draw) -> bytes:
    value = draw.choice((*NUMBERS, 2**64, 10**30, 3, 5))
    encoded = pickle.encode_long(value)
    return b"\x8a" + bytes([len(encoded)]) + encoded if draw.random() < 0.8 else \
        b"G" + struct.pack(">d", draw.choice((0.5, float("nan"), float("inf"), -1.0)))


def _opcodes(draw, data, _):
    """An opcode left out, doubled, exchanged with another or put in."""
    found = steps(data)
    if not found:
        return data
    for _ in range(draw.choice((1, 1, 2, 4))):
        _, _, start, end = draw.choice(found)
        _, _, here, there = draw.choice(found)
        put = draw.choice((b"", data[here:there], _an_opcode(draw), data[start:end] * 2, _an_opcode(draw) + data[start:end]))
        data = data[:start] + put + data[end:]
        found = steps(data) or found
    return data


def _arguments(draw, data, _):
    """A number, a text or a global of a pickle that is another."""
    found = [step for step in steps(data) if step[0].arg is not None and "PUT" not in step[0].name and step[0].name != "PROTO"]
    if not found:
        return data
    for _ in range(draw.choice((1, 1, 2))):
        code, argument, start, end = draw.choice(found)
        if code.name == "GLOBAL":
            put = b"c" + draw.choice(GLOBALS).replace(" ", "\n").encode() + b"\n"
        elif isinstance(argument, str):
            text = draw.choice((*NAMES, "storage", "cuda:0", "meta", "cpu", "0", "1", "module", "_cell", "x" * 10**5)).encode()
            put = b"X" + len(text).to_bytes(4, "little") + text
        else:
            put = _an_integer(draw)
        data = data[:start] + put + data[end:]
        found = [step for step in steps(data) if step[0].arg is not None] or found
    return data


def _nested(draw, data, _):
    """Very many of one opcode."""
    found = steps(data)
    start = draw.choice(found)[2] if found else 0
    return data[:start] + draw.choice(DEEP) * draw.choice((10, 2000, 50_000)) + data[start:]


def _reduced(draw, data, _):
    """A call of something with something in place of an object."""
    found = [step for step in steps(data) if step[0].name in ("BININT1", "NEWFALSE", "EMPTY_TUPLE", "EMPTY_DICT", "BINUNICODE")]
    if not found:
        return data
    _, _, start, end = draw.choice(found)
    arguments = b"".join(draw.choice((_an_integer(draw), b"X\x03\x00\x00\x00abc", b")", b"]", b"}", b"N", b"h\x00",
                                      b"X\x09\x00\x00\x00echo ever", b"c" + draw.choice(GLOBALS).replace(" ", "\n").encode() + b"\n"))
                         for _ in range(draw.randrange(6)))
    called = b"c" + draw.choice(GLOBALS).replace(" ", "\n").encode() + b"\n"
    return data[:start] + called + b"(" + arguments + b"t" + draw.choice((b"R", b"\x81", b"Rb", b"R}b")) + data[end:]


# -- of safetensors

def _json(draw, data, _):
    """The header of a safetensors file with another name, dtype, shape or place of a tensor."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    name = draw.choice([*header])
    change = draw.randrange(6)
    if change == 0:
        header[draw.choice(NAMES)] = header.pop(name)
    elif change == 1 and name != "__metadata__":
        header[name]["dtype"] = draw.choice(("F64", "U8", "BF16", "F8_E4M3", "", "X", "BOOL", None, 3))
    elif change == 2 and name != "__metadata__":
        header[name]["shape"] = draw.choice(([], [2**31, 2**31], [2**62, 4], [-1], [0], [1.5], None, [1] * 10**4, "3"))
    elif change == 3 and name != "__metadata__":
        header[name]["data_offsets"] = draw.choice(([0, 2**62], [2**63, 2**63], [8, 0], [-4, 4], [0], [0, 4, 8], None))
    elif change == 4:
        header[name] = draw.choice((None, 1, [], {}, "x", header))
        if header[name] is header:
            header[name] = dict(header, **{name: 0})
    else:
        header["deep"] = 0
    text = json.dumps(header).encode()
    if change == 5:
        depth = draw.choice((10, 200, 10**5))
        text = text.replace(b'"deep": 0', b'"deep": ' + b"[" * depth + b"]" * depth)
    length = len(text) if draw.random() < 0.9 else draw.choice(NUMBERS) % 2**64
    return length.to_bytes(8, "little") + text + data[8 + size:]


ANY = {"bits": _bits, "bytes": _bytes, "cut": _cut, "splice": _spliced, "repeat": _repeated, "number": _number}
PICKLES = {"opcodes": _opcodes, "arguments": _arguments, "nested": _nested, "call": _reduced}
PACKED = {name: _repacked(change) for name, change in {**ANY, **PICKLES}.items()}
KINDS = {
    "zip": {**ANY, "header": _header, "directory": _directory, **{f"pickle: {name}": change for name, change in PACKED.items()}},
    "old": {**ANY, **PICKLES}, "tar": ANY, "safetensors": {**ANY, "json": _json},
}
OFTEN = {"zip": 12, "old": 8, "tar": 1, "safetensors": 1}


def mutated(draw: random.Random, files: dict) -> tuple:
    """(what it was made of and how, its bytes) of a file by chance. A change in ten is followed by others."""
    kind = draw.choices([*OFTEN], [*OFTEN.values()])[0]
    name = draw.choice([name for name in files if name.startswith(kind)])
    data, changes, others = files[name], [], [*files.values()]
    while not changes or draw.random() < 0.1:
        pool = KINDS[kind] if not changes else ANY
        changes.append(draw.choice([*pool]))
        data = pool[changes[-1]](draw, data or b"\0", others)
    return f"{name}: {', '.join(changes)}", data
