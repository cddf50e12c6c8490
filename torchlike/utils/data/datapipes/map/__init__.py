"""`torch.utils.data.datapipes.map`: the pipes of samples by key.

`utils.py` has the one that a line of pipes begins with, `callable.py` calls a function for each sample, `grouping.py` makes
batches, `combining.py` has those with several sources. `combinatorics.py` has the random order, which is an iterable pipe.

What they share with iterable pipes is in `datapipe.py`.
"""

from torchlike.utils.data.datapipes.map.callable import MapperMapDataPipe as Mapper
from torchlike.utils.data.datapipes.map.combinatorics import ShufflerIterDataPipe as Shuffler
from torchlike.utils.data.datapipes.map.combining import ConcaterMapDataPipe as Concater
from torchlike.utils.data.datapipes.map.combining import ZipperMapDataPipe as Zipper
from torchlike.utils.data.datapipes.map.grouping import BatcherMapDataPipe as Batcher
from torchlike.utils.data.datapipes.map.utils import SequenceWrapperMapDataPipe as SequenceWrapper

__all__ = ["Batcher", "Concater", "Mapper", "SequenceWrapper", "Shuffler", "Zipper"]
