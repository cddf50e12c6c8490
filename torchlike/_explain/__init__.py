"""`torchlike.explain`: why a tensor's gradient is what it is."""
