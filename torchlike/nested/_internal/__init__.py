"""Nested tensors: what `torch.nested` makes.

`ragged.py`: how long the parts of a jagged tensor are, and the symbol for that in its size. `nested_tensor.py`: the classes,
jagged and strided, and the handler that does pointwise operators on their pieces. `functions.py`: functions of jagged
tensors that are no pointwise operators, `strided_functions.py` those of strided ones. The history of a nested tensor is that
of its pieces: autograd knows of nothing else.
"""
