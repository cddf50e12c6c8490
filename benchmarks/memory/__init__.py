"""How much memory a training step takes: ``python -m benchmarks.memory``.

A transformer trained by AdamW, plain and with a checkpoint around each block, in fresh processes under torch eager,
hand-written jax.jit with donation, and torchlike, run by numpy and as a compiled program. What is measured is the resident
memory of the process over that of a process which has imported the library and run the same program in small.
"""
