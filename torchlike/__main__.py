"""``python -m torchlike`` is the command ``torchlike``."""

import sys

from torchlike.cli import main

if __name__ == "__main__":
    sys.exit(main())
