"""What a DataLoader is made of, under the names that programs use below `torch.utils.data`.

`iterators.py` is one pass over the data, in this process or with workers. `fetch.py` turns indices into a batch,
`collate.py` joins samples to one batch, `pin_memory.py` pins one, `worker.py` is what runs in a worker process and
`processes.py` starts it.

Only `torchlike.utils.data` imports from here. Start with `iterators.py`.
"""

from torchlike.utils.data._utils import collate as collate
from torchlike.utils.data._utils import fetch as fetch
from torchlike.utils.data._utils import pin_memory as pin_memory
from torchlike.utils.data._utils import worker as worker
