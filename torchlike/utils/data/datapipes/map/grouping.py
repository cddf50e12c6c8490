"""Batches of samples by key."""

from typing import TypeVar

from torchlike.utils.data.datapipes._decorator import functional_datapipe
from torchlike.utils.data.datapipes.datapipe import DataChunk, MapDataPipe
from torchlike.utils.data.datapipes.utils.common import _length

__all__ = ["BatcherMapDataPipe"]

_T = TypeVar("_T")


@functional_datapipe("batch")
class BatcherMapDataPipe(MapDataPipe[DataChunk]):
    """Batches of so many samples (``batch``): batch i has those of the keys from i times their number.

    Args:
        datapipe: the source, with keys 0, 1, and so on.
        batch_size: how many samples.
        drop_last: whether a last, smaller batch is left out.
        wrapper_class: what is made of each list.

    Raises:
        AssertionError: `batch_size` is not positive.
    """

    datapipe: MapDataPipe
    batch_size: int
    drop_last: bool

    def __init__(self, datapipe: MapDataPipe[_T], batch_size: int, drop_last: bool = False,
                 wrapper_class: type[DataChunk] = DataChunk):
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        super().__init__()
        self.datapipe = datapipe
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.wrapper_class = wrapper_class

    def __getitem__(self, index) -> DataChunk:
        batch: list = []
        try:
            batch.extend(self.datapipe[i] for i in range(index * self.batch_size, (index + 1) * self.batch_size))
        except IndexError as error:
            if self.drop_last or not batch:
                raise IndexError(f"Index {index} is out of bound.") from error
        return self.wrapper_class(batch)

    def __len__(self) -> int:
        return (_length(self, self.datapipe) + (0 if self.drop_last else self.batch_size - 1)) // self.batch_size
