"""`torch.utils.weak`: dictionaries that do not keep their keys alive, by identity."""

import collections.abc
import weakref


class WeakIdRef(weakref.ref):
    """A weak reference that is hashed and compared by the identity of its object.

    Args:
        key: the object.
        callback: called with the reference when the object is gone.
    """

    __slots__ = ("_id",)

    def __init__(self, key, callback=None):
        super().__init__(key, callback)  # pyrefly: ignore[bad-argument-count] - it takes them
        self._id = id(key)

    def __hash__(self):
        return self._id

    def __eq__(self, other):
        mine, theirs = self(), other()
        return self is other if mine is None or theirs is None else mine is theirs


class WeakIdKeyDictionary(collections.abc.MutableMapping):
    """A dict of objects by their identity; an entry goes with its key.

    Args:
        dict: another mapping, whose entries are taken.
        ref_type: the class of the references.
    """

    def __init__(self, dict=None, ref_type=WeakIdRef):
        self.ref_type = ref_type
        self.data: collections.abc.MutableMapping = {}
        held = weakref.ref(self)

        def forget(reference):
            owner = held()
            if owner is not None:
                owner.data.pop(reference, None)

        self._forget = forget
        if dict is not None:
            self.update(dict)

    def __getitem__(self, key):
        return self.data[self.ref_type(key)]

    def __setitem__(self, key, value):
        self.data[self.ref_type(key, self._forget)] = value

    def __delitem__(self, key):
        del self.data[self.ref_type(key)]

    def __contains__(self, key):
        return self.ref_type(key) in self.data

    def __len__(self):
        return len(self.data)

    def __iter__(self):
        for reference in list(self.data):
            key = reference()
            if key is not None:
                yield key

    def keyrefs(self) -> list:
        """The references."""
        return list(self.data)

    def copy(self):
        """Another one with the same entries."""
        return type(self)(self, self.ref_type)

    __copy__ = copy

    def __ior__(self, other):
        self.update(other)
        return self

    def __or__(self, other):
        made = self.copy()
        made.update(other)
        return made

    def __eq__(self, other):
        if not isinstance(other, collections.abc.Mapping):
            return NotImplemented
        return {id(key): value for key, value in self.items()} == {id(key): value for key, value in other.items()}

    __hash__ = None

    def __repr__(self):
        return f"<{type(self).__name__} at {id(self):#x}>"


WeakTensorKeyDictionary = WeakIdKeyDictionary


class TensorWeakRef:
    """A weak reference to a tensor.

    Args:
        tensor: the tensor.
    """

    def __init__(self, tensor):
        self.ref = weakref.ref(tensor)

    def __call__(self):
        return self.ref()
