"""`torch.utils.model_zoo`: https://pytorch.org/docs/stable/model_zoo.html"""

from torchlike._base.errors import UnsupportedError


def load_url(url, model_dir=None, map_location=None, progress=True, check_hash=False, file_name=None, weights_only=False):
    """Refused: torchlike downloads nothing. `torch.load` reads a file.

    Args:
        url, model_dir, map_location, progress, check_hash, file_name, weights_only: not looked at.

    Raises:
        UnsupportedError: always.
    """
    raise UnsupportedError("torch.utils.model_zoo.load_url is not supported: torchlike downloads nothing; torch.load reads "
                           "a file that is there")
