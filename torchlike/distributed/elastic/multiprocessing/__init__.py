"""`torch.distributed.elastic.multiprocessing`, of which programs use `errors`.
https://pytorch.org/docs/stable/elastic/multiprocessing.html

`errors/` has the decorator `record` and the error that says which ranks have failed. `start_processes` refuses: functions
run in processes by `torch.multiprocessing.spawn`, programs by ``torchlike run``.
Programs import this package; the launcher (`../_agent.py`) uses `errors/` only.
"""

from torchlike._base import absent
from torchlike.distributed.elastic.multiprocessing import errors as errors

start_processes = absent.refusing(
    "start_processes", __name__, "torch.distributed.elastic.multiprocessing.start_processes is not supported: functions run "
    "in processes by torch.multiprocessing.spawn, programs by torchlike run")
