"""`torch.utils.benchmark`: how long a statement takes. https://pytorch.org/docs/stable/benchmark_utils.html

`_timer.py` runs a statement, `_measurement.py` is what it finds, `_compare.py` shows several in a table.

What a run of the statement has computed is waited for, so that a run is what it would be for a user who looks at the result.
"""

from torchlike._api.homes import name_in as _name_in
from torchlike._base import absent
from torchlike._base.errors import UnsupportedError
from torchlike.utils.benchmark._compare import Compare as Compare
from torchlike.utils.benchmark._measurement import Measurement as Measurement
from torchlike.utils.benchmark._measurement import TaskSpec as TaskSpec
from torchlike.utils.benchmark._measurement import select_unit as select_unit
from torchlike.utils.benchmark._timer import Timer as Timer
from torchlike.utils.benchmark._timer import timer as timer

_why = "torch.utils.benchmark.{} is not supported: print a Measurement, or Compare several"
Fuzzer, CallgrindStats = (
    absent.uninstantiable(name, __name__, UnsupportedError, _why.format(name)) for name in ("Fuzzer", "CallgrindStats"))

_name_in(".utils.benchmark")
