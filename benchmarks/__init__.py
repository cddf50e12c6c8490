"""The same programs under torch eager, torch.compile, torchlike and jax.jit: ``python -m benchmarks``."""
