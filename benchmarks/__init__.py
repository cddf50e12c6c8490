"""One program under torch eager, torch.compile, torchlike and hand-written jax.jit: ``python -m benchmarks``."""
