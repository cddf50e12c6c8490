"""`SummaryWriter`: tensorboardX's, which gets arrays where tensors are given."""

import functools
import importlib

from torchlike._base.errors import UnsupportedError
from torchlike._record.tensor import Tensor
from torchlike.utils._pytree import tree_map_only

_writer = importlib.import_module("tensorboardX.writer")
_Writer = _writer.SummaryWriter
FileWriter = _writer.FileWriter
RecordWriter = importlib.import_module("tensorboardX.record_writer").RecordWriter


def _array(x: Tensor):
    return (x.float() if x.dtype.itemsize < 4 and x.is_floating_point() else x).numpy(force=True)


def _with_arrays(name: str):
    method = getattr(_Writer, name)

    @functools.wraps(method)
    def add(self, *args, **kwargs):
        args, kwargs = tree_map_only(Tensor, _array, (args, kwargs))
        return method(self, *args, **kwargs)

    return add


class SummaryWriter(_Writer):
    """Writes scalars, histograms, images, texts and more for TensorBoard.
    https://pytorch.org/docs/stable/tensorboard.html#torch.utils.tensorboard.writer.SummaryWriter

    Args:
        log_dir: the folder; None means one in ``runs`` with the time, the host and `comment` in its name.
        comment: the end of that name.
        purge_step: from which step on older events are hidden.
        max_queue, flush_secs: after how many events, and seconds, is written to disk.
        filename_suffix: the end of the names of files.
    """

    def __init__(self, log_dir=None, comment="", purge_step=None, max_queue=10, flush_secs=120, filename_suffix=""):
        super().__init__(log_dir, comment, purge_step, max_queue, flush_secs, filename_suffix)

    @property
    def log_dir(self) -> str:
        """The folder."""
        return self.logdir

    def get_logdir(self) -> str:
        """The folder."""
        return self.logdir

    def add_graph(self, model, input_to_model=None, verbose=False, use_strict_trace=True) -> None:
        """Refused: there is no TorchScript, whose graph it is.

        Args:
            model, input_to_model, verbose, use_strict_trace: not looked at.

        Raises:
            UnsupportedError: always.
        """
        raise UnsupportedError("SummaryWriter.add_graph is not supported: there is no TorchScript, whose graph it shows")

    add_audio = _with_arrays("add_audio")
    add_embedding = _with_arrays("add_embedding")
    add_histogram = _with_arrays("add_histogram")
    add_histogram_raw = _with_arrays("add_histogram_raw")
    add_hparams = _with_arrays("add_hparams")
    add_image = _with_arrays("add_image")
    add_image_with_boxes = _with_arrays("add_image_with_boxes")
    add_images = _with_arrays("add_images")
    add_mesh = _with_arrays("add_mesh")
    add_pr_curve = _with_arrays("add_pr_curve")
    add_pr_curve_raw = _with_arrays("add_pr_curve_raw")
    add_scalar = _with_arrays("add_scalar")
    add_scalars = _with_arrays("add_scalars")
    add_video = _with_arrays("add_video")
