"""`torch.distributed.rendezvous`: how processes find one another, see `_c10d/rendezvous.py`."""

from torchlike._api.homes import name_below as _name_below
from torchlike._c10d.rendezvous import register_rendezvous_handler as register_rendezvous_handler
from torchlike._c10d.rendezvous import rendezvous as rendezvous

_name_below(".distributed.rendezvous")
