"""The memory that numpy's arrays take, kept for the next ones.

glibc gives freed memory back to the system when more than twice the size of the largest array lies free at the end of its
heap, and every page that it gets again costs a page fault: 4500 in a step of a small CNN, a tenth of its time. What counts
as largest it learns from what is freed, up to 32 MB. With another malloc nothing happens.
"""

import numpy as np

_LARGEST = 31 << 20  # bytes


def keep_freed_memory() -> None:
    """Let malloc keep 64 MB of freed memory. Takes 10 us: nothing is written to the array."""
    np.empty(_LARGEST, np.uint8)
