"""`torch.utils.benchmark`: how long a statement takes. https://pytorch.org/docs/stable/benchmark_utils.html

`utils/timer.py` runs a statement, `utils/common.py` has what it finds, `utils/compare.py` shows several in a table.
`utils/fuzzer.py` and `utils/sparse_fuzzer.py` make tensors of many shapes and layouts for it.

What a run of the statement has computed is waited for, so that a run is what it would be for a user who looks at the result.
"""

from torchlike._api.homes import name_below as _name_below
from torchlike._base import absent
from torchlike.utils.benchmark import utils as utils
from torchlike.utils.benchmark.utils.common import Measurement as Measurement
from torchlike.utils.benchmark.utils.common import TaskSpec as TaskSpec
from torchlike.utils.benchmark.utils.common import ordered_unique as ordered_unique
from torchlike.utils.benchmark.utils.common import select_unit as select_unit
from torchlike.utils.benchmark.utils.common import set_torch_threads as set_torch_threads
from torchlike.utils.benchmark.utils.common import trim_sigfig as trim_sigfig
from torchlike.utils.benchmark.utils.common import unit_to_english as unit_to_english
from torchlike.utils.benchmark.utils.compare import Colorize as Colorize
from torchlike.utils.benchmark.utils.compare import Compare as Compare
from torchlike.utils.benchmark.utils.fuzzer import FuzzedParameter as FuzzedParameter
from torchlike.utils.benchmark.utils.fuzzer import FuzzedTensor as FuzzedTensor
from torchlike.utils.benchmark.utils.fuzzer import Fuzzer as Fuzzer
from torchlike.utils.benchmark.utils.fuzzer import ParameterAlias as ParameterAlias
from torchlike.utils.benchmark.utils.sparse_fuzzer import FuzzedSparseTensor as FuzzedSparseTensor
from torchlike.utils.benchmark.utils.timer import Language as Language
from torchlike.utils.benchmark.utils.timer import Timer as Timer
from torchlike.utils.benchmark.utils.timer import timer as timer

_WHY = "torch.utils.benchmark.{} is not supported: Valgrind counts instructions of C++"
CallgrindStats, CopyIfCallgrind, FunctionCount, FunctionCounts = (
    absent.refusing(name, __name__, _WHY.format(name))
    for name in ("CallgrindStats", "CopyIfCallgrind", "FunctionCount", "FunctionCounts"))

_name_below(".utils.benchmark")
