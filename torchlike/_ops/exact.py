"""Operators that round nothing: they pick, order, compare or negate elements, so that equal inputs give results equal in
every bit, in any engine and on any device.
"""

EXACT = frozenset(str.split(
    "neg abs clone detach view reshape t T mT H transpose permute contiguous chunk split cat stack hstack vstack relu gt lt "
    "ge le eq ne where __getitem__ select narrow index_select gather take_along_dim max min amax amin maximum minimum sort "
    "topk argmax argmin argsort expand expand_as unsqueeze squeeze flatten unflatten flip roll masked_fill masked_fill_ "
    "zeros ones full zeros_like ones_like full_like tensor unbind repeat tril triu diag view_as swapaxes movedim data"))
