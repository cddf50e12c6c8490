"""Switches of the torch namespace that programs set at their start."""


class memory_format:  # noqa: N801 - PyTorch's name
    """How elements lie in memory: the strides of copies. https://pytorch.org/docs/stable/tensor_attributes.html

    Convolutions and pools give contiguous results, whatever their input is.
    """

    def __init__(self, name):
        self._name = name

    def __repr__(self):
        return f"torch.{self._name}"


contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")
_PRECISION = ["highest"]


class layout:  # noqa: N801 - PyTorch's name
    """How a tensor keeps its elements. All of torchlike's are strided: the others are there to be compared with."""

    def __init__(self, name):
        self._name = name

    def __repr__(self):
        return f"torch.{self._name}"


strided = layout("strided")
sparse_coo, sparse_csr, sparse_csc = layout("sparse_coo"), layout("sparse_csr"), layout("sparse_csc")
sparse_bsr, sparse_bsc, jagged = layout("sparse_bsr"), layout("sparse_bsc"), layout("jagged")


def set_num_threads(number) -> None:
    """Accepted: XLA chooses its own number of threads."""


def get_num_threads() -> int:
    """1: XLA chooses its own number of threads and does not tell."""
    return 1


def use_deterministic_algorithms(mode, *, warn_only=False) -> None:
    """Accepted: XLA's results on one machine do not vary."""


def set_float32_matmul_precision(precision) -> None:
    """'highest', 'high' or 'medium'. Kept and reported; products run at 'highest'."""
    if precision not in ("highest", "high", "medium"):
        raise RuntimeError("Invalid precision: expected one of 'highest', 'high', 'medium'")
    _PRECISION[0] = precision


def get_float32_matmul_precision() -> str:
    """What was set last."""
    return _PRECISION[0]
