"""What a DataLoader is made of, under the names that programs use below `torch.utils.data`.

`iterators.py` is one pass over the data, in this process or with workers. `fetch.py` turns indices into a batch,
`collate.py` joins samples to one batch, `pin_memory.py` pins one, `worker.py` is what runs in a worker process and
`processes.py` starts it. `signal_handling.py` is for other packages' loaders.

Only `torchlike.utils.data` imports from here. Start with `iterators.py`.
"""

import atexit

from torchlike.utils.data._utils import collate as collate
from torchlike.utils.data._utils import fetch as fetch
from torchlike.utils.data._utils import pin_memory as pin_memory
from torchlike.utils.data._utils import signal_handling as signal_handling
from torchlike.utils.data._utils import worker as worker

HAS_NUMPY = True
MP_STATUS_CHECK_INTERVAL = worker.CHECK_INTERVAL
python_exit_status = False  # True when Python is about to end


def _set_python_exit_flag() -> None:
    global python_exit_status
    python_exit_status = True


atexit.register(_set_python_exit_flag)
