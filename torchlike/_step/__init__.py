"""`torchlike.step_backward`: a backward pass Node by Node, back and forth.

`recording.py` is the Engine that runs passes as the usual one does, and keeps what came to each Node and what left it;
`steps.py` has what users see of that, `formulas.py` each Node's own derivative as code and as a formula, `values.py` tensors
as text, `terminal.py` the keys of a terminal. Nothing here changes what a pass computes. Start with `steps.py`.
"""
