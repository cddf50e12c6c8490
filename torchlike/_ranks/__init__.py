"""``torchlike run --devices 4 train.py``: the ranks of a program as threads of one process, each with a device of its own.

The program is the one that ``--nproc-per-node 4`` runs in four processes, and prints the same. One rank runs at a time,
until it waits for others (`_base/turns.py`). So what a process has once is each rank's own and changes with the turn
(`own.py`): ``__main__``, os.environ, random states, hooks of all modules. Collectives run on XLA's virtual devices
(`_c10d/devices.py`). By `blocking.py` a rank that sleeps or waits for a lock gives its turn away, and `output.py` writes the
rank before each line. Modules that the program imports are there once: what it changes in them, all ranks see.

Start with `run.py`.
"""
