"""Every form of a call of storages, against torch: constructors, methods, indices, errors."""

import copy
import io
import pickle
import warnings

import pytest
import torch

import torchlike

FORMS = """
s(2.5).type()
s().double().tolist(), s().double().dtype
s().float().dtype, s().float().data_ptr() != 0
s().half().tolist()
s().bfloat16().tolist()
s().int().tolist()
s().long().tolist()
s().short().tolist()
s().char().tolist()
s().byte().tolist()
s().bool().tolist()
s().complex_float().tolist()
s().complex_double().tolist()
s().float8_e5m2().dtype
s().clone().tolist()
s().copy_(torch.FloatStorage([4, 5, 6])).tolist()
s().copy_(torch.IntStorage([4, 5, 6])).tolist()
s().copy_(torch.FloatStorage([4, 5])).tolist()
s().fill_(2).tolist()
s().resize_(5).size()
s().resize_(2).tolist()
s().resize_(0).size()
s().get_device()
s().is_cuda
s().is_hpu
s().is_sparse
s().is_pinned()
s().is_shared()
s().resizable()
s().filename
s().pickle_storage_type()
s().cpu() is None, s().cpu().tolist()
s().to(device='cpu').tolist()
s().element_size(), s().nbytes(), s().size(), len(s())
s()[0], s()[-1], s()[1]
s()[0:2].tolist()
s()[3]
s()[-4]
s()['a']
s()[1.0]
put(s(), 0, 7)
put(s(), slice(0, 2), 7)
put(s(), -1, 9.5)
put(s(), 3, 9)
list(s())
str(s())
repr(s())
torch.FloatStorage()
torch.FloatStorage(3).size()
torch.FloatStorage(3).fill_(1).tolist()
torch.FloatStorage([1, 2]).tolist()
torch.FloatStorage((1, 2)).tolist()
torch.FloatStorage(range(3)).tolist()
torch.FloatStorage('a')
torch.FloatStorage(1.5)
torch.FloatStorage(1, 2)
torch.FloatStorage(3, device='cpu')
torch.FloatStorage(3, dtype=torch.int)
torch.BoolStorage([True, False]).tolist()
torch.BoolStorage([2, 0]).tolist()
torch.LongStorage([1, 2]).dtype
torch.IntStorage([1.5]).tolist()
torch.ComplexFloatStorage([1j]).tolist()
torch.TypedStorage([1, 2], dtype=torch.float32).tolist()
torch.TypedStorage([1, 2], dtype=torch.float32, device='cpu').tolist()
torch.TypedStorage([1, 2]).dtype
torch.TypedStorage().dtype
torch.TypedStorage(3, dtype=torch.int32).size()
torch.TypedStorage(dtype=torch.int32).size()
torch.TypedStorage([1], [2])
torch.TypedStorage(wrap_storage=torch.UntypedStorage(8))
torch.TypedStorage(wrap_storage=8, dtype=torch.float32)
torch.TypedStorage(wrap_storage=torch.UntypedStorage(8), dtype='a')
torch.TypedStorage(wrap_storage=torch.UntypedStorage(8), dtype=torch.float32, device='cpu')
torch.TypedStorage(3, wrap_storage=torch.UntypedStorage(8), dtype=torch.float32)
torch.TypedStorage(3, dtype='float')
torch.TypedStorage(-3, dtype=torch.float)
torch.TypedStorage(1.5, dtype=torch.float)
torch.TypedStorage(None)
torch.TypedStorage([torch.tensor(1.)], dtype=torch.float).tolist()
torch.TypedStorage(torch.UntypedStorage(8), dtype=torch.float).size()
s() == s()
s().__eq__(s())
hash(s()) == 0
s().untyped() == s().untyped()
s().untyped().size()
torch.is_storage(s()), torch.is_storage(s().untyped()), torch.is_storage(3)
isinstance(s(), torch.FloatStorage), isinstance(s(), torch.IntStorage), isinstance(s(), torch.TypedStorage)
isinstance(s().untyped(), torch.FloatStorage)
issubclass(torch.FloatStorage, torch.TypedStorage)
torch.FloatStorage.dtype
torch.FloatStorage.__name__, torch.FloatStorage.__module__
torch.FloatStorage.from_buffer(b'abcdefgh', 'native').size()
torch.FloatStorage.from_buffer(b'abcdefgh', byte_order='little').tolist()
torch.FloatStorage.from_buffer(b'abcdefgh', byte_order='big').tolist()
torch.FloatStorage.from_buffer(b'abcdefgh')
torch.FloatStorage.from_buffer(b'abcdefg', 'native')
torch.ByteStorage.from_buffer(b'abcdefg').tolist()
torch.ByteStorage.from_buffer(b'abcdefg', offset=2).tolist()
torch.ByteStorage.from_buffer(b'abcdefg', count=2).tolist()
torch.ByteStorage.from_buffer(b'abcdefg', 'native', 2, 3).tolist()
torch.ByteStorage.from_buffer(b'abcdefg', count=9).tolist()
torch.ByteStorage.from_buffer(b'abcdefg', offset=8).tolist()
torch.BoolStorage.from_buffer(bytes([0, 1, 2]), 'native').tolist()
torch.IntStorage.from_buffer(bytes(range(8)), 'big').tolist()
torch.ShortStorage.from_buffer(bytes(range(4)), 'middle').tolist()
torch.HalfStorage.from_buffer(bytes(range(4)), 'little').tolist()
torch.BFloat16Storage.from_buffer(bytes(range(4)), 'little').tolist()
torch.ComplexFloatStorage.from_buffer(bytes(range(8)), 'little').size()
torch.TypedStorage.from_buffer(b'abcd', 'native')
torch.UntypedStorage.from_buffer(b'abcdefgh', 'native', dtype=torch.float32).size()
torch.UntypedStorage.from_buffer(b'abcdefgh', 'native', dtype=torch.float32, count=1).size()
torch.UntypedStorage.from_buffer(b'abcdefgh', dtype=torch.uint8).tolist()
torch.UntypedStorage.from_buffer(b'abcdefgh', 'native')
torch.UntypedStorage.from_buffer(b'abcd', 'native', dtype=torch.int32, offset=4)
u().byteswap(torch.int16)
then(u(), lambda x: x.byteswap(torch.int16)).tolist()
then(u(), lambda x: x.byteswap(torch.int32)).tolist()
then(u(), lambda x: x.byteswap(torch.complex64)).tolist()
then(u(), lambda x: x.byteswap(torch.uint8)).tolist()
u().double().tolist()
u().double().dtype
u().float().tolist(), type(u().float()).__name__
u().int().tolist()
u().half().tolist()
u().bool().tolist()
u().byte().tolist()
u().byte().data_ptr() == 0
u().complex_double().tolist()
u().new().size()
u().type()
u().type(torch.UntypedStorage).tolist()
u().get_device()
u().is_sparse, u().is_sparse_csr, u().is_hpu, u().is_cuda
u().filename
u().resizable()
u().resize_(3).size()
u().pin_memory()
u().is_pinned()
u().is_shared()
u().cpu().tolist()
u().clone().tolist()
u().element_size()
u().copy_(torch.UntypedStorage([9] * 8)).tolist()
u().copy_(torch.UntypedStorage([9] * 4)).tolist()
u()[0], u()[-1]
u()[9]
u()['a']
u()[0:2].tolist()
u()[0:4:2]
u()[2:100].tolist()
put(u(), 0, 7)
put(u(), slice(0, 2), 7)
put(u(), 9, 7)
put(u(), 0, 300)
put(u(), 0, -1)
put(u(), 0, 1.5)
put(u(), slice(0, 4, 2), 7)
u().fill_(300).tolist()
u().fill_(-1).tolist()
str(u())
torch.UntypedStorage(3).size()
torch.UntypedStorage(-3)
torch.UntypedStorage([1, 2]).tolist()
torch.UntypedStorage([300]).tolist()
torch.UntypedStorage(1.5)
torch.UntypedStorage(device='cpu').size()
torch.UntypedStorage(3, device='meta').device
copy.copy(s()).tolist()
copy.deepcopy(s()).tolist()
copy.deepcopy(u()).tolist()
copy.copy(u()).tolist()
pickle.loads(pickle.dumps(s())).tolist()
type(pickle.loads(pickle.dumps(s()))).__name__
x().storage().tolist(), x().storage().size(), x().storage().dtype
x()[1].storage().tolist()
x()[1].storage_offset()
x().storage().type()
x().storage_type()
x().storage()[0]
x().storage().data_ptr() == x().data_ptr()
x().untyped_storage().nbytes()
then(x(), lambda t: t.storage().fill_(7)).tolist()
then(x(), lambda t: t.storage().__setitem__(0, 7)).tolist()
then(x(), lambda t: t.storage().copy_(torch.FloatStorage([5] * 6))).tolist()
then(x(), lambda t: t.untyped_storage().fill_(0)).tolist()
x().storage().pickle_storage_type()
x().new(x().storage()).tolist()
torch.tensor(s())
torch.FloatTensor(s()).tolist()
torch.Tensor(s()).tolist()
torch.tensor([], dtype=torch.float).set_(s()).tolist()
torch.tensor([]).set_(s().untyped(), 1, (2,)).tolist()
torch.tensor([]).set_(s(), 1, (2,), (1,)).tolist()
torch.save(s(), io.BytesIO())
saved(s()).tolist()
type(saved(s())).__name__
saved(u()).tolist()
torch.DoubleStorage([1, 2]).float().tolist()
torch.Storage is torch.FloatStorage
torch.cuda.FloatStorage.__module__
torch.cuda.FloatStorage(3)
torch.UntypedStorage.from_file.__name__
s()._cdata > 0
s()._untyped_storage.size()
s()._size(), s()._nbytes(), s()._element_size(), s()._data_ptr() > 0
s()._dtype
s()._get_legacy_storage_class()
s()._pickle_storage_type()
torch.TypedStorage._get_legacy_storage_class.__name__
s()._deepcopy({}).tolist()
torch.storage._StorageBase.__name__
issubclass(torch.UntypedStorage, torch.storage._StorageBase)
torch.storage._LegacyStorage.__name__
issubclass(torch.FloatStorage, torch.storage._LegacyStorage)
""".strip().splitlines()


def then(x, change):
    change(x)
    return x


def put(x, index, value):
    x[index] = value
    return x.tolist()


def result(library, form):
    """What a form gives as text, or its error. s: three elements; u: eight bytes; x: a tensor."""
    def saved(x):
        file = io.BytesIO()
        library.save(x, file)
        file.seek(0)
        return library.load(file, weights_only=False)

    names = {"torch": library, "s": lambda: library.FloatStorage([1.5, 2.5, 3.5]),
             "u": lambda: library.UntypedStorage(list(range(1, 9))), "x": lambda: library.arange(6.0).view(2, 3),
             "then": then, "put": put, "saved": saved, "copy": copy, "io": io, "pickle": pickle}
    try:
        found = eval(form, names)
    except Exception as error:  # noqa: BLE001 - compared
        found = f"{type(error).__name__}: {error}"
    return repr(found).replace("torchlike", "torch")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form", FORMS)
def test_form(form):
    assert result(torchlike, form) == result(torch, form)


@pytest.mark.parametrize("name", ["DoubleStorage", "IntStorage", "FloatStorage"])
@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_elements_of_another_class(name):
    """PyTorch's own `type` raises: it counts bytes as elements."""
    kind = getattr(torchlike, name)
    for named in (kind, f"torch.{name}"):
        found = torchlike.FloatStorage([1.5, 2.5]).type(named)
        assert isinstance(found, kind) and found.tolist() == kind([1.5, 2.5]).tolist()


def test_the_deprecation_is_told_once(monkeypatch):
    monkeypatch.setattr(torchlike._api.typed_storages, "_process", torchlike._api.typed_storages._Process())
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        storage = torchlike.FloatStorage([1.0])
        storage.size()
        storage.tolist()
    assert [(x.category, x.filename) for x in told] == [(UserWarning, __file__)]
