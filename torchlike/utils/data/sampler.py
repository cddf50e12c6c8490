"""Samplers: the order in which a DataLoader reads. https://pytorch.org/docs/stable/data.html#data-loading-order-and-sampler

The orders are PyTorch's, for a seed and for a generator.
"""

import itertools
from typing import Generic, TypeVar

from torchlike import _api
from torchlike._base import dtypes as dt
from torchlike._random.generator import Generator, draw

__all__ = ["BatchSampler", "RandomSampler", "Sampler", "SequentialSampler", "SubsetRandomSampler", "WeightedRandomSampler"]

_T_co = TypeVar("_T_co", covariant=True)
_CHUNK = 32  # how many indices PyTorch draws at once with replacement


def _is_count(value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


class Sampler(Generic[_T_co]):
    """An order of keys. Subclasses define ``__iter__``, over keys or lists of keys, and mostly ``__len__``.
    https://pytorch.org/docs/stable/data.html#torch.utils.data.Sampler
    """

    def __iter__(self):
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """0, 1, 2 and so on.
    https://pytorch.org/docs/stable/data.html#torch.utils.data.SequentialSampler

    Args:
        data_source: a data set with a length.
    """

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """A random order. Without a generator each pass takes one number from the default one and starts a stream of its own.
    https://pytorch.org/docs/stable/data.html#torch.utils.data.RandomSampler

    Args:
        data_source: a data set with a length.
        replacement: whether an index may come several times.
        num_samples: how many indices a pass gives; None means all.
        generator: a `torch.Generator`, or None.

    Raises:
        TypeError: `replacement` is no bool.
        ValueError: `num_samples` is not positive.
    """

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={self.num_samples}")

    @property
    def num_samples(self):
        """How many indices a pass gives."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self):
        n = len(self.data_source)
        generator = self.generator
        if generator is None:
            generator = Generator().manual_seed(new_seed())
        if self.replacement:
            for _ in range(self.num_samples // _CHUNK):
                yield from _api.randint(high=n, size=(_CHUNK,), generator=generator).tolist()
            yield from _api.randint(high=n, size=(self.num_samples % _CHUNK,), generator=generator).tolist()
        else:
            for _ in range(self.num_samples // n):
                yield from draw("randperm", generator, n).tolist()
            yield from draw("randperm", generator, n).tolist()[:self.num_samples % n]

    def __len__(self):
        return self.num_samples


def new_seed(generator=None) -> int:
    """A seed from the generator (None: the default one), as PyTorch draws it: 63 bits, two words of the stream."""
    return int(draw("random_", generator, 1, dt.int64.name)[0])


class SubsetRandomSampler(Sampler[int]):
    """Given indices in a random order.
    https://pytorch.org/docs/stable/data.html#torch.utils.data.SubsetRandomSampler

    Args:
        indices: a sequence.
        generator: a `torch.Generator`; None means the default one.
    """

    def __init__(self, indices, generator=None):
        self.indices = indices
        self.generator = generator

    def __iter__(self):
        for i in draw("randperm", self.generator, len(self.indices)).tolist():
            yield self.indices[i]

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Indices drawn by weight.
    https://pytorch.org/docs/stable/data.html#torch.utils.data.WeightedRandomSampler

    Args:
        weights: (N), not negative; they need not add up to 1.
        num_samples: how many indices a pass gives.
        replacement: whether an index may come several times.
        generator: a `torch.Generator`; None means the default one.

    Raises:
        ValueError: a wrong type, a number that is not positive, or weights of several dimensions.
    """

    def __init__(self, weights, num_samples, replacement=True, generator=None):
        if not _is_count(num_samples):
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={num_samples}")
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = _api.as_tensor(weights, dtype=dt.float64)
        if self.weights.ndim != 1:
            raise ValueError("weights should be a 1d sequence but given weights have shape "
                             f"{tuple(self.weights.shape)}")
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self):
        yield from _api.multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator).tolist()

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Lists of the keys of another sampler.
    https://pytorch.org/docs/stable/data.html#torch.utils.data.BatchSampler

    Args:
        sampler: an iterable of keys.
        batch_size: how many a list has.
        drop_last: whether a last, shorter list is left out.

    Raises:
        ValueError: `batch_size` is not positive, or `drop_last` no bool.
    """

    def __init__(self, sampler, batch_size, drop_last):
        if not _is_count(batch_size):
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self):
        indices = iter(self.sampler)
        while batch := [*itertools.islice(indices, self.batch_size)]:
            if self.drop_last and len(batch) < self.batch_size:
                return
            yield batch

    def __len__(self):
        spare = 0 if self.drop_last else self.batch_size - 1
        return (len(self.sampler) + spare) // self.batch_size
