"""A store of one process, for its threads."""

import threading

from torchlike._base.forkable import forkable
from torchlike._c10d.errors import DistStoreError
from torchlike._c10d.stores._table import Table
from torchlike._c10d.stores.base import Store


class HashStore(Store):
    """Keys and values of one process. https://pytorch.org/docs/stable/distributed.html#torch.distributed.HashStore

    A timeout of 0 means without end, as in PyTorch. A forked process has a copy.
    """

    def __init__(self):
        super().__init__()
        self._table = Table()
        self._changed = threading.Condition(forkable(threading.RLock()))

    def _ask(self, operation, fields, timeout=None):
        wanted = self._timeout.total_seconds() if timeout is None else timeout
        with self._changed:
            if not self._changed.wait_for(lambda: self._table.lacks(operation, fields) is None, wanted or None):
                raise DistStoreError("Wait timeout")
            answer = self._table.apply(operation, fields)
            self._changed.notify_all()
        return answer

    def has_extended_api(self):
        return True

    def clone(self):
        """This store: its threads do not wait for each other."""
        return self
