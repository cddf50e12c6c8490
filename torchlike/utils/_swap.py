"""`swap_tensors`: two tensors exchange what they are, and keep their identity."""

import weakref


def swap_tensors(t1, t2) -> None:
    """Exchange values, history and attributes. RuntimeError if something else refers to one of them.
    https://pytorch.org/docs/stable/generated/torch.utils.swap_tensors.html"""
    for name, x in (("t1", t1), ("t2", t2)):
        if weakref.getweakrefs(x):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
    t1.__class__, t2.__class__ = t2.__class__, t1.__class__
    t1.__dict__, t2.__dict__ = t2.__dict__, t1.__dict__
