"""PyTorch's file format, read and written without PyTorch.

A file is a zip archive (`archive.py`) of one pickle and one record for the bytes of each storage (`storage.py`).
`pickler.py` writes tensors and classes under PyTorch's names, `unpickler.py` reads them, with or without ``weights_only``,
and `pickled_names.py` translates between PyTorch's names and torchlike's objects.

`torchlike.serialization` (`torch.save`, `torch.load`) and `distributed.checkpoint` import from here. Start with
`pickler.py`.
"""
