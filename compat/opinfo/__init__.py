"""PyTorch's own operator database as an exam: every sample of `op_db` under torch and torchlike, compared."""
