"""What every store can do, and the store that puts a prefix before keys."""

import datetime
from collections.abc import Sequence

from torchlike._c10d.errors import DistStoreError, QueueEmptyError
from torchlike._c10d.stores._table import field, seconds

_DEFAULT = datetime.timedelta(seconds=300)


class Store:
    """Keys and values that processes share: the base of all stores, and of a program's own, which has to have `set`, `get`
    and what else is used of it. https://pytorch.org/docs/stable/distributed.html#torch.distributed.Store

    Keys and values are texts, or bytes; what comes back is bytes.
    """

    def __init__(self):
        self._timeout = _DEFAULT

    def __reduce__(self):
        raise TypeError(f"cannot pickle '{type(self).__module__}.{type(self).__name__}' object")

    def _ask(self, operation: str, fields: list[bytes], timeout: float | None = None) -> list[bytes]:
        """The answer of the store to a request of `_table.py`; `timeout` is the store's own where it is None."""
        raise RuntimeError(f'Tried to call pure virtual function "::c10d::Store::{operation}"')

    def _fields(self, operation: str, *values, timeout: float | None = None) -> list[bytes]:
        return self._ask(operation, [field(operation, value) for value in values], timeout)

    @property
    def timeout(self) -> datetime.timedelta:
        """How long `get` and `wait` wait: 300 seconds, or what `set_timeout` has set."""
        return self._timeout

    def set_timeout(self, timeout: datetime.timedelta | float) -> None:
        """Sets how long `get` and `wait` wait.

        Args:
            timeout: a timedelta, or seconds.
        """
        self._timeout = datetime.timedelta(seconds=seconds(timeout))

    def set(self, key: str, value: str | bytes) -> None:
        """Sets a key.

        Args:
            key: the key.
            value: its value.
        """
        self._fields("set", key, value)

    def get(self, key: str) -> bytes:
        """The value of a key, for which it waits.

        Args:
            key: the key.

        Returns:
            The value.

        Raises:
            DistStoreError: it is not there after the timeout.
        """
        return self._fields("get", key)[0]

    def add(self, key: str, amount: int) -> int:
        """Adds to a number, which is 0 where the key is new.

        Args:
            key: the key.
            amount: an int.

        Returns:
            The sum.

        Raises:
            ValueError: the key has a value that is no number.
        """
        return int(self._ask("add", [field("add", key), b"%d" % amount])[0])

    def append(self, key: str, value: str | bytes) -> None:
        """Puts a value behind the one of a key.

        Args:
            key: the key.
            value: what is appended.
        """
        self._fields("append", key, value)

    def check(self, keys: Sequence[str]) -> bool:
        """Whether all keys are there.

        Args:
            keys: the keys.

        Returns:
            The answer, at once.
        """
        return self._fields("check", *keys)[0] == b"1"

    def compare_set(self, key: str, expected_value: str | bytes, desired_value: str | bytes) -> bytes:
        """Sets a key if it has a certain value. A key that is not there is set if nothing is expected.

        Args:
            key: the key.
            expected_value: what it has to have.
            desired_value: what it gets.

        Returns:
            What it has then; `expected_value` where it is not there.
        """
        return self._fields("compare_set", key, expected_value, desired_value)[0]

    def delete_key(self, key: str) -> bool:
        """Deletes a key.

        Args:
            key: the key.

        Returns:
            Whether it was there.
        """
        return self._fields("delete_key", key)[0] == b"1"

    def num_keys(self) -> int:
        """How many keys there are, with those of the store's own that count processes."""
        return int(self._fields("num_keys")[0])

    def list_keys(self) -> list[str]:
        """The keys, in no order."""
        return [key.decode("utf-8", "surrogateescape") for key in self._fields("list_keys")]

    def wait(self, keys: Sequence[str], timeout: datetime.timedelta | float | None = None) -> None:
        """Waits for keys.

        Args:
            keys: the keys.
            timeout: a timedelta or seconds, None for that of the store.

        Raises:
            DistStoreError: one is not there after the timeout.
        """
        if keys:
            self._fields("wait", *keys, timeout=None if timeout is None else seconds(timeout))

    def multi_get(self, keys: Sequence[str]) -> list[bytes]:
        """The values of several keys, for which it waits.

        Args:
            keys: the keys.

        Returns:
            The values.

        Raises:
            DistStoreError: one is not there after the timeout.
        """
        return self._fields("multi_get", *keys) if keys else []

    def multi_set(self, keys: Sequence[str], values: Sequence[str | bytes]) -> None:
        """Sets several keys.

        Args:
            keys: the keys.
            values: as many values.

        Raises:
            DistStoreError: there are more or fewer values.
        """
        if len(keys) != len(values):
            raise DistStoreError("multiSet keys and values vectors must be of same size")
        self._fields("multi_set", *(each for pair in zip(keys, values, strict=True) for each in pair))

    def has_extended_api(self) -> bool:
        """Whether the store has append, multi_get and multi_set of its own."""
        return False

    def queue_push(self, key: str, value: str | bytes) -> None:
        """Puts a value at the end of a queue.

        Args:
            key: the queue's name.
            value: the value.

        Raises:
            NotImplementedError: the store has no queues.
        """
        self._check_queues()
        self._fields("queue_push", key, value)

    def queue_pop(self, key: str, block: bool = True) -> bytes:
        """Takes the first value of a queue.

        Args:
            key: the queue's name.
            block: whether to wait for one.

        Returns:
            The value.

        Raises:
            DistStoreError: the queue is empty after the timeout.
            QueueEmptyError: the queue is empty, and it does not wait.
            NotImplementedError: the store has no queues.
        """
        self._check_queues()
        try:
            return self._fields("queue_pop", key, timeout=None if block else -1)[0]
        except DistStoreError:
            if block:
                raise
        raise QueueEmptyError("queue is empty")

    def queue_len(self, key: str) -> int:
        """How many values a queue has.

        Args:
            key: the queue's name.

        Returns:
            The number, 0 where there is no such queue.

        Raises:
            NotImplementedError: the store has no queues.
        """
        self._check_queues()
        return int(self._fields("queue_len", key)[0])

    def _check_queues(self) -> None:
        if not self.has_extended_api():
            raise NotImplementedError("queue support is not implemented.")

    def barrier(self, key: str, world_size: int, timeout: datetime.timedelta | float | None = None) -> None:
        """Waits until so many have called it.

        Args:
            key: the barrier's name; each is used once.
            world_size: how many.
            timeout: as for `wait`.

        Raises:
            DistStoreError: fewer have come in that time.
        """
        if self.add(f"{key}/num_members", 1) == world_size:
            self.set(f"{key}/last_member", "1")
        self.wait([f"{key}/last_member"], self.timeout if timeout is None else timeout)

    def clone(self) -> "Store":
        """Another store of the same keys and values, which does not wait for this one.

        Raises:
            RuntimeError: a program's own store has none.
        """
        raise RuntimeError('Tried to call pure virtual function "::c10d::Store::clone"')


class PrefixStore(Store):
    """A store that puts ``prefix/`` before all keys of another one.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.PrefixStore

    Args:
        prefix: a text.
        store: the other store, whose timeout is also this one's.
    """

    def __init__(self, prefix: str, store: Store):
        super().__init__()
        self._prefix, self._store = f"{prefix}/", store

    @property
    def underlying_store(self) -> Store:
        """The other store."""
        return self._store

    @property
    def _underlying_non_prefix_store(self) -> Store:
        found = self._store
        while isinstance(found, PrefixStore):
            found = found._store
        return found

    @property
    def timeout(self) -> datetime.timedelta:
        """That of the other store."""
        return self._store.timeout

    def set_timeout(self, timeout):
        self._store.set_timeout(timeout)

    def has_extended_api(self):
        return self._store.has_extended_api()

    def _of(self, key) -> str:
        return self._prefix + (key if isinstance(key, str) else field("key", key).decode("utf-8", "surrogateescape"))

    def _all(self, keys) -> list[str]:
        return [self._of(key) for key in keys]

    def set(self, key, value):
        self._store.set(self._of(key), value)

    def get(self, key):
        return self._store.get(self._of(key))

    def add(self, key, amount):
        return self._store.add(self._of(key), amount)

    def append(self, key, value):
        self._store.append(self._of(key), value)

    def check(self, keys):
        return self._store.check(self._all(keys))

    def compare_set(self, key, expected_value, desired_value):
        return self._store.compare_set(self._of(key), expected_value, desired_value)

    def delete_key(self, key):
        return self._store.delete_key(self._of(key))

    def num_keys(self):
        """How many keys the other store has, with those that have another prefix, as PyTorch."""
        return self._store.num_keys()

    def list_keys(self):
        return [key.removeprefix(self._prefix) for key in self._store.list_keys() if key.startswith(self._prefix)]

    def wait(self, keys, timeout=None):
        self._store.wait(self._all(keys), self.timeout if timeout is None else timeout)

    def multi_get(self, keys):
        return self._store.multi_get(self._all(keys))

    def multi_set(self, keys, values):
        self._store.multi_set(self._all(keys), values)

    def queue_push(self, key, value):
        self._store.queue_push(self._of(key), value)

    def queue_pop(self, key, block=True):
        return self._store.queue_pop(self._of(key), block)

    def queue_len(self, key):
        return self._store.queue_len(self._of(key))

    def clone(self):
        return PrefixStore(self._prefix.removesuffix("/"), self._store.clone())
