"""What packages use of `torch._tensor_str`: the parts of a tensor's text."""

import contextlib

from torchlike._api import printing
from torchlike._api.printing import options as PRINT_OPTS  # noqa: F401 - PyTorch's name
from torchlike._api.printing import set_printoptions as set_printoptions
from torchlike._record.leaf import to_numpy


@contextlib.contextmanager
def printoptions(**kwargs):
    """A block with other options of `torch.set_printoptions`.

    Args:
        kwargs: as for `set_printoptions`.

    Returns:
        a context manager.
    """
    before = printing.get_printoptions()
    set_printoptions(**kwargs)
    try:
        yield
    finally:
        set_printoptions(**before)


def _tensor_str(self, indent) -> str:
    """The numbers and their brackets, from this column on."""
    return printing.body(to_numpy(self.detach()), indent)


def _add_suffixes(tensor_str, suffixes, indent, force_newline) -> str:
    """The text with ``dtype=`` and the like, on further lines where it would become too long."""
    return printing.with_suffixes(tensor_str, suffixes, indent, force_newline)


