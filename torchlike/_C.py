"""The one function of `torch._C` that packages call."""  # noqa: N999 - PyTorch's name


def _log_api_usage_once(event) -> None:
    """Nothing is logged, as in PyTorch without PYTORCH_API_USAGE_STDERR."""
