"""Where arrays live and kernels run: a backend for each device.

`backend.py` says what a backend is, and what a new one must do; `registry.py` finds the one of a device, and is the only
place that names them all. `xla.py` is what the two real ones share: `xla_cpu.py` and `xla_cuda.py` hold what is special
about XLA on a CPU (which options make it compile fast) and on a GPU (TensorFloat32). `meta.py` stands for devices without
values, `forked.py` for any device as a forked process sees it.

Nothing else in torchlike asks what type a device is, unless PyTorch's own answer is about that word (`Tensor.is_cuda`, say):
tests/test_layering.py looks for such questions.

May be imported from everywhere above `_ops`; the packages of users' faces (`optim`, `utils`, ...) get `backend_of` from
`torchlike/_record/facade.py`. Imports `_base` and jax alone. Start with `backend.py`.
"""
