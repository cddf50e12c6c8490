"""What packages use of `torch._dynamo.utils`."""

__all__ = ["is_compile_supported"]


def is_compile_supported(device_type) -> bool:
    """Whether `torch.compile` takes functions of tensors on such a device: everywhere, since everything is compiled.

    Args:
        device_type: not looked at.

    Returns:
        True.
    """
    return True
