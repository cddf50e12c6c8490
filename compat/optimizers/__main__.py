"""``python -m compat.optimizers``: PyTorch's optimizer database under torch and torchlike; a table, and JSON with
``--json``. Status 1 if something differs that compat/gaps.toml does not list, or passes that it does.
"""

import sys

from compat import findings, gaps
from compat.optimizers import exam

if __name__ == "__main__":
    names = {name: name for name in exam.INFOS}
    sys.exit(findings.examination(__doc__, "optimizers", names, exam.examine, exam.CHECKS, gaps.optimizers(), exam.DTYPES))
