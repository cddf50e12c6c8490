"""``torchlike show program.py``: one page of HTML that shows a run, operation by operation.

`film.py` runs the program and keeps what it did, in order: operations, Nodes of backward passes, steps of optimizers, and
what memory they held; `data.py` makes of that the data of the page, `engines.py` adds what the engines of ``torchlike diff``
say, and `page.py` puts data and program of the page into one file. That program is written in TypeScript (`web/`); there
``npm ci && npm run build`` makes `web/page.js` and `web/page.css`, which are checked in: a user needs no node.

`notebook.py` is the same for a cell: ``%load_ext torchlike.show``, then ``%%show``.
"""

from torchlike.show.notebook import load_ipython_extension as load_ipython_extension
