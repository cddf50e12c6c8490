"""Conformance with PyTorch. The only package besides the tests that may need PyTorch itself."""
