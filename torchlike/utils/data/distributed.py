"""`DistributedSampler`: each process's part of a data set."""

import math

from torchlike._c10d import world
from torchlike._random.generator import Generator, draw
from torchlike.utils.data.sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler):
    """Every `num_replicas`-th index from `rank` on, in an order that the seed and the epoch decide.
    https://pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler

    Args:
        dataset: a data set with a length.
        num_replicas, rank: how many processes there are, and which one this is; those of the default process group where
            they are None.
        shuffle: whether the order is random.
        seed: the same in all processes.
        drop_last: whether to leave out the indices that do not divide evenly; else some come twice.

    Raises:
        ValueError: there is no process group, or `rank` is out of range.
    """

    def __init__(self, dataset, num_replicas=None, rank=None, shuffle=True, seed=0, drop_last=False):
        num_replicas = world.get_world_size() if num_replicas is None else num_replicas
        rank = world.get_rank() if rank is None else rank
        if rank >= num_replicas or rank < 0:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        whole = len(dataset)
        if drop_last and whole % num_replicas != 0:
            whole -= num_replicas
        self.num_samples = math.ceil(whole / num_replicas)
        self.total_size = self.num_samples * num_replicas
        self.shuffle = shuffle
        self.seed = seed

    def __iter__(self):
        indices = [*range(len(self.dataset))]
        if self.shuffle:
            generator = Generator().manual_seed(self.seed + self.epoch)
            indices = draw("randperm", generator, len(indices)).tolist()
        if not self.drop_last and len(indices) < self.total_size:
            indices = (indices * math.ceil(self.total_size / len(indices)))
        indices = indices[:self.total_size]
        if len(indices) != self.total_size:
            raise AssertionError(f"Number of indices ({len(indices)}) does not match total_size ({self.total_size})")
        return iter(indices[self.rank:self.total_size:self.num_replicas])

    def __len__(self):
        return self.num_samples

    def set_epoch(self, epoch):
        """Sets the epoch, without which every pass has the same order.

        Args:
            epoch: its number.
        """
        self.epoch = epoch
