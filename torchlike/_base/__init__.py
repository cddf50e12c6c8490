"""Facts that everything else builds on, without any computation.

dtypes, devices, `Size`, error classes with the texts that several places raise, settings and environment variables,
nested containers, and the names that torchlike refuses with their reasons.

Every folder may import from here; nothing here imports from the rest of torchlike, or JAX. `jax_versions.py` looks at which
JAX there is. `command_line.py` and `terminal.py` are what all commands share. Start with `dtypes.py` and `device.py`.
"""
