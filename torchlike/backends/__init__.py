"""`torch.backends`: switches that programs set; JAX decides these things itself."""

import types

cudnn = types.SimpleNamespace(enabled=True, benchmark=False, deterministic=True, is_available=lambda: False)
cuda = types.SimpleNamespace(matmul=types.SimpleNamespace(allow_tf32=False), is_built=lambda: False)
mps = types.SimpleNamespace(is_available=lambda: False, is_built=lambda: False)
