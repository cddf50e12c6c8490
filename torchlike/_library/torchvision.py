"""torchvision's operators, which are C++ in its wheels: what `torch.ops.load_library` makes of its shared library.

`nms` and `roi_align` are computed, and have the gradients of what they call. The others are defined, and refuse when they
are called: torchvision gives all of them rules of its own when it is imported.
"""

import numpy as np

from torchlike import _api, ops
from torchlike._api.checks import _check
from torchlike._base import dtypes as dt
from torchlike._library import registry
from torchlike._library.operator import Operator

_BOX = "float spatial_scale, SymInt pooled_height, SymInt pooled_width"
_SIZE = "SymInt batch_size, SymInt channels, SymInt height, SymInt width"
_CONVOLUTION = ("Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, SymInt stride_h, SymInt stride_w, "
                "SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt groups, SymInt offset_groups, "
                "bool use_mask")
_SCHEMAS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    f"roi_align(Tensor input, Tensor rois, {_BOX}, int sampling_ratio, bool aligned) -> Tensor",
    f"_roi_align_backward(Tensor grad, Tensor rois, {_BOX}, {_SIZE}, int sampling_ratio, bool aligned) -> Tensor",
    f"roi_pool(Tensor input, Tensor rois, {_BOX}) -> (Tensor, Tensor)",
    f"_roi_pool_backward(Tensor grad, Tensor rois, Tensor argmax, {_BOX}, {_SIZE}) -> Tensor",
    f"ps_roi_align(Tensor input, Tensor rois, {_BOX}, int sampling_ratio) -> (Tensor, Tensor)",
    f"_ps_roi_align_backward(Tensor grad, Tensor rois, Tensor channel_mapping, {_BOX}, int sampling_ratio, {_SIZE}) "
    "-> Tensor",
    f"ps_roi_pool(Tensor input, Tensor rois, {_BOX}) -> (Tensor, Tensor)",
    f"_ps_roi_pool_backward(Tensor grad, Tensor rois, Tensor channel_mapping, {_BOX}, {_SIZE}) -> Tensor",
    f"deform_conv2d({_CONVOLUTION}) -> Tensor",
    f"_deform_conv2d_backward(Tensor grad, {_CONVOLUTION}) -> (Tensor, Tensor, Tensor, Tensor, Tensor)",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qroi_align(Tensor input, Tensor rois, float input_scale, int input_zero_point, float rois_scale, int rois_zero_point, "
    f"{_BOX}, int sampling_ratio, bool aligned) -> Tensor",
    "box_iou_rotated(Tensor boxes1, Tensor boxes2) -> Tensor",
    "_cuda_version() -> int",
)
_AT_ONCE = 1 << 24  # elements of images that are gathered for boxes


def nms(dets, scores, iou_threshold):
    """Which boxes are left when each one that overlaps a better one is dropped: their numbers, the best first.

    Args:
        dets: a Tensor of shape (n, 4): x1, y1, x2, y2.
        scores: a Tensor of shape (n,).
        iou_threshold: the intersection over the union from which on a box is dropped.

    Returns:
        An int64 Tensor of one dimension.
    """
    _check(dets.dim() == 2, lambda: f"boxes should be a 2d tensor, got {dets.dim()}D")
    _check(dets.size(1) == 4, lambda: f"boxes should have 4 elements in dimension 1, got {dets.size(1)}")
    _check(scores.dim() == 1, lambda: f"scores should be a 1d tensor, got {scores.dim()}D")
    _check(dets.size(0) == scores.size(0), lambda: "boxes and scores should have same number of elements in dimension 0, "
                                                   f"got {dets.size(0)} and {scores.size(0)}")
    boxes = dets.detach().cpu().numpy()
    order = scores.detach().sort(stable=True, descending=True).indices.cpu().numpy()
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    kept = []
    while order.size:
        best, order = order[0], order[1:]
        kept.append(best)
        corner = np.maximum(boxes[best, :2], boxes[order, :2])
        sides = np.maximum(np.minimum(boxes[best, 2:], boxes[order, 2:]) - corner, 0)
        shared = sides[:, 0] * sides[:, 1]
        with np.errstate(invalid="ignore"):  # a box of no area with itself
            order = order[~(shared / (areas[best] + areas[order] - shared) > np.float64(iou_threshold))]
    return _api.tensor(np.array(kept, np.int64), device=dets.device)


def roi_align(x, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned):
    """Boxes of images, resized: the mean of bilinear samples in each cell of a grid.

    A sample's weights are a product of one for its row and one for its column, so a box is a product of its rows' weights,
    its image and its columns' weights.

    Args:
        x: images, a Tensor of shape (n, c, height, width).
        rois: a Tensor of shape (k, 5): the number of an image, x1, y1, x2, y2.
        spatial_scale: what the boxes' coordinates are multiplied by.
        pooled_height, pooled_width: the grid.
        sampling_ratio: samples along each side of a cell; what a cell has pixels if it is not above 0.
        aligned: whether coordinates are of pixels' middles.

    Returns:
        A Tensor of shape (k, c, pooled_height, pooled_width).
    """
    _check(rois.size(1) == 5, lambda: "rois must have shape as Tensor[K, 5]")
    _check(x.dtype is rois.dtype, lambda: "Expected tensor for input to have the same type as tensor for rois; but type "
                                          f"{x.dtype} does not equal {rois.dtype}")
    corners = rois[:, 1:] * spatial_scale - (0.5 if aligned else 0.0)
    rows = _weights(corners[:, 1], corners[:, 3], pooled_height, x.shape[2], sampling_ratio, aligned)
    columns = _weights(corners[:, 0], corners[:, 2], pooled_width, x.shape[3], sampling_ratio, aligned)
    numbers = rois[:, 0].to(dt.int64)
    step = max(1, _AT_ONCE // max(1, x[0].numel()))
    found = [_api.einsum("kph,kchw,kqw->kcpq", rows[i:i + step], x[numbers[i:i + step]], columns[i:i + step])
             for i in range(0, max(1, rois.shape[0]), step)]
    return found[0] if len(found) == 1 else _api.cat(found)


def _weights(start, end, cells: int, pixels: int, sampling_ratio: int, aligned: bool):
    """(box, cell, pixel): the weight that a pixel of a line has in a cell."""
    length = end - start if aligned else (end - start).clamp(min=1.0)
    length = length[:, None, None] / cells
    count = length.ceil() if sampling_ratio <= 0 else _api.full_like(length, sampling_ratio)
    most = sampling_ratio if sampling_ratio > 0 else max(1, int(count.max())) if count.numel() else 1
    sample = _api.arange(most, dtype=start.dtype, device=start.device)
    cell = _api.arange(cells, dtype=start.dtype, device=start.device)[:, None]
    places = start[:, None, None] + cell * length + (sample + 0.5) * length / count
    counts = (sample < count) & (places >= -1) & (places <= pixels)
    pixel = _api.arange(pixels, dtype=start.dtype, device=start.device)
    near = (1 - (places.clamp(0, pixels - 1)[..., None] - pixel).abs()).clamp(min=0)
    return _api.where(counts[..., None], near, 0).sum(2) / count.clamp(min=1)


def define() -> None:
    """Makes the operators ``torch.ops.torchvision``."""
    computed = {"nms": nms, "roi_align": roi_align}
    for schema in _SCHEMAS:
        operator = Operator("torchvision", schema, opaque=False)
        operator.composite = computed.get(operator.name)
        ops.register(operator)
        registry.add(operator)
    registry.set_kernel(registry.find("torchvision::_cuda_version"), None, lambda: -1)


ops.libraries.update({"torchvision/_C": define, "torchvision/_C_stable": define})
