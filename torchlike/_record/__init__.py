"""The recorder: operations become instructions of a trace, which is run when somebody looks at a value.

`tensor.py` and `cell.py` are the state of a Tensor and where its value lives; `tree.py` is the prefix tree in which a
look-up finds an instruction that was recorded before, `trace.py` the running trace and its runs, `thread.py` the
modes of a thread. `bind.py` records an operation; `views.py` and `inplace.py` do so for views and writes;
`dispatch.py` says who gets an operation first. `history.py` joins results to the graph, whose Nodes come from
`node_factory.py`.

Packages of PyTorch's that record something of their own (optimizers, bridges, the profiler) use `facade.py`, nothing
else of this folder's internals and nothing of `torchlike._compile`. `_random`, `_modes`, `autograd` and `_api` build
on this folder; it imports `_base`, `_ops` and `_compile`. Start with `bind.py`.
"""
