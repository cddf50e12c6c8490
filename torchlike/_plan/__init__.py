"""`torchlike plan`: what a training step takes on devices that are not there.

`recording.py` runs the program up to its third step, on this machine, and notes what that step is made of, as plain
numbers (`facts.py`): parameters and what belongs to each (`parameters.py`), operations with their FLOPs, what is saved for
backward, the programs that were run (`programs.py`). `strategies.py` says what each way to spread it over a mesh
(`mesh.py`) keeps, computes and sends (`collectives.py`); `tensor_parallel.py` finds the layers that can be split,
`pipeline.py` the stages, `devices.py` has the data sheets. `lowering.py` lowers the programs for a mesh that is not there,
and `partitioned.py`, in a process of its own with virtual devices, has XLA compile them and counts collectives and memory.

Only the command line imports it. Start with `command.py`.
"""
