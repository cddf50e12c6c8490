"""Pipes of data frames, a prototype in PyTorch.

`dataframe_wrapper.py` is all that knows of pandas, which is imported when a frame is first made or taken apart. What a
program writes about a pipe of frames is recorded (`dataframes.py`) and done with each frame later. `datapipes.py` has the
pipes, `structures.py` a batch of frames.

Most pipes of `iter/` ask the wrapper whether a sample is a frame.
"""

from torchlike.utils.data.datapipes.dataframe.dataframes import CaptureDataFrame, DFIterDataPipe
from torchlike.utils.data.datapipes.dataframe.datapipes import DataFramesAsTuplesPipe

__all__ = ["CaptureDataFrame", "DFIterDataPipe", "DataFramesAsTuplesPipe"]
