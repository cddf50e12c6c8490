"""What the profilers measure with and print.

`recorder.py` takes the times of operations and regions while a profile is open. `names.py` says what an event tells of a
kernel: PyTorch's name, the shapes of its operands, its work and memory. `table.py` prints tables, and `export.py` writes
traces for Chrome and Perfetto.

`torchlike/autograd/profiler.py` and `torchlike/profiler/` are the public profilers on top; optimizers import `recorder.py`
to mark their steps. Start with `recorder.py`.
"""
