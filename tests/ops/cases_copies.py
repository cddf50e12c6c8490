"""Views as copies and resized images, as far as the operator database has no samples: torchlike/_ops/indexing/view_copies.py, upsample.py."""

# (PyTorch refuses complex results with history of select_copy and slice_copy.)
CASES = {
    "detach_copy": [],
    "select_copy.int": ["torch.select_copy(x(2,3).detach(), 0, 1)", "torch.select_copy(x(2,3).detach(), -1, -1)"],
    "slice_copy.Tensor": ["torch.slice_copy(x(4,3).detach(), 0, 1, 3)", "torch.slice_copy(x(4,3).detach(), 1, None, None, 2)"],
    "split_copy.Tensor": ["torch.split_copy(x(4,3), 3)", "torch.split_copy(x(4,3), 2, 1)"],
    "unsafe_split_with_sizes": ["torch.unsafe_split_with_sizes(x(4,3), [1, 3])", "x(4,3).unsafe_split_with_sizes([3], 1)"],
    "view_as_real_copy": ["torch.view_as_real_copy(z(3))"],
    "upsample_nearest1d": ["F.interpolate(x(1,2,5), 3)", "F.interpolate(x(1,2,5), scale_factor=2.5)"],
    "upsample_nearest2d": ["F.interpolate(x(1,2,3,4), (5,3))", "F.upsample_nearest(x(1,1,3,3), scale_factor=2)"],
    "upsample_nearest3d": ["F.interpolate(x(1,1,2,3,2), (3,2,4))"],
    "upsample_linear1d": ["F.interpolate(x(1,2,5), 3, mode='linear')",
                          "F.interpolate(x(1,2,5), 8, mode='linear', align_corners=True)"],
    "upsample_bilinear2d": ["F.interpolate(x(1,2,3,4), (5,3), mode='bilinear')",
                            "F.interpolate(x(1,1,3,4), scale_factor=(1.5,2), mode='bilinear', recompute_scale_factor=True)",
                            "F.interpolate(x(1,1,6,6), (3,2), mode='bilinear', antialias=True)"],
    "upsample_bicubic2d": ["F.interpolate(x(1,1,4,4), (6,3), mode='bicubic')",
                           "F.interpolate(x(1,1,6,6), (3,2), mode='bicubic', antialias=True)"],
    "upsample_trilinear3d": ["F.interpolate(x(1,1,2,3,2), (3,2,4), mode='trilinear')"],
}
