"""Every form of a call under torch and torchlike: ``python -m compat.forms``."""
