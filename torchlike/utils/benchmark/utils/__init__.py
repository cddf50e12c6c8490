"""`torch.utils.benchmark.utils`: where PyTorch has what `torch.utils.benchmark` shows.

`timer.py` runs statements, `common.py` has what is found and `compare.py` shows tables of it. `fuzzer.py` and
`sparse_fuzzer.py` make random tensors.

Start with `timer.py`.
"""

from torchlike.utils.benchmark.utils import common as common
from torchlike.utils.benchmark.utils import compare as compare
from torchlike.utils.benchmark.utils import fuzzer as fuzzer
from torchlike.utils.benchmark.utils import sparse_fuzzer as sparse_fuzzer
from torchlike.utils.benchmark.utils import timer as timer
