"""From indices to a batch, in this process or in a worker."""

from torchlike._record.trace import end_of_step
from torchlike.utils.data._utils.collate import default_collate
from torchlike.utils.data.dataset import collated_rows


class _Fetcher:
    def fetch(self, index):
        """The collated sample or batch. It is computed in a trace of its own, which is the same for each batch."""
        end_of_step()
        batch = self._read(index)
        end_of_step()
        return batch


class MapFetcher(_Fetcher):
    """Reads a data set by key. `batched`: the keys come as lists."""

    iterates = False

    def __init__(self, dataset, batched, collate_fn, drop_last):
        self.dataset, self.batched, self.collate_fn = dataset, batched, collate_fn

    def _read(self, index):
        if not self.batched:
            return self.collate_fn(self.dataset[index])
        if self.collate_fn is default_collate:
            rows = collated_rows(self.dataset, index)
            if rows is not None:
                return rows
        if getattr(self.dataset, "__getitems__", None):
            return self.collate_fn(self.dataset.__getitems__(index))
        return self.collate_fn([self.dataset[i] for i in index])


class IterableFetcher(_Fetcher):
    """Reads a data set in its own order; the keys only say how many samples a batch has."""

    iterates = True

    def __init__(self, dataset, batched, collate_fn, drop_last):
        self.dataset, self.dataset_iter = dataset, iter(dataset)
        self.batched, self.collate_fn, self.drop_last = batched, collate_fn, drop_last
        self.ended = False

    def _read(self, index):
        """Reads the next samples; StopIteration at the end."""
        if self.ended:
            raise StopIteration
        if not self.batched:
            return self.collate_fn(next(self.dataset_iter))
        batch = []
        for _ in index:
            try:
                batch.append(next(self.dataset_iter))
            except StopIteration:
                self.ended = True
                break
        if not batch or (self.drop_last and len(batch) < len(index)):
            raise StopIteration
        return self.collate_fn(batch)
