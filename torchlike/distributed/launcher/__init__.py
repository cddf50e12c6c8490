"""`torch.distributed.launcher`: a function in many processes, with a launcher's environment and errors.
https://pytorch.org/docs/stable/elastic/run.html

Packages that start ranks from a notebook use it: accelerate and ignite, say. Processes are `torch.multiprocessing`'s, their
environment and the file to which they write errors are those of ``torchlike run`` (`../elastic/_agent.py`), which is what
starts programs. See `api.py`.
"""

from torchlike.distributed.launcher.api import LaunchConfig as LaunchConfig
from torchlike.distributed.launcher.api import elastic_launch as elastic_launch
from torchlike.distributed.launcher.api import launch_agent as launch_agent
