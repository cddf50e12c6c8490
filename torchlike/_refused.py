"""Public names of PyTorch that torchlike has not: {space: {reason: names}}. Asking for one raises UnsupportedError."""

REFUSED: dict = {"torch": {}}
