"""`torch.jit.annotations`: types for TorchScript's signatures. They say nothing to Python, and there is no TorchScript."""

from typing import Any, Dict, List, Optional, Tuple, Union  # noqa: UP035 - packages import them from here

__all__ = ["Any", "BroadcastingList1", "BroadcastingList2", "BroadcastingList3", "Dict", "List", "Optional", "Tuple",
           "Union"]


class _BroadcastingList:
    """``BroadcastingList2[int]``: one number, or a list of two. Annotated so, nothing is told: None."""

    def __getitem__(self, types) -> None:
        return None


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = _BroadcastingList()
