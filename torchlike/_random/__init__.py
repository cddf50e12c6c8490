"""Random numbers, and the generators that users hold.

On the CPU they are PyTorch's own numbers for a seed: the stream MT19937 (`mt19937.py`), and how each distribution turns
words into samples (`mt19937_samplers.py`; `mt19937_rejection.py` for those that draw until a candidate is accepted).
On a GPU they are JAX's (`jax_random.py`), with other values than PyTorch's Philox.

A draw happens on the host when it is recorded and enters the trace as an input, so no compiled program contains its numbers.
Whatever draws numbers or keeps states imports from here. Start with `generator.py`.
"""
