"""How operators compute by parts: for each a rule that lists its strategies.

A strategy says for one dimension of a mesh how results are placed when operands are placed in a certain way, and each rank
computes the operator of what it has: ``((Shard(0),), (Shard(0), Replicate()))`` for a matrix product whose first factor is
divided by rows. A rule lists what is true, from the shapes and arguments alone; which of that is taken, for all dimensions
of the mesh, `_choice.py` decides by what would have to be moved. All of the whole (`Replicate`) is always true, and need
not be listed. From the strategies of an operator those of its gradient follow (`gradient.py`).

`table.py` has the rules by PyTorch's names of operators. Start with `call.py`.
"""
