"""`swap_tensors`: two tensors exchange what they are, and keep their identity."""

import weakref

from torchlike._record.tensor import swap_attributes


def swap_tensors(t1, t2) -> None:
    """Exchanges values, history and attributes of two tensors, each of which keeps its identity.
    https://pytorch.org/docs/stable/generated/torch.utils.swap_tensors.html

    Args:
        t1, t2: the tensors.

    Raises:
        RuntimeError: there are weak references to one of them.
    """
    for name, x in (("t1", t1), ("t2", t2)):
        if weakref.getweakrefs(x):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
    t1.__class__, t2.__class__ = t2.__class__, t1.__class__
    swap_attributes(t1, t2)
