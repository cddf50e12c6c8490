"""Data sets: what a DataLoader reads from. https://pytorch.org/docs/stable/data.html#dataset-types"""

import bisect
import itertools
import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from torchlike._random.generator import default_generator, draw
from torchlike._record.host_window import on_host
from torchlike._record.leaf import leaf
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state

__all__ = ["ChainDataset", "ConcatDataset", "Dataset", "IterableDataset", "StackDataset", "Subset", "TensorDataset",
           "random_split"]

_T_co = TypeVar("_T_co", covariant=True)
_OVERRIDDEN = (
    "{0} overrides __getitem__ but not __getitems__. When subclassing Subset and overriding __getitem__, you must also "
    "override __getitems__ to ensure DataLoader works correctly with your custom logic. A simple implementation:\n\n"
    "def __getitems__(self, indices):\n    return [self.__getitem__(idx) for idx in indices]")


class Dataset(Generic[_T_co]):
    """Samples by key. Subclasses define ``__getitem__``, mostly ``__len__``, and possibly ``__getitems__``, which takes a
    list of keys.
    https://pytorch.org/docs/stable/data.html#torch.utils.data.Dataset
    """

    def __getitem__(self, index) -> _T_co:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other):
        return ConcatDataset([self, other])


class IterableDataset(Dataset[_T_co], Iterable[_T_co]):
    """Samples in the order in which ``__iter__`` gives them. Each of several workers gives all of them, unless it asks
    `get_worker_info` for its share.
    https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset
    """

    def __add__(self, other):
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Tensors of equal length: sample i is the tuple of their rows i.
    https://pytorch.org/docs/stable/data.html#torch.utils.data.TensorDataset

    Args:
        tensors: (N, *) each.

    Raises:
        AssertionError: the lengths differ.
    """

    tensors: tuple[Tensor, ...]

    def __init__(self, *tensors):
        if any(tensors[0].size(0) != tensor.size(0) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self):
        return self.tensors[0].size(0)


class StackDataset(Dataset):
    """Data sets side by side: sample i is the tuple of their samples i, or a dict of them.
    https://pytorch.org/docs/stable/data.html#torch.utils.data.StackDataset

    Args:
        args: the data sets, for tuples.
        kwargs: the data sets by name, for dicts.

    Raises:
        ValueError: both kinds of arguments or none, or lengths that differ.
    """

    datasets: tuple | dict

    def __init__(self, *args, **kwargs):
        if args and kwargs:
            raise ValueError("Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, "
                             "but both types are given.")
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        self.datasets = args or kwargs
        lengths = [len(dataset) for dataset in self._members()]
        self._length = lengths[0]
        if any(length != self._length for length in lengths):
            raise ValueError("Size mismatch between datasets")

    def _members(self) -> list:
        return [*(self.datasets.values() if isinstance(self.datasets, dict) else self.datasets)]

    def _sample(self, parts):
        return dict(zip(self.datasets, parts, strict=True)) if isinstance(self.datasets, dict) else tuple(parts)

    def __getitem__(self, index):
        return self._sample([dataset[index] for dataset in self._members()])

    def __getitems__(self, indices):
        columns = [_samples(dataset, indices) for dataset in self._members()]
        for items in columns:
            if len(items) != len(indices):
                raise ValueError("Nested dataset's output size mismatch. "
                                 f"Expected {len(indices)}, got {len(items)}")
        return [self._sample(parts) for parts in zip(*columns, strict=True)]

    def __len__(self):
        return self._length


def _samples(dataset, indices) -> list:
    """The samples, by ``__getitems__`` where the data set has it."""
    if callable(getattr(dataset, "__getitems__", None)):
        return dataset.__getitems__(indices)
    return [dataset[i] for i in indices]


class ConcatDataset(Dataset[_T_co]):
    """Data sets one after the other.
    https://pytorch.org/docs/stable/data.html#torch.utils.data.ConcatDataset

    Args:
        datasets: an iterable of data sets with lengths.

    Raises:
        AssertionError: there are none, or one is an IterableDataset.
    """

    datasets: list
    cumulative_sizes: list

    @staticmethod
    def cumsum(sequence):
        """The lengths of data sets, added up.

        Args:
            sequence: data sets.

        Returns:
            a list; entry i is the total length of the first i + 1.
        """
        return [*itertools.accumulate(len(dataset) for dataset in sequence)]

    def __init__(self, datasets):
        super().__init__()
        self.datasets = [*datasets]
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self):
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx):
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        place = bisect.bisect_right(self.cumulative_sizes, idx)
        return self.datasets[place][idx - self.cumulative_sizes[place - 1] if place else idx]

    @property
    def cummulative_sizes(self):
        """PyTorch's old spelling of `cumulative_sizes`, which warns."""
        warnings.warn("`cummulative_sizes` attribute is renamed to `cumulative_sizes`", FutureWarning, stacklevel=2)
        return self.cumulative_sizes


class ChainDataset(IterableDataset):
    """IterableDatasets one after the other.
    https://pytorch.org/docs/stable/data.html#torch.utils.data.ChainDataset

    Args:
        datasets: an iterable of them; AssertionError on reaching another data set.
    """

    def __init__(self, datasets):
        super().__init__()
        self.datasets = datasets

    def _checked(self) -> Iterator[Any]:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield dataset

    def __iter__(self):
        for dataset in self._checked():
            yield from dataset

    def __len__(self):
        return sum(len(dataset) for dataset in self._checked())


class Subset(Dataset[_T_co]):
    """Some samples of a data set.
    https://pytorch.org/docs/stable/data.html#torch.utils.data.Subset

    Args:
        dataset: the data set.
        indices: their keys.

    Raises:
        NotImplementedError: a subclass overrides ``__getitem__`` but not ``__getitems__``.
    """

    dataset: Dataset
    indices: Sequence

    def __init__(self, dataset, indices):
        self.dataset = dataset
        self.indices = indices
        kind = type(self)
        if kind.__getitem__ is not Subset.__getitem__ and kind.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(_OVERRIDDEN.format(kind.__name__))

    def __getitem__(self, idx):
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices):
        return _samples(self.dataset, [self.indices[i] for i in indices])

    def __len__(self):
        return len(self.indices)


def random_split(dataset, lengths, generator=default_generator):
    """Splits a data set at random into subsets that do not overlap.
    https://pytorch.org/docs/stable/data.html#torch.utils.data.random_split

    Args:
        dataset: the data set.
        lengths: the subsets' lengths, or their shares, which add up to 1.
        generator: a `torch.Generator`.

    Returns:
        a list of `Subset`.

    Raises:
        ValueError: lengths that do not add up, or a share outside [0, 1].
    """
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = _from_fractions(len(dataset), lengths)
        for i, length in enumerate(lengths):
            if length == 0:
                warnings.warn(f"Length of split at index {i} is 0. This might result in an empty dataset.", stacklevel=2)
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = draw("randperm", generator, sum(lengths)).tolist()
    ends = itertools.accumulate(lengths)
    return [Subset(dataset, order[end - length:end]) for end, length in zip(ends, lengths, strict=True)]


def _from_fractions(total, fractions) -> list:
    """Whole lengths; what rounding leaves over goes to the first ones, one each."""
    lengths = []
    for i, fraction in enumerate(fractions):
        if fraction < 0 or fraction > 1:
            raise ValueError(f"Fraction at index {i} is not between 0 and 1")
        lengths.append(math.floor(total * fraction))
    for i in range(total - sum(lengths)):
        lengths[i % len(lengths)] += 1
    return lengths


def collated_rows(dataset, indices) -> list | None:
    """What `default_collate` makes of these samples of a TensorDataset, or of Subsets of one, picked at once on the host.

    None where that would not be the same, or is an error: the samples are then taken one by one.
    """
    while type(dataset) is Subset:
        try:
            indices = [dataset.indices[i] for i in indices]
        except Exception:  # noqa: BLE001 - it comes again
            return None
        dataset = dataset.dataset
    if type(dataset) is not TensorDataset or state.thread.frames:
        return None
    if type(indices) is not list or not indices or any(type(i) is not int for i in indices):
        return None
    sources = [on_host(x._cell) if type(x) is Tensor and x._edge is None else None for x in dataset.tensors]
    if any(values is None for values in sources) or not -len(dataset) <= min(indices) <= max(indices) < len(dataset):
        return None
    return [leaf(values[np.array(indices)]) for values in sources]
