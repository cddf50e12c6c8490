"""Imports nearly all of torchlike while Python's garbage collector rests; ``import torchlike`` begins here.

Nothing that an import makes is garbage, but it makes so many objects that the collector goes through all of them, JAX's as
well, again and again: a sixth of the time. The collector is as it was when this is done, also where an import fails.
"""

import gc

from torchlike import version
from torchlike._base.jax_versions import checked

_collects = gc.isenabled()
gc.disable()
try:
    with checked(*version.jax):
        import torchlike._C
        import torchlike.distributed
        import torchlike.hub
        import torchlike.masked
        import torchlike.nested
        import torchlike.optim
        import torchlike.signal
        import torchlike.sparse
        import torchlike.testing  # noqa: F401 - all of these: for what they import
finally:
    if _collects:
        if not gc.get_freeze_count():  # made old at once, what was imported is not gone through by the next collections
            gc.freeze()
            gc.unfreeze()
        gc.enable()
