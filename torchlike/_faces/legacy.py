"""Methods from before PyTorch 0.4 that programs still use."""

from torchlike._faces.creation import FUNCTIONS as _MAKE
from torchlike._faces.from_data import FUNCTIONS as _FROM
from torchlike._tensor import Tensor
from torchlike.size import Size


def new(self, *args, device=None):
    """A tensor with the dtype of this one: of the sizes given (ints or a Size), without values, or of data.
    https://pytorch.org/docs/stable/generated/torch.Tensor.new_tensor.html is the present form."""
    options = {"dtype": self.dtype, "device": self.device if device is None else device}
    if len(args) == 1 and isinstance(args[0], Tensor):
        return args[0].detach()
    if len(args) == 1 and not isinstance(args[0], int | Size):
        return _FROM["tensor"](args[0], **options)
    sizes = args[0] if len(args) == 1 and isinstance(args[0], Size) else args or (0,)
    return _MAKE["empty"](tuple(sizes), **options)


METHODS: dict = {"new": new}
