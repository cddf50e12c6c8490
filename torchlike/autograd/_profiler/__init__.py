"""What the profilers measure with and print.

`recorder.py` takes the times of operations and regions while a profile is open, `names.py` says under which of PyTorch's
names they count, `table.py` prints tables, and `export.py` writes traces for Chrome and stacks for flame graphs.

`torchlike/autograd/profiler.py` and `torchlike/profiler/` are the public profilers on top; nothing else imports this folder.
Start with `recorder.py`.
"""
