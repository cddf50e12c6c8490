"""Stores: keys and values that processes share to find each other. https://pytorch.org/docs/stable/distributed.html#distributed-key-value-store

A few control bytes go through them, never tensors. `base.py` has what all stores can do, and `PrefixStore`; `_table.py` the
keys and values themselves, and how a request is written in bytes. A `HashStore` keeps the table in its process, a
`FileStore` (`file.py`) in a file, and a `TCPStore` (`tcp.py`) asks the one process that serves it (`_server.py`).

The launcher of ranks and process groups use them, and programs do. Nothing here needs JAX or the rest of torchlike but
`_base/forkable.py` and `_base/turns.py`. Start with `base.py`.
"""

from torchlike._c10d.stores.base import PrefixStore as PrefixStore
from torchlike._c10d.stores.base import Store as Store
from torchlike._c10d.stores.file import FileStore as FileStore
from torchlike._c10d.stores.hash import HashStore as HashStore
from torchlike._c10d.stores.tcp import TCPStore as TCPStore
