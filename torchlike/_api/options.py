"""What functions that make tensors take besides shapes and numbers: `layout`, `pin_memory`, `requires_grad`."""

from torchlike._compile.backends.registry import accelerators
from torchlike._record.wrong_calls import check_call


def check_options(pin_memory) -> None:
    """What is wrong with options that are given; the public function calls this before it changes an argument.

    Args:
        pin_memory: whether memory that is pinned is asked for; it does nothing where there is a GPU.

    Raises:
        TypeError: PyTorch's parser refuses one of the arguments.
        RuntimeError: there is nothing that memory could be pinned for.
    """
    check_call(is_first=True)
    if pin_memory and not accelerators():
        raise RuntimeError("pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is "
                           "available on this system.")
