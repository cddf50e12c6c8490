"""`data_ptr` and storages, against torch: the bytes are read at the address, as C code does."""

import ctypes
import gc
import subprocess
import sys

import pytest
import torch

import torchlike
from compat.compare.texts import check_report, programs
from torchlike._api import addresses
from torchlike._base.errors import UnsupportedError

LIBRARIES = (torch, torchlike)
in_both = pytest.mark.parametrize("t", LIBRARIES, ids=lambda lib: lib.__name__)
DTYPES = ("float32", "float64", "float16", "bfloat16", "int64", "uint8", "bool", "complex64")


def read(x):
    """The bytes of a contiguous tensor, from its address."""
    return ctypes.string_at(x.data_ptr(), x.numel() * x.element_size())


@pytest.mark.parametrize("dtype", DTYPES)
def test_bytes_at_the_address(dtype):
    theirs, ours = (t.arange(12).to(getattr(t, dtype)).view(3, 4) for t in LIBRARIES)
    assert read(ours) == read(theirs)
    assert read(ours[1:]) == read(theirs[1:])
    assert ours[1:].data_ptr() - ours.data_ptr() == theirs[1:].data_ptr() - theirs.data_ptr()


@in_both
def test_address_is_for_life(t):
    x = t.zeros(4)
    address = x.data_ptr()
    assert address % 64 == 0
    x.add_(1)
    assert x.data_ptr() == address
    assert read(x) == read(t.ones(4))
    x[1:].mul_(3)
    assert x.view(2, 2).data_ptr() == x.data_ptr() == address
    assert read(x) == read(t.tensor([1.0, 3.0, 3.0, 3.0]))


@in_both
def test_two_live_tensors_have_two_addresses(t):
    many = [t.full((3,), float(i)) for i in range(50)]
    addresses = [x.data_ptr() for x in many]
    gc.collect()
    assert len(set(addresses)) == 50
    assert [x.data_ptr() for x in many] == addresses
    assert [read(x) for x in many] == [read(t.full((3,), float(i))) for i in range(50)]


@in_both
def test_a_dead_tensor_leaves_its_address(t):
    for size in (3, 100, 1 << 20):
        x = t.ones(size, 2).t()
        assert x.contiguous().data_ptr() != x.data_ptr()


def test_what_waits_is_bounded():
    for _ in range(300):
        torchlike.ones(1000).data_ptr()
    assert len(addresses._GONE) <= 256
    for _ in range(3):
        torchlike.ones(1 << 23).data_ptr()
    assert len(addresses._GONE) == 1


def test_training_does_not_move_it():
    weight = torchlike.nn.Parameter(torchlike.ones(3))
    optimizer = torchlike.optim.SGD([weight], 0.5)
    address = weight.data_ptr()
    weight.sum().backward()
    optimizer.step()
    assert weight.data_ptr() == address
    assert read(weight) == read(torchlike.full((3,), 0.5))


@in_both
def test_nowhere(t):
    assert t.zeros(0).data_ptr() == 0
    assert t.zeros(3, device="meta").data_ptr() == 0


def test_under_transforms_it_is_only_a_number():
    def f(x):
        assert x.data_ptr() == x.view(-1).data_ptr() != 0
        return (x * 2).sum()

    assert torchlike.func.grad(f)(torchlike.ones(3)).tolist() == [2.0] * 3
    assert torchlike.func.vmap(f)(torchlike.ones(2, 3)).tolist() == [6.0] * 2


STORAGE_PROGRAMS = [
    "s.nbytes(), s.size(), len(s), s.element_size(), str(s.device), s.is_cuda, s.is_shared()",
    "s.data_ptr() == x.data_ptr(), x[1:].untyped_storage().data_ptr() == s.data_ptr(), x[1:].untyped_storage().nbytes()",
    "s.tolist(), s[3], s[-1], s[4:8].tolist(), list(s)[:4]",
    "s.clone().tolist() == s.tolist(), s.clone().data_ptr() == s.data_ptr(), s.untyped() is s, s.cpu() is s",
    "str(s)", "t.is_storage(s), t.is_storage(x), isinstance(s, t.UntypedStorage)",
    "t.asarray(s[:8], dtype=t.uint8).view(t.float32)", "t.asarray(s[:8], dtype=t.uint8)",
    "s[0:4:2]", "t.UntypedStorage(3).nbytes()", "t.UntypedStorage(0).data_ptr()",
    "[x.storage().size(), x.storage().nbytes(), x.storage().tolist(), x.storage()[2], x.storage().dtype, len(x.storage())]",
    "x.storage().data_ptr() == x.data_ptr(), x.storage().untyped().nbytes(), t.is_storage(x.storage())",
]


def _outcome(t, text):
    x = t.arange(6.0).view(2, 3)
    try:
        return str(eval(text, {"t": t, "x": x, "s": x.untyped_storage()})).replace("torchlike", "torch")
    except Exception as error:  # noqa: BLE001 - to be compared
        return type(error).__name__, str(error)


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
@pytest.mark.parametrize("text", STORAGE_PROGRAMS)
def test_storage(text):
    assert _outcome(torchlike, text) == _outcome(torch, text)


DEPRECATED = """
import warnings, {0} as torch
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _ in range(2):
        torch.ones(3).storage().size()
print([(w.category.__name__, str(w.message)) for w in caught])
"""


@pytest.mark.slow
def test_typed_storage_is_deprecated_once():
    said = [subprocess.run([sys.executable, "-c", DEPRECATED.format(t.__name__)], capture_output=True, text=True, check=True)
            for t in LIBRARIES]
    assert said[1].stdout == said[0].stdout


@in_both
def test_storage_of_a_file(t, tmp_path):
    path = tmp_path / "bytes"
    path.write_bytes(bytes(range(20)))
    s = t.UntypedStorage.from_file(str(path), shared=False, nbytes=16)
    assert s.nbytes() == 16
    assert t.asarray(s[4:8], dtype=t.uint8).tolist() == [4, 5, 6, 7]


def of_a_file(t, path, text):
    path.write_bytes(bytes(range(16)))
    found = []
    for line in text.split("; "):
        try:
            made = eval(line, {"t": t, "path": str(path), "other": str(path) + t.__name__})
            found.append(made.tolist() if hasattr(made, "tolist") else made)
        except RuntimeError as error:
            found.append(str(error).replace(t.__name__, ""))
    return [*found, path.read_bytes()]


@pytest.mark.parametrize("text", [
    "t.from_file(path, size=4, dtype=t.uint8); t.from_file(path, size=2, dtype=t.int32).add_(1)",
    "t.from_file(path, shared=True, size=3, dtype=t.uint8).add_(5); t.from_file(path, shared=True, size=16, dtype=t.uint8)",
    "t.from_file(other, shared=True, size=3, dtype=t.int64); t.from_file(other, size=1); t.from_file(path)",
    "t.from_file(path, size=40); t.from_file(path + 'x', size=4)",
    "t.UntypedStorage.from_file(path, shared=True, nbytes=4).fill_(9); t.UntypedStorage.from_file(path, nbytes=99)",
])
def test_tensors_in_files(text, tmp_path):
    found = [of_a_file(t, tmp_path / "bytes", text) for t in LIBRARIES]
    assert found[0] == found[1]


LEGACY = programs("""
r += [torch.FloatStorage([1, 2, 3]).tolist(), len(torch.LongStorage(3)), torch.IntStorage().size()]
x = torch.ones(2).storage()
r += [isinstance(x, torch.FloatStorage), isinstance(x, torch.LongStorage), isinstance(x, torch.Storage)]
r += [torch.ones(2).storage_type() is torch.FloatStorage, torch.HalfStorage.dtype, torch.Storage.__name__]
r += [type(torch.FloatStorage(2)).__name__, torch.tensor([1.]).set_(torch.FloatStorage([4, 5]))]
r += [torch.DoubleStorage(wrap_storage=torch.UntypedStorage(16)).size(), torch.FloatStorage([1.5]).fill_(2)[0]]

torch.FloatStorage("a")

torch.FloatStorage([[1, 2], [3]])
""")


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
@pytest.mark.parametrize("program", LEGACY)
def test_legacy_storages(program):
    check_report(program)


WRITES = programs("""
s = torch.ones(2).untyped_storage()
s[0] = 3
r += [s.tolist()]
s.fill_(1)
r += [s.tolist()]
s.copy_(torch.zeros(2).untyped_storage())
s[1:3] = 7
r += [s.tolist()]
s.copy_(torch.zeros(3).untyped_storage())

x = torch.arange(4.).view(2, 2)
y = x[1]
x.untyped_storage()[11] = 64
r += [x, y, x._version]
x.untyped_storage().fill_(0)
r += [x, y + 1]

s = torch.UntypedStorage(8)
s.fill_(0)
t = torch.zeros(2).set_(s)
t[0] = 1
s.resize_(12)
r += [s.tolist()[:8], len(s), t.shape]

t = torch.zeros(2, 3)
x = torch.arange(6.)
t.set_(x.untyped_storage(), 1, (2, 2), (2, 1))
r += [t, t.stride(), t.storage_offset(), t._is_view()]
t[0] = 9
r += [x, t]
t.set_(x.untyped_storage(), 2, (2,))
r += [t]
t.set_(x[1:])
r += [t, t.storage_offset()]
t.set_(x, 1, (2,), (2,))
r += [t]
t.set_()
r += [t.shape]

r += [torch.zeros(2).set_(source=torch.ones(4))]
r += [torch.zeros(2).set_(torch.arange(6).untyped_storage(), 0, (2,)).shape]
torch.zeros(2).set_(torch.ones(3, dtype=torch.int32))

x = torch.ones(2)
s = x.storage()
s[0] = 5
r += [s.tolist(), x]
s.fill_(2)
r += [s.tolist(), x]

x = torch.zeros(1, 2, 2, 2).to(memory_format=torch.channels_last)
x.untyped_storage().fill_(1)
r += [x]
""")


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
@pytest.mark.parametrize("program", WRITES)
def test_writes(program):
    check_report(program)


def test_what_is_refused():
    with pytest.raises(UnsupportedError, match="resize_ of the storage of a tensor"):
        torchlike.ones(2).untyped_storage().resize_(3)


GIVEN = [0, 2, True, 2.0, None, "a", -1, 2**63, [1, 2], (1, 300), [True], [1.0], range(2), b"ab", {1}, torch.tensor(2)]


def made(t, given):
    given = t.tensor(2) if isinstance(given, torch.Tensor) else given
    try:
        found = t.UntypedStorage(given)
    except Exception as error:  # noqa: BLE001 - compared
        return type(error)
    return found.nbytes(), isinstance(given, int | t.Tensor) or found.tolist()


@pytest.mark.parametrize("given", GIVEN, ids=str)
def test_a_storage_of_its_own(given):
    assert made(torchlike, given) == made(torch, given)


@in_both
def test_a_storage_that_is_not_initialised(t):
    """As a pickle may make one."""
    assert t.UntypedStorage.__new__(t.UntypedStorage).nbytes() == 0
    assert t.UntypedStorage.__new__(t.UntypedStorage, [1, 2]).tolist() == [1, 2]


@in_both
def test_set_on_other_memory(t):
    x, memory = t.zeros(2), t.tensor([1, 2])
    assert x.set_(memory, 0, (2,), (1,)).view(t.int32).tolist() == [1, 0]
    assert x.set_(t.ones(4).untyped_storage(), 1, (2,), None).tolist() == [1, 1]
    for wrong in ((None,), (True, (2,)), (1.0, (2,))):
        with pytest.raises(TypeError):
            x.set_(t.ones(4).untyped_storage(), *wrong)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        t.ones(2, requires_grad=True).set_(t.ones(2))
    with pytest.raises(RuntimeError, match='on device "meta" to a storage on different device "cpu"'):
        t.ones(2, device="meta").set_(t.ones(2).untyped_storage(), 0, (2,))
