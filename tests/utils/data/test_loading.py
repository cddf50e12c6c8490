"""torch.utils.data without workers against torch: orders, splits, collating, errors, warnings, random states."""

import collections
import dataclasses
import typing

import pytest
import torch

import torchlike
from compat import compare
from compat.compare.tolerances import EXACT
from compat.surface.standing import same_signature
from tests.utils.data import checks
from tests.utils.data.checks import check


class Squares:
    """A data set that is only a pair of methods."""

    def __init__(self, count=10):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        if not 0 <= i < self.count:
            raise IndexError(f"no sample {i}")
        return i * i


class Batches(Squares):
    """One that reads a batch at once."""

    def __getitems__(self, indices):
        return [-i for i in indices]


def tensors(t):
    """10 samples of two floats and an integer."""
    return t.utils.data.TensorDataset(t.arange(20.0).reshape(10, 2), t.arange(10))


def stream(t, count=5, told=None):
    """An IterableDataset, with a length if `told`."""
    def read(self):
        yield from range(count)
    members = {"__iter__": read, "__repr__": lambda self: "<stream>"}
    if told is not None:
        members["__len__"] = lambda self: told
    return type("Stream", (t.utils.data.IterableDataset,), members)()


def batches(t, dataset, epochs=2, **options):
    """What a loader gives, epoch after epoch, and its length."""
    loader = t.utils.data.DataLoader(dataset, **options)
    return [list(loader) for _ in range(epochs)], len(loader)


LOADERS = {
    "plain": "batches(t, tensors(t))",
    "batches": "batches(t, tensors(t), batch_size=3)",
    "drop_last": "batches(t, tensors(t), batch_size=3, drop_last=True)",
    "shuffle": "batches(t, tensors(t), batch_size=4, shuffle=True)",
    "shuffle with a generator": "batches(t, tensors(t), batch_size=4, shuffle=True, generator=t.Generator().manual_seed(3))",
    "generator without shuffle": "batches(t, tensors(t), generator=t.Generator().manual_seed(3))",
    "no batches": "batches(t, tensors(t), batch_size=None)",
    "no batches, shuffled": "batches(t, Squares(), batch_size=None, shuffle=True)",
    "numbers": "batches(t, Squares(), batch_size=4, shuffle=True)",
    "a list": "batches(t, [1.5, 2.5, 3.5], batch_size=2)",
    "a tensor": "batches(t, t.arange(12.).reshape(6, 2), batch_size=4, shuffle=True)",
    "__getitems__": "batches(t, Batches(), batch_size=4)",
    "sampler": "batches(t, Squares(), sampler=[3, 1, 4])",
    "batch_sampler": "batches(t, Squares(), batch_sampler=[[3, 1], [4]])",
    "batch_sampler on tensors": "batches(t, tensors(t), batch_sampler=[[3, -1], [4]])",
    "tensor indices": "batches(t, tensors(t), batch_sampler=[[t.tensor(3), t.tensor(1)]])",
    "numpy indices": "batches(t, tensors(t), batch_sampler=[np.array([3, 1])])",
    "index out of range": "batches(t, tensors(t), batch_sampler=[[3, 10]])",
    "wrong index": "batches(t, tensors(t), batch_sampler=[[1.5]])",
    "empty batch": "batches(t, tensors(t), batch_sampler=[[]])",
    "collate_fn": "batches(t, Squares(), batch_size=4, collate_fn=sum)",
    "collate_fn without batches": "batches(t, Squares(), batch_size=None, collate_fn=str)",
    "an error": "batches(t, Squares(5), sampler=[1, 9])",
    "stream": "batches(t, stream(t, told=5), batch_size=2)",
    "stream, drop_last": "batches(t, stream(t, told=5), batch_size=2, drop_last=True)",
    "stream, no batches": "batches(t, stream(t, told=5), batch_size=None)",
    "stream without a length": "len(D.DataLoader(stream(t)))",
    "stream that is longer than told": "(len(l := D.DataLoader(stream(t, told=3))), list(l))",
    "stream that is longer, length not asked": "list(D.DataLoader(stream(t, told=3)))",
    "distributed": "batches(t, Squares(), sampler=D.DistributedSampler(Squares(), 3, 1))",
    "tensor with gradient": "batches(t, D.TensorDataset(t.ones(4, 2, requires_grad=True)), batch_size=2)",
    "subset": "batches(t, D.Subset(tensors(t), [5, 3, 3, 0]), batch_size=3, shuffle=True)",
    "subset of a subset": "batches(t, D.Subset(D.Subset(tensors(t), range(4, 9)), [4, -1, 0]), batch_size=2)",
    "subset out of range": "batches(t, D.Subset(tensors(t), [5, 13]), batch_size=2)",
    "stack": "batches(t, D.StackDataset(tensors(t), Squares()), batch_size=4)",
    "stack by names": "batches(t, D.StackDataset(a=Batches(), b=Squares()), batch_size=4)",
    "concat": "batches(t, tensors(t) + tensors(t), batch_size=8, shuffle=True)",
    "chain": "batches(t, stream(t, 3, 3) + stream(t, 2, 2), batch_size=2)",
    "subclass with its own __getitem__":
        "batches(t, type('Own', (D.TensorDataset,), {'__getitem__': lambda s, i: i + 1})(t.arange(4)), batch_size=2)",
    "pin_memory": "batches(t, [1, 2], pin_memory=True, epochs=1)",
    "pin_memory_device": "batches(t, [1, 2], pin_memory=True, pin_memory_device='cuda', epochs=1)",
    "broken off": "(next(iter(D.DataLoader(tensors(t), shuffle=True))), next(iter(D.DataLoader(tensors(t), shuffle=True))))",
    "attributes": "[(l.batch_size, l.drop_last, l.num_workers, l.prefetch_factor, l.timeout, l.in_order, l.pin_memory_device,"
                  " type(l.sampler).__name__, type(l.batch_sampler).__name__, l.collate_fn.__name__, l._dataset_kind)"
                  " for l in (D.DataLoader([1]), D.DataLoader([1], batch_size=None), D.DataLoader([1], batch_sampler=[[0]]),"
                  " D.DataLoader(stream(t)), D.DataLoader([1], num_workers=1))]",
    "too many workers": "D.DataLoader([1], num_workers=500).num_workers",
}
LOADER_ERRORS = [
    "num_workers=-1", "timeout=-1", "timeout=1", "prefetch_factor=2", "num_workers=1, prefetch_factor=-1",
    "persistent_workers=True", "batch_size=0", "batch_size=-1", "batch_size=2.5",
    "batch_size=True", "shuffle=True, sampler=[1]", "batch_sampler=[[1]], batch_size=2", "batch_sampler=[[1]], shuffle=True",
    "batch_sampler=[[1]], sampler=[1]", "batch_sampler=[[1]], drop_last=True", "batch_size=None, drop_last=True",
    "multiprocessing_context='fork'", "multiprocessing_context='knife', num_workers=1", "drop_last=1",
    "multiprocessing_context=3, num_workers=1",
]
STREAM_ERRORS = ["shuffle=True", "shuffle=2", "sampler=[1]", "batch_sampler=[[1]]", "shuffle=False", "batch_size=None, drop_last=True"]
SETS = {
    "base": "D.Dataset()[0]",
    "tensors": "(tensors(t)[3], tensors(t)[-1], tensors(t)[2:4], len(tensors(t)))",
    "tensors differ": "D.TensorDataset(t.ones(2), t.ones(3))",
    "no tensors": "len(D.TensorDataset())",
    "stack": "D.StackDataset([1, 2], [3, 4])[1]",
    "stack by names": "(D.StackDataset(a=[1, 2], b=[3, 4])[1], len(D.StackDataset(a=[1, 2])))",
    "stack differs": "D.StackDataset([1, 2], [3])",
    "stack by names differs": "D.StackDataset(a=[1, 2], b=[3])",
    "stack both": "D.StackDataset([1], a=[1])",
    "stack none": "D.StackDataset()",
    "stack items": "D.StackDataset(Batches(), Squares()).__getitems__([1, 2])",
    "stack items of another number":
        "D.StackDataset(type('Odd', (Squares,), {'__getitems__': lambda s, i: [0]})(), Squares()).__getitems__([1, 2])",
    "concat": "[(D.ConcatDataset([[1, 2], [3]])[i], i) for i in (0, 1, 2, -1, -3)]",
    "concat too low": "D.ConcatDataset([[1, 2], [3]])[-4]",
    "concat too high": "D.ConcatDataset([[1, 2], [3]])[3]",
    "concat none": "D.ConcatDataset([])",
    "concat streams": "D.ConcatDataset([stream(t)])",
    "cumulative": "(D.ConcatDataset([[1, 2], [3]]).cumulative_sizes, D.ConcatDataset([[1, 2]]).cummulative_sizes)",
    "chain": "(list(D.ChainDataset([stream(t, 2), stream(t, 1)])), len(D.ChainDataset([stream(t, 2, 4), stream(t, 1, 3)])))",
    "chain of another": "list(D.ChainDataset([stream(t, 2), [1]]))",
    "chain length of another": "len(D.ChainDataset([[1]]))",
    "subset": "(D.Subset(Squares(), [3, 1])[1], D.Subset(t.arange(9), [3, 1])[[0, 1]], len(D.Subset(Squares(), [3])))",
    "subset items": "(D.Subset(Batches(), [3, 1]).__getitems__([1]), D.Subset(Squares(), [3, 1]).__getitems__([1]))",
    "subset's own item": "type('Own', (D.Subset,), {'__getitem__': lambda s, i: 0})([1], [0])",
    "subset's own items":
        "type('Own', (D.Subset,), {'__getitem__': lambda s, i: 0, '__getitems__': lambda s, i: [0]})([1], [0])[0]",
    "generic": "[D.Dataset[int].__origin__.__name__, D.Sampler[int].__origin__.__name__, D.DataLoader[int].__origin__.__name__]",
    "split": "[(s.indices, list(s)) for s in D.random_split(Squares(), [3, 7])]",
    "split by fractions": "[s.indices for s in D.random_split(Squares(11), [0.3, 0.3, 0.4])]",
    "split with a generator": "[s.indices for s in D.random_split(range(9), [4, 5], generator=t.Generator().manual_seed(42))]",
    "split of None": "[s.indices for s in D.random_split(range(9), [4, 5], None)]",
    "split, wrong sum": "D.random_split(range(9), [4, 4])",
    "split, wrong fraction": "D.random_split(range(9), [1.5, -0.5])",
    "split, empty": "[s.indices for s in D.random_split(range(2), [0.4, 0.4, 0.1, 0.1])]",
    "split, fractions short of 1": "D.random_split(range(9), [0.4, 0.4])",
    "worker info": "D.get_worker_info()",
}
SAMPLERS = {
    "base": "list(D.Sampler())",
    "sequential": "(list(D.SequentialSampler('abc')), len(D.SequentialSampler('abc')))",
    "random": "[list(D.RandomSampler(range(10))) for _ in range(3)]",
    "random of one": "list(D.RandomSampler(range(1)))",
    "random with a generator": "[list(D.RandomSampler(range(10), generator=t.default_generator)) for _ in range(3)]",
    "replacement": "(list(D.RandomSampler(range(10), True)), list(D.RandomSampler(range(10), True, 70)))",
    "replacement with a generator": "list(D.RandomSampler(range(10), True, 33, t.Generator().manual_seed(1)))",
    "more than there are": "(list(D.RandomSampler(range(4), num_samples=11)), len(D.RandomSampler(range(4), num_samples=11)))",
    "fewer than there are": "list(D.RandomSampler(range(4), num_samples=3))",
    "broken off": "(next(iter(D.RandomSampler(range(9)))), next(iter(D.RandomSampler(range(9), True, 40))))",
    "random of none": "D.RandomSampler([])",
    "replacement no bool": "D.RandomSampler([1], replacement=1)",
    "no number": "D.RandomSampler([1], num_samples=2.0)",
    "bad number": "D.RandomSampler([1], num_samples=0)",
    "number from none": "list(D.RandomSampler([], num_samples=3))",
    "number with replacement from none": "list(D.RandomSampler([], True, 3))",
    "subset": "(list(D.SubsetRandomSampler([5, 3, 8])), len(D.SubsetRandomSampler([5])), list(D.SubsetRandomSampler([])))",
    "subset with a generator": "list(D.SubsetRandomSampler([5, 3, 8], t.Generator().manual_seed(2)))",
    "weighted": "(list(D.WeightedRandomSampler([0.1, 0.9, 0.4], 9)), len(D.WeightedRandomSampler([1.0], 9)))",
    "weighted, no replacement": "list(D.WeightedRandomSampler([0.1, 0.9, 0.4, 3.0], 4, replacement=False))",
    "weighted by a tensor": "list(D.WeightedRandomSampler(t.tensor([1, 2, 3]), 5, generator=t.Generator().manual_seed(2)))",
    "weighted, too many": "list(D.WeightedRandomSampler([0.1, 0.9], 3, False))",
    "weighted, two dimensions": "D.WeightedRandomSampler([[0.1, 0.9]], 3)",
    "weighted, number": "D.WeightedRandomSampler([0.1], True)",
    "weighted, bool": "D.WeightedRandomSampler([0.1], 1, 1)",
    "batch": "(list(D.BatchSampler(range(7), 3, False)), list(D.BatchSampler(range(7), 3, True)))",
    "batch lengths": "[len(D.BatchSampler(range(n), 3, d)) for n in (0, 6, 7) for d in (False, True)]",
    "batch of none": "(list(D.BatchSampler([], 3, False)), list(D.BatchSampler([], 3, True)))",
    "batch size": "D.BatchSampler([1], 0, False)",
    "batch drop": "D.BatchSampler([1], 1, 0)",
    "distributed": "[list(D.DistributedSampler(range(10), 4, r)) for r in range(4)]",
    "distributed, dropping": "[list(D.DistributedSampler(range(10), 4, r, drop_last=True, seed=5)) for r in range(4)]",
    "distributed, in order": "[list(D.DistributedSampler(range(3), 8, r, shuffle=False)) for r in range(8)]",
    "distributed, next epoch": "(s := D.DistributedSampler(range(10), 2, 0), s.set_epoch(3), list(s), len(s))[2:]",
    "distributed, rank": "D.DistributedSampler(range(10), 2, 2)",
    "distributed, no groups": "D.DistributedSampler(range(10))",
}
Point = collections.namedtuple("Point", "x y")


class Typed(typing.NamedTuple):
    """Another kind of named tuple."""

    x: object


@dataclasses.dataclass
class Record:
    """Not a container for PyTorch."""

    x: object


class Attributed(dict):
    """A mapping with something of its own."""

    note = "kept"


COLLATED = [
    "[1, 2]", "[1.5, 2.0]", "[True, False]", "['a', 'b']", "[b'a', b'b']", "[t.ones(2), t.zeros(2)]", "[t.ones(2), t.zeros(3)]",
    "[t.ones(2), t.ones(2).double()]", "[t.tensor(1), t.tensor(2)]", "[t.ones(2, 3).t(), t.ones(2, 3).t()]",
    "[t.arange(6).reshape(2, 3)[:, i] for i in range(3)]", "[t.ones(2, dtype=t.bfloat16)] * 2", "[t.ones(2, dtype=t.complex64)] * 2",
    "[t.ones(2, requires_grad=True) * 2, t.ones(2)]", "[t.nn.Parameter(t.ones(2))] * 2", "[t.ones(0, 2)] * 2",
    "[np.ones(2), np.zeros(2)]", "[np.ones(2, np.float32)] * 2", "[np.ones((2, 3), np.int8).T] * 2", "[np.ones(2), np.ones(3)]",
    "[np.array(1), np.array(2)]", "[np.array(['a', 'b'])] * 2", "[np.array([None])] * 2", "[np.array([1, 2])[::-1]] * 2",
    "[np.array([1, 2], '>i4')] * 2", "[np.ones(2, np.uint16)] * 2", "[np.ones(2), np.ones(2, int)]",
    "[np.float64(1), np.float64(2)]", "[np.float32(1), np.float32(2)]", "[np.int64(1)] * 2", "[np.bool_(True)] * 2", "[np.int8(1)] * 2",
    "[{'a': 1, 'b': 2.0}, {'a': 3, 'b': 4.0}]", "[{'a': 1}, {'b': 1}]", "[{'a': 1}, {'a': 1, 'b': 1}]", "[{}, {}]",
    "[Attributed(a=1), Attributed(a=2)]", "[collections.OrderedDict(a=1), collections.OrderedDict(a=2)]",
    "[collections.defaultdict(int, a=1), collections.defaultdict(int, a=2)]", "[types.MappingProxyType({'a': 1})] * 2",
    "[[1, 2], [3, 4]]", "[(1, 'a'), (2, 'b')]", "[[1, 2], [3]]", "[(1, 2), (3,)]", "[(), ()]", "[[], []]", "[range(2), range(2)]",
    "[Point(1, 2.0), Point(3, 4.0)]", "[Typed(t.ones(2))] * 2", "[[{'a': (1, [2.0])}], [{'a': (3, [4.0])}]]",
    "[collections.UserList([1, 2]), collections.UserList([3, 4])]", "[collections.deque([1, 2]), collections.deque([3, 4])]",
    "[None, None]", "[Record(1), Record(2)]", "[{1, 2}]", "[1, 'a']", "['a', 1]", "[1, 2.5]", "[1.5, 2]", "[1 << 70]", "[]",
    "[object]", "[1 + 2j]", "[t.ones(2), [1]]", "[t.ones(2), 1]",
]
CONVERTED = [
    "1", "'a'", "b'a'", "None", "t.ones(2)", "np.ones(2)", "np.float32(1.5)", "np.bool_(True)", "np.array(['a'])", "np.array([None])",
    "np.str_('a')", "{'a': np.ones(2)}", "Attributed(a=np.ones(2))", "types.MappingProxyType({'a': np.ones(1)})", "[np.ones(2), 1]",
    "(np.ones(2), 1)", "Point(np.ones(2), 1)", "range(3)", "[]", "collections.UserList([np.ones(1)])",
    "collections.deque([np.ones(1)])", "Record(np.ones(1))", "np.ones(2, np.uint16)", "[[np.int64(3)]]",
]


def run(expression):
    """A function of the library that evaluates the expression, in which `D` is its torch.utils.data."""
    def function(t):
        names = {**globals(), "t": t, "D": t.utils.data, "types": __import__("types")}
        return eval(expression, names)
    return function


@pytest.mark.parametrize("name", LOADERS)
def test_loaders(name):
    check(run(LOADERS[name]))


@pytest.mark.parametrize("options", LOADER_ERRORS)
def test_arguments(options):
    check(run(f"batches(t, [1, 2, 3], {options})"))


@pytest.mark.parametrize("options", STREAM_ERRORS)
def test_arguments_with_a_stream(options):
    check(run(f"batches(t, stream(t, told=5), {options})"))


@pytest.mark.parametrize("name", ["batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers", "timeout"])
def test_setting_attributes(name):
    check(run(f"setattr(D.DataLoader([1]), {name!r}, 1)"))


@pytest.mark.parametrize("name", SETS)
def test_sets(name):
    check(run(SETS[name]))


@pytest.mark.parametrize("name", SAMPLERS)
def test_samplers(name):
    check(run(SAMPLERS[name]))


@pytest.mark.parametrize("batch", COLLATED)
def test_collate(batch):
    check(run(f"D.default_collate({batch})"))


@pytest.mark.parametrize("data", CONVERTED)
def test_convert(data):
    check(run(f"D.default_convert({data})"))


def test_collate_by_a_table():
    def collate(t):
        table = {t.Tensor: lambda batch, *, collate_fn_map=None: len(batch), (int, str): lambda batch, *, collate_fn_map=None: "n"}
        return t.utils.data._utils.collate.collate([(t.ones(2), 1), (t.ones(3), 2)], collate_fn_map=table)
    check(collate)


@pytest.mark.parametrize("name", ["DataLoader", "RandomSampler", "WeightedRandomSampler", "DistributedSampler", "StackDataset"])
def test_signatures(name):
    assert same_signature("utils.data", name)


def test_iterators_do_not_pickle():
    check(run("iter(D.DataLoader([1])).__getstate__()"))


# -- the checker sees what it must

def test_planted_differences(monkeypatch):
    real = torchlike.utils.data.RandomSampler.__iter__

    def twice(self):
        torchlike.rand(1)
        yield from real(self)

    monkeypatch.setattr(torchlike.utils.data.RandomSampler, "__iter__", twice)
    with pytest.raises(AssertionError, match=r"state|value"):
        check(run(SAMPLERS["random"]))
    one, other = (checks.outcome(torch, run(text)) for text in ("t.ones(2)", "t.ones(2).int()"))
    assert compare.difference(one, one, EXACT) == ""
    assert compare.difference(one, other, EXACT)
