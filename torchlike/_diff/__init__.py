"""``torchlike diff``: one program under PyTorch, torchlike's tape and JAX's own transforms, compared."""
