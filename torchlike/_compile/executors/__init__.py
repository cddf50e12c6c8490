"""Who runs a trace: executors, asked one after the other until one does.

`stack.py` says what an executor is, holds those that are installed, and runs traces. Two are always there, the tiers:
`hot.py` runs a trace as one compiled program, asks for that program when a trace has been seen often enough
(`background.py` compiles while the user's thread goes on), and declines until it is ready; `cold.py` then runs the trace
kernel by kernel, and never declines. `parallel.py` compiles the kernels that it lacks, many at once.

Others stand before the tiers for a while, ``with executing(...)``: a profiler times each kernel
(`torchlike/autograd/_profiler/recorder.py`, which needs the autograd graph). A process that was forked has the cold tier
alone (`forked.py`).

Imports the rest of `_compile`; the recorder imports it, and nothing in `_compile` outside of this folder does. Start with
`stack.py`.
"""
