"""`torch.utils.data`: https://pytorch.org/docs/stable/data.html

`dataset.py` has what is read, `sampler.py` the order, `dataloader.py` the DataLoader, and `distributed.py` the share of one
process. One pass over the data, with or without worker processes, is in `_utils/`. `datapipes/` has data sets that are made
of one another; `graph.py` finds them, `graph_settings.py` sets their seeds and shares.

Orders and splits are PyTorch's for the same seed. A forked worker never calls JAX; how it computes is told in
`dataloader.py`, the place to start. Programs import this package, and nothing below it in torchlike does.
"""

from torchlike.utils.data import _utils as _utils
from torchlike.utils.data.dataloader import DataLoader as DataLoader
from torchlike.utils.data.dataloader import _DatasetKind as _DatasetKind
from torchlike.utils.data.dataloader import default_collate as default_collate
from torchlike.utils.data.dataloader import default_convert as default_convert
from torchlike.utils.data.dataloader import get_worker_info as get_worker_info
from torchlike.utils.data.datapipes._decorator import argument_validation as argument_validation
from torchlike.utils.data.datapipes._decorator import functional_datapipe as functional_datapipe
from torchlike.utils.data.datapipes._decorator import guaranteed_datapipes_determinism as guaranteed_datapipes_determinism
from torchlike.utils.data.datapipes._decorator import non_deterministic as non_deterministic
from torchlike.utils.data.datapipes._decorator import runtime_validation as runtime_validation
from torchlike.utils.data.datapipes._decorator import runtime_validation_disabled as runtime_validation_disabled
from torchlike.utils.data.datapipes.datapipe import DataChunk as DataChunk
from torchlike.utils.data.datapipes.datapipe import DFIterDataPipe as DFIterDataPipe
from torchlike.utils.data.datapipes.datapipe import IterDataPipe as IterDataPipe
from torchlike.utils.data.datapipes.datapipe import MapDataPipe as MapDataPipe
from torchlike.utils.data.dataset import ChainDataset as ChainDataset
from torchlike.utils.data.dataset import ConcatDataset as ConcatDataset
from torchlike.utils.data.dataset import Dataset as Dataset
from torchlike.utils.data.dataset import IterableDataset as IterableDataset
from torchlike.utils.data.dataset import StackDataset as StackDataset
from torchlike.utils.data.dataset import Subset as Subset
from torchlike.utils.data.dataset import TensorDataset as TensorDataset
from torchlike.utils.data.dataset import random_split as random_split
from torchlike.utils.data.distributed import DistributedSampler as DistributedSampler
from torchlike.utils.data.sampler import BatchSampler as BatchSampler
from torchlike.utils.data.sampler import RandomSampler as RandomSampler
from torchlike.utils.data.sampler import Sampler as Sampler
from torchlike.utils.data.sampler import SequentialSampler as SequentialSampler
from torchlike.utils.data.sampler import SubsetRandomSampler as SubsetRandomSampler
from torchlike.utils.data.sampler import WeightedRandomSampler as WeightedRandomSampler
