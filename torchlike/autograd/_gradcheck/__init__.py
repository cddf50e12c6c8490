"""The parts of `torch.autograd.gradcheck`, whose public functions are in `autograd/gradcheck.py`.

`jacobians.py` computes Jacobians: numerically by differences, and by backward and forward mode. `properties.py` checks
what must hold besides: batched gradients, undefined gradients, gradients of another scale. `texts.py` has PyTorch's
error texts.

It calls `autograd/engine.py` and `forward_ad.py` as a user would; only `gradcheck.py` imports it. Start with
`jacobians.py`.
"""
