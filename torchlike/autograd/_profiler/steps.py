"""Small parts of PyTorch's profiler that programs name: counting of steps, sets of what was seen, searches by time."""

import bisect
import warnings
from collections import defaultdict
from typing import ClassVar


class EnforceUnique:
    """Raises where a key comes twice.
    https://pytorch.org/docs/stable/generated/torch.autograd.profiler.EnforceUnique.html
    """

    def __init__(self):
        self.seen = set()

    def see(self, *key):
        """Notes a key.

        Args:
            key: its parts.

        Raises:
            RuntimeError: it was noted before.
        """
        if key in self.seen:
            raise RuntimeError(f"duplicate key: {key}")
        self.seen.add(key)


class KinetoStepTracker:
    """How many steps a program has done, where several (a profile, loaders, optimizers) count: the most of them.
    https://pytorch.org/docs/stable/generated/torch.autograd.profiler.KinetoStepTracker.html
    """

    _current_step = 0
    _step_dict: ClassVar[defaultdict[str, int]] = defaultdict(int)

    @classmethod
    def init_step_count(cls, requester: str):
        """Has one more count, from where the others are.

        Args:
            requester: who counts.
        """
        cls._step_dict[requester] = cls._current_step

    @classmethod
    def erase_step_count(cls, requester: str) -> bool:
        """Forgets one who counts.

        Args:
            requester: who.

        Returns:
            whether it counted.
        """
        return cls._step_dict.pop(requester, None) is not None

    @classmethod
    def increment_step(cls, requester: str) -> int:
        """One more step of one who counts.

        Args:
            requester: who.

        Returns:
            how many steps have been done.
        """
        if requester not in cls._step_dict:
            cls.init_step_count(requester)
        cls._step_dict[requester] += 1
        step = max(cls._step_dict.values())
        if step > cls._current_step + 1:
            warnings.warn(f"Profiler step count has increased more than 1 - current_step = {cls._current_step} step dict =  "
                          f"{cls._step_dict}", stacklevel=2)
        cls._current_step = max(step, cls._current_step)
        return cls._current_step

    @classmethod
    def current_step(cls) -> int:
        """How many steps have been done."""
        return cls._current_step


class MemRecordsAcc:
    """Records of allocations by time.
    https://pytorch.org/docs/stable/generated/torch.autograd.profiler_util.MemRecordsAcc.html

    Args:
        mem_records: pairs whose first part has a method ``start_ns``.
    """

    def __init__(self, mem_records):
        self._mem_records = mem_records
        by_time = sorted((record[0].start_ns(), i) for i, record in enumerate(mem_records))
        self._start_nses = [start for start, _ in by_time]
        self._indices = [i for _, i in by_time]

    def in_interval(self, start_ns, end_ns):
        """Those between two times.

        Args:
            start_ns, end_ns: nanoseconds.

        Yields:
            the records.
        """
        first, last = bisect.bisect_left(self._start_nses, start_ns), bisect.bisect_right(self._start_nses, end_ns)
        yield from (self._mem_records[i] for i in self._indices[first:last])
