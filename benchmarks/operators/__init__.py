"""Each row of the operator table with at least 1 MB of input, under torch eager and torchlike."""
