"""What a worker raises, told to its launcher. https://pytorch.org/docs/stable/elastic/errors.html

A worker finds the name of a file in TORCHELASTIC_ERROR_FILE, and `record` writes there what its function raises: as JSON,
in PyTorch's form. Programs that ``torchlike run`` has started need no `record`: whatever ends them is written there. The
launcher reads the files of the workers that have failed (`ProcessFailure`) and tells the first error once.

`_failure.py` reads the files, `_handler.py` writes them. Start with `_handler.py`.
"""

from torchlike.distributed.elastic.multiprocessing.errors._failure import ChildFailedError as ChildFailedError
from torchlike.distributed.elastic.multiprocessing.errors._failure import ProcessFailure as ProcessFailure
from torchlike.distributed.elastic.multiprocessing.errors._handler import ErrorHandler as ErrorHandler
from torchlike.distributed.elastic.multiprocessing.errors._handler import get_error_handler as get_error_handler
from torchlike.distributed.elastic.multiprocessing.errors._handler import record as record
from torchlike.distributed.elastic.multiprocessing.errors._handler import written as written
