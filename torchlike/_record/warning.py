"""Warnings at the user's line."""

import sys
import warnings

from torchlike._base.errors import warning_is_due
from torchlike._record.site import is_own_file


def warn_once(text: str, key: str = "") -> None:
    """A UserWarning that PyTorch gives once a process, unless `set_warn_always` has said otherwise.

    Args:
        text: PyTorch's.
        key: what is given once, where that is not the text.
    """
    if warning_is_due(key or text):
        warn(text)


def warn(text: str) -> None:
    """A UserWarning at the innermost line outside torchlike."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and is_own_file(frame.f_code.co_filename):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, UserWarning, stacklevel=level)
