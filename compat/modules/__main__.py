"""``python -m compat.modules``: PyTorch's module database under torch and torchlike; a table, and JSON with ``--json``.

Status 1 if something differs that compat/gaps.toml does not list, or passes that it does.
"""

import sys

from compat import findings, gaps
from compat.modules import exam

if __name__ == "__main__":
    sys.exit(findings.examination(__doc__, "modules", exam.modules(), exam.examine, exam.CHECKS,
                                  gaps.modules(), exam.DTYPES))
