"""`torch.utils.data.datapipes`: data sets that are made of one another, step by step.

`datapipe.py` has the base classes, `iter/` and `map/` the pipes of the two kinds, `dataframe/` those of data frames. A pipe
can have a functional name (`_decorator.py`), under which it is a method of all pipes of its kind.

An iterable pipe has one valid iterator at a time: `_typing.py` has the metaclass that sees to it, by the wrappers of
`_hook_iterator.py`. `utils/` has what the pipes share. Start with `datapipe.py`.
"""

from torchlike.utils.data.datapipes import dataframe as dataframe
from torchlike.utils.data.datapipes import iter as iter
from torchlike.utils.data.datapipes import map as map
