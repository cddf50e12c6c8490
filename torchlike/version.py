"""The version of torchlike, and of the PyTorch whose behaviour it follows."""

__version__ = "0.1.0"
torch = "2.13.0"
# The oldest JAX that is supported, and the first that is too new: pyproject.toml says the same, and how to raise it.
jax = ("0.8.0", "0.13")
debug = False
cuda = hip = rocm = xpu = None
git_version = "Unknown"  # as in a PyTorch that was built outside of a repository
# What ``torch.__version__`` is: programs ask it which PyTorch they have.
full = f"{torch}+torchlike.{__version__}"
