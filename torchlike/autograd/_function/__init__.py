"""The machinery of `torch.autograd.Function`, whose public classes are in `autograd/function.py`.

`node.py` is the graph's side: the Node of one call and the history of what ``forward`` returned. Node and ctx are two
objects, because a user may give ctx any attribute. `call.py` runs ``forward`` and makes the Node. `forward.py` is forward
mode, by the Function's ``jvp``. `pure.py` is a call under the transforms of `torchlike.func`, where the Function becomes a
`jax.custom_vjp` or `jax.custom_jvp`.

It imports the recorder, the modes, and `node.py` and `saved_variable.py` of autograd; `autograd/function.py` and those
that look into a graph (`torchlike.graph`, `_diff`) import it. Start with `node.py`.
"""
