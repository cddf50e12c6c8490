"""How a tensor lies on a mesh of devices: https://pytorch.org/docs/stable/distributed.tensor.html"""

import dataclasses


class Placement:
    """What the placements have in common."""

    def is_shard(self, dim: int | None = None) -> bool:
        """Whether each device has a part of a dimension.

        Args:
            dim: the dimension; None means any.

        Returns:
            a bool.
        """
        return isinstance(self, Shard) and dim in (None, self.dim)

    def is_replicate(self) -> bool:
        """Whether each device has all of it."""
        return isinstance(self, Replicate)

    def is_partial(self, reduce_op: str | None = None) -> bool:
        """Whether the devices' values have yet to be reduced.

        Args:
            reduce_op: how; None means in any way.

        Returns:
            a bool.
        """
        return isinstance(self, Partial) and reduce_op in (None, self.reduce_op)


@dataclasses.dataclass(frozen=True)
class Shard(Placement):
    """Each device has a part of a dimension.

    Args:
        dim: the dimension.
    """

    dim: int

    def local_shard_size_and_offset(self, curr_local_size: int, num_chunks: int, rank: int) -> tuple[int, int]:
        """What a rank has of a dimension: as much as each, rounded up, until nothing is left (`torch.chunk`).

        Args:
            curr_local_size: the size of the dimension.
            num_chunks: how many ranks there are.
            rank: which one.

        Returns:
            (its size, where it begins).
        """
        each = -(-curr_local_size // num_chunks)
        start = min(each * rank, curr_local_size)
        return min(each, curr_local_size - start), start

    def __str__(self) -> str:
        return f"S({self.dim})"


@dataclasses.dataclass(frozen=True, repr=False)
class _StridedShard(Placement):
    """Each device has parts of a dimension that is divided by another mesh dimension, too.

    Args:
        dim: the dimension.
        split_factor: into how many parts it is divided before.
    """

    dim: int
    split_factor: int = dataclasses.field(default=1, kw_only=True)

    def __repr__(self) -> str:
        return f"_StridedShard(dim={self.dim}, sf={self.split_factor})"

    def __str__(self) -> str:
        return f"_S({self.dim}, {self.split_factor})"


@dataclasses.dataclass(frozen=True)
class Replicate(Placement):
    """Each device has all of it."""

    def __str__(self) -> str:
        return "R"


@dataclasses.dataclass(frozen=True, repr=False)
class Partial(Placement):
    """The devices' values have yet to be reduced.

    Args:
        reduce_op: how: "sum", "avg", "product", "min" or "max".
    """

    reduce_op: str = "sum"

    def __repr__(self) -> str:
        return f"Partial({self.reduce_op})"

    def __str__(self) -> str:
        return f"P({self.reduce_op})"


@dataclasses.dataclass(frozen=True, repr=False)
class _NormPartial(Partial):
    """The devices' values are norms of parts.

    Args:
        norm_type: which norm.
    """

    reduce_op: str = "sum"
    norm_type: int | float = dataclasses.field(default=2, kw_only=True)

    def __repr__(self) -> str:
        return f"_NormPartial({self.norm_type})"
