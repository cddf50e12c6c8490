"""`torch.utils.model_zoo`: https://pytorch.org/docs/stable/model_zoo.html"""

from torchlike._base.errors import UnsupportedError


def load_url(url, model_dir=None, map_location=None, progress=True, check_hash=False, file_name=None, weights_only=False):
    """Refused: UnsupportedError. `torch.load` reads a file that is there."""
    raise UnsupportedError("torch.utils.model_zoo.load_url is not supported: torchlike downloads nothing; torch.load reads "
                           "a file that is there")
