"""torchvision's operators, which are C++ in its wheels: what `torch.ops.load_library` makes of its shared library.

`nms`, pools of regions (`regions.py`) and `deform_conv2d` (`deformable.py`) are computed, and have the gradients of what
they call. The others are defined, and refuse when they are called: torchvision gives rules to all when it is imported.
"""

import numpy as np

from torchlike import _api, ops
from torchlike._api.checks import _check
from torchlike._library import regions, registry
from torchlike._library.deformable import deform_conv2d
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


def define() -> None:
    """Makes the operators ``torch.ops.torchvision``."""
    computed = {"nms": nms, "deform_conv2d": deform_conv2d, **regions.POOLS}
    for schema in _SCHEMAS:
        operator = Operator("torchvision", schema, opaque=False)
        operator.composite = computed.get(operator.name)
        ops.register(operator)
        registry.add(operator)
    registry.set_kernel(registry.find("torchvision::_cuda_version"), None, lambda: -1)


ops.libraries.update({"torchvision/_C": define, "torchvision/_C_stable": define})
