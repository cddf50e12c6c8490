"""`torchlike.lower`: from a program that has run, the pure function of its leaves, also as source in JAX.

`graph.py` turns Nodes into steps (`program.py`), each a pure function of arrays, `custom.py` custom Functions; `origins.py`
finds the operands that have no history, in what `stretches.py` remembers and `keeper.py` has kept; `regions.py` joins what
is checkpointed. `_diff` runs such steps, too.

From there on it is text. `render.py` has the whole module; `source.py` makes functions of steps, `body.py` and `turns.py`
write their calls and loops, `folding.py` finds what repeats, `names.py` the user's names. `writer.py` writes the
equations of a jaxpr, made ready by `flat.py`, by the table in `primitives.py`
(and `algebra.py`, `control.py`). `backward.py` has the backward pass as steps.

Only the torch namespace, `_explain` and `_diff` import it. Start with `lowered.py`.
"""
