"""What does operations in the recorder's place: the handlers of `torchlike._record.dispatch`, and transforms.

`autocast.py` casts operands by PyTorch's lists (`autocast_lists.py`; `composite.py` for operators that are no rows).
`subgradients.py` gives them JAX's gradients at kinks and ties.
`intercept.py` hands operations to a function, for selective checkpoints. `dual.py` does them on values and tangents.
`transform.py` runs functions of Tensors under JAX's transforms, for `torchlike.func`, and connects them to the tape;
`vmap_levels.py` says what differs between the slices of a running vmap.

`autograd`, `_api` and the public packages use these; they build on `_record` and `_random`. Start with `intercept.py`, the
smallest handler.
"""
