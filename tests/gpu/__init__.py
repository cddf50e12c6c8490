"""What only a GPU shows. These tests compare a GPU with the CPU, not with PyTorch, so they run beside any PyTorch."""

import pytest

import torchlike

ON_A_GPU = [pytest.mark.gpu, pytest.mark.skipif(not torchlike.cuda.is_available(), reason="JAX has no GPU here")]
