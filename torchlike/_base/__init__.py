"""Facts that everything else builds on, without any computation.

dtypes, devices, `Size`, error classes with the texts that several places raise, settings and environment variables,
nested containers, and the names that torchlike refuses with their reasons.

Every folder may import from here; nothing here imports from the rest of torchlike, and nothing here imports
JAX. Start with `dtypes.py` and `device.py`.
"""
