"""What a pickle calls with arguments that no program has written: refused or taken as in PyTorch."""

import collections
import io
import pickle
import warnings
import zipfile

import pytest
import torch

import torchlike

LIBRARIES = (torch, torchlike)
HOOKS = collections.OrderedDict()
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of storages with dtypes
    STORAGE, INTEGERS = torch.ones(6).storage(), torch.ones(2, dtype=torch.int64).storage()


class Call:
    """Stands in a pickle for a call."""

    def __init__(self, function, *args):
        self.reduced = function, args

    def __reduce__(self):
        return self.reduced


class Built:
    """Stands for a layout that gets attributes."""

    def __init__(self, name):
        self.reduced = torch.serialization._get_layout, (f"torch.{name}",), {"a": 1}

    def __reduce__(self):
        return self.reduced


def file_of(obj) -> io.BytesIO:
    file = io.BytesIO()
    torch.save(obj, file)
    file.seek(0)
    return file


def changed(data, change) -> io.BytesIO:
    """An archive with other records, each of them what `change` makes of its name and content."""
    with zipfile.ZipFile(io.BytesIO(data)) as whole:
        records = {info.filename: whole.read(info) for info in whole.infolist()}
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as whole:
        for name, content in records.items():
            whole.writestr(name, change(name, content))
    made.seek(0)
    return made


def outcome(library, obj, **options):
    try:
        read = library.load(file_of(obj), **options)
    except Exception as error:  # noqa: BLE001 - compared
        return "refused" if options.get("weights_only", True) else type(error).__name__
    return str(read)


def rebuilt(name, *args):
    return Call(getattr(torch._utils, f"_rebuild_{name}"), *args)


def of_v2(offset=0, size=(2, 3), stride=(3, 1), requires_grad=False, metadata=None):
    return rebuilt("tensor_v2", STORAGE, offset, size, stride, requires_grad, HOOKS, metadata)


def of_meta(size=(2, 3), stride=(3, 1), requires_grad=False):
    return rebuilt("meta_tensor_no_storage", torch.float32, size, stride, requires_grad)


def of_coo(size, *more):
    return rebuilt("sparse_tensor", torch.sparse_coo, (torch.tensor([[0, 2]]), torch.ones(2), size, *more))


def of_csr(size):
    return rebuilt("sparse_tensor", torch.sparse_csr, (torch.tensor([0, 1, 2]), torch.tensor([0, 1]), torch.ones(2), size))


ARGUMENTS = {
    "a number for a flag": of_v2(requires_grad=1), "None for a flag": of_v2(requires_grad=None),
    "a number for a parameter's flag": rebuilt("parameter", torch.ones(2), 1, HOOKS),
    "None for a parameter's flag": rebuilt("parameter", torch.ones(2), None, HOOKS),
    "a number for a flag of meta": of_meta(requires_grad=1), "None for a flag of meta": of_meta(requires_grad=None),
    "strides that are None": of_v2(stride=None), "sizes that are None": of_v2(size=None), "a size": of_v2(size=6),
    "a bool first": of_v2(size=(True, 3)), "a bool later": of_v2(size=(2, True), stride=(3, 1)),
    "a float": of_v2(size=(2.0, 3)),
    "more than 64 bits": of_v2(offset=2**64), "a negative offset": of_v2(offset=-1),
    "other metadata": of_v2(metadata={"conj": "x"}), "metadata without an answer": of_v2(metadata={"x": torch.ones(2)}),
    "a size of COO": of_coo(4), "a bool of COO": of_coo((True,)), "an int for is_coalesced": of_coo((4,), 1),
    "a size of CSR": of_csr(2), "sizes of CSR": of_csr((2, 2)), "large sizes of CSR": of_csr((2**40, 2**40)),
    "negative sizes of CSR": of_csr((2, -2)),
    "a state of three": rebuilt("parameter_with_state", torch.ones(2), True, HOOKS, (1, 2, 3)),
    "a state of two": rebuilt("parameter_with_state", torch.ones(2), True, HOOKS, ({"a": 1}, {"b": 2})),
    "a layout": Call(torch.serialization._get_layout, "torch.strided"),
    "no layout": Call(torch.serialization._get_layout, "cpu"),
    "an index that is no int": Call(torch.device, "cuda", (1,)), "an index that is a bool": Call(torch.device, "cuda", True),
    "a device and an index": Call(torch.device, torch.device("cpu"), 1), "a name in bytes": Call(torch.device, b"cpu"),
    "an empty name": Call(torch.device, ""), "two digits": Call(torch.device, "cuda:01"),
    "an index": Call(torch.device, "cuda", 1),
    "a tensor in a size": Call(torch.Size, (torch.tensor(2.0), 3)), "errors of bytes":
    Call(bytearray, "abc", "latin1", "strict"),
    "a flag of integers": rebuilt("tensor_v2", INTEGERS, 0, (2,), (1,), True, HOOKS),
    "attributes of a layout": Built("sparse_coo"),
    "a storage class": torch.storage.UntypedStorage, "an old class": torch.LongTensor, "a quantized dtype": torch.quint8,
}


@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize("name", ARGUMENTS)
@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support:UserWarning")
def test_arguments(name, weights_only):
    theirs, ours = (outcome(library, ARGUMENTS[name], weights_only=weights_only) for library in LIBRARIES)
    assert ours.replace("torchlike", "torch") == theirs


@pytest.mark.parametrize(("obj", "told"), [
    (of_meta(stride=(3, -1)), "Negative strides"), (Call(bytearray, 10**12), "bytearray of a size"),
    (rebuilt("parameter_with_state", torch.ones(2), True, HOOKS, {"_cell": 1}), "state of a tensor has an attribute"),
    (Call(torch.UntypedStorage, 10**12), "reduce for unrecognized function"), (Call(torch.LongTensor, 10**9),
    "unrecognized"),
])
def test_refused_by_name(obj, told):
    with pytest.raises((pickle.UnpicklingError, RuntimeError), match=told):
        torchlike.load(file_of(obj))


@pytest.mark.parametrize("location", ["cpu", b"cpu", "cpu:0", "meta", b"meta", "x"], ids=str)
def test_locations(location):
    """Bytes are what Python 2 wrote. The CPU has no index here."""
    data = file_of(torch.ones(2)).getvalue()
    text = location if isinstance(location, str) else location.decode()
    code = b"X" + len(text).to_bytes(4, "little") if isinstance(location, str) else b"U" + bytes([len(text)])
    made = changed(data, lambda name, content: content.replace(b"X\x03\0\0\0cpu", code + text.encode()))

    encoding = "bytes" if isinstance(location, bytes) else "utf-8"

    def read(library):
        made.seek(0)
        try:
            return library.load(made, weights_only=False, encoding=encoding).device.type
        except RuntimeError as error:
            return str(error)

    assert read(torchlike) == read(torch)


def old(x, keys=None, count=None) -> io.BytesIO:
    """A file of the format before PyTorch 1.6 with one tensor, other keys and another number of elements."""
    file = io.BytesIO()
    torch.save(x, file, _use_new_zipfile_serialization=False)
    data = file.getvalue()
    values = len(data) - 8 - x.nbytes
    (name,) = pickle.loads(data[data.rindex(b"\x80\x02"):])
    head = data[:data.rindex(b"\x80\x02")]
    tail = data[values:] if count is None else count.to_bytes(8, "little") + data[values + 8:]
    return io.BytesIO(head + pickle.dumps([name] if keys is None else keys(name), 2) + tail)


@pytest.mark.parametrize("location", [None, "meta"])
@pytest.mark.parametrize("keys", [tuple, list, collections.Counter], ids=lambda kind: kind.__name__)
def test_keys_in_another_container(keys, location):
    for library in LIBRARIES:
        read = library.load(old(torch.ones(2), lambda name: keys([name])), map_location=location)
        assert location == "meta" or read.tolist() == [1, 1]


@pytest.mark.parametrize("keys", [3, None, [1], ["NAME", "x"], "xyz", [("NAME",)]], ids=str)
def test_no_keys(keys):
    for library in LIBRARIES:
        with pytest.raises((RuntimeError, TypeError, AssertionError)) as caught:
            library.load(old(torch.ones(2), lambda name: [name, "x"] if keys == ["NAME", "x"] else keys))
    assert type(caught.value) is RuntimeError


def test_numbers_of_elements():
    """The bytes are compared, by 64 bits; the storage's own size is what counts."""
    for library in LIBRARIES:
        assert library.load(old(torch.zeros(0), count=2**63)).shape == (0,)
        with pytest.raises(RuntimeError):
            library.load(old(torch.zeros(1), count=2**63))


TARGETS = {"a list": b"]", "an int": b"K\1", "a tuple": b")", "a dict": b"}", "a set": b"cbuiltins\nset\n)R",
           "an OrderedDict": b"ccollections\nOrderedDict\n)R", "a Counter": b"ccollections\nCounter\n)R"}
FILLS = {"append": b"K\2a", "extend": b"(K\2K\3e", "extend by nothing": b"(e", "set": b"K\2K\3s",
         "set several": b"(K\2K\3K\4K\5u", "set nothing": b"(u"}


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("target", TARGETS)
def test_fills_containers_of_the_right_kind(target, fill):
    code = b"\x80\2" + TARGETS[target] + FILLS[fill] + b"."
    made = changed(file_of(1).getvalue(), lambda name, content: code if name.endswith("data.pkl") else content)

    def read(library):
        made.seek(0)
        try:
            return library.load(made)
        except pickle.UnpicklingError as error:
            return str(error).partition("Check the documentation")[0].partition("WeightsUnpickler error: ")[2]

    assert read(torchlike) == read(torch)
