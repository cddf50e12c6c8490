"""Process groups: what `torch.distributed` is made of. Private.

Bytes are moved by XLA's collectives over gloo, and by nothing of ours: `channel.py` has an XLA client for the processes of
one group, `programs.py` the functions that it compiles. `work.py` has what a collective is until it is done, `ledger.py`
what the ranks tell each other of what they do, so that nobody waits for ever for somebody who does something else.
`group.py` has the groups, `world.py` those of this process, `tensors.py` the way between Tensors and what is sent.

**A collective is a boundary of programs.** What was recorded runs up to the tensors that are sent; the collective starts
then, in the order in which the program has called it, and what comes back enters the next trace as an input. So the
order is the program's in every tier: one rank may run kernel by kernel and another whole programs. As instructions inside
compiled programs, collectives would have to be kept from XLA, which drops what nobody reads and moves the rest, and
from the recorder, which runs a trace again after an interruption, or a part of it for another thread.

Start with `channel.py`.
"""
