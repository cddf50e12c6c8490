"""What `torch.profiler` measures with and prints: recorder, tables, export."""
