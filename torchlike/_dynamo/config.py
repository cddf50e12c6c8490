"""`torch._dynamo.config`: settings of PyTorch's compiler that programs change. They are kept, without effect."""

import sys

from torchlike._base.patching import patched

accumulated_cache_size_limit = accumulated_recompile_limit = 256
allow_unspec_int_on_nn_module = False
assume_static_by_default = True
automatic_dynamic_shapes = True
cache_size_limit = recompile_limit = 8
capture_dynamic_output_shape_ops = False
capture_scalar_outputs = False
error_on_recompile = False
fail_on_recompile_limit_hit = False
force_parameter_static_shapes = True
guard_nn_modules = True
inline_inbuilt_nn_modules = True
optimize_ddp = True
skip_fwd_side_effects_in_bwd_under_checkpoint = False
suppress_errors = False
verbose = False


def patch(arg1=None, arg2=None, **changes):
    """A block, or a function that it decorates, with other settings.

    Args:
        arg1, arg2: a name and its value; or `arg1` is a dict of them.
        changes: names and values.

    Returns:
        a context manager.
    """
    return patched(sys.modules[__name__], arg1, arg2, changes)
