"""Cases of pooling."""

CASES = {
    "max_pool2d_with_indices": [
        "F.max_pool2d(x(2, 3, 7, 8), 2)", "F.max_pool2d(x(2, 3, 7, 8), (3, 2), 2, 1)", "F.max_pool2d(x(3, 7, 8), 2, return_indices=True)",
        "F.max_pool2d(x(2, 3, 7, 8), 2, 1, 0, 2)", "F.max_pool2d(x(2, 3, 7, 8), 2, ceil_mode=True)", "F.max_pool2d(x(2, 3, 7, 8), 3, 3, 1, ceil_mode=True)",
        "F.max_pool1d(x(2, 3, 8), 3, 2, 1)", "F.max_pool1d(x(3, 8), 2, return_indices=True)"],
    "max_pool3d_with_indices": ["torch.max_pool3d(x(2, 2, 4, 5, 4), 2)", "torch.max_pool3d(x(2, 4, 5, 4), 3, 2, 1)"],
    "avg_pool2d": ["F.avg_pool2d(x(2, 3, 7, 8), 2)", "F.avg_pool2d(x(2, 3, 7, 8), (3, 2), 2, 1)", "F.avg_pool2d(x(3, 7, 8), 3, 2, 1, True, False)",
                   "F.avg_pool2d(x(2, 3, 7, 8), 2, divisor_override=3)", "F.avg_pool1d(x(2, 3, 8), 3, 2, 1)"],
    "avg_pool3d": ["F.avg_pool3d(x(2, 2, 4, 5, 4), 2)", "F.avg_pool3d(x(2, 4, 5, 4), 3, 2, 1, True, False)"],
    "adaptive_max_pool2d": ["F.adaptive_max_pool2d(x(2, 3, 7, 8), 3)", "F.adaptive_max_pool1d(x(2, 3, 8), 3)", "F.adaptive_max_pool2d(x(2, 7, 8), (7, 2))"],
    "adaptive_max_pool3d": ["F.adaptive_max_pool3d(x(2, 2, 4, 5, 4), 2)", "F.adaptive_max_pool3d(x(2, 2, 4, 5, 4), (3, 5, 1))"],
    "adaptive_avg_pool2d": ["F.adaptive_avg_pool2d(x(2, 3, 7, 8), 3)", "F.adaptive_avg_pool2d(x(2, 3, 7, 8), 1)",
                            "F.adaptive_avg_pool2d(x(3, 6, 8), (3, 4))", "F.adaptive_avg_pool1d(x(2, 3, 8), 3)"],
    "max_unpool2d": ["F.max_unpool2d(*F.max_pool2d(x(1, 2, 4, 4), 2, return_indices=True), 2)"],
}
SPECIAL = {
    "max_pool2d_with_indices": ["F.max_pool2d(t([[[1., 1., 1.], [1., 1., 1.], [1., 1., 1.]]]), 2, 1)",
                                "F.max_pool2d(t([[[1., float('nan'), 1.], [1., 1., 1.], [float('nan'), 1., 1.]]]), 3)",
                                "F.max_pool2d(t([[[-float('inf'), -float('inf')], [-float('inf'), -float('inf')]]]), 2, 1, 1)"],
    "adaptive_max_pool2d": ["F.adaptive_max_pool2d(t([[[1., 1., 1.], [1., 1., 1.], [1., 1., 1.]]]), 2)"],
}
ERRORS = {
    "max_pool2d_with_indices": [
        "F.max_pool2d(x(2, 3), 2)", "F.max_pool2d(x(1, 3, 8, 8), (2, 3, 4))", "F.max_pool2d(x(1, 3, 8, 8), 2, padding=2)",
        "F.max_pool2d(x(1, 3, 8, 8), 0)", "F.max_pool2d(x(1, 3, 2, 2), 3)", "F.max_pool2d(x(1, 0, 8, 8), 2)", "F.max_pool1d(x(3), 2)",
        "F.max_pool1d(x(1, 3, 2), 3)"],
    "avg_pool2d": ["F.avg_pool2d(x(2, 3), 2)", "F.avg_pool2d(x(1, 3, 8, 8), 2, padding=2)", "F.avg_pool2d(x(1, 3, 8, 8), 2, divisor_override=0)",
                   "F.avg_pool2d(x(1, 3, 2, 2), 3)", "F.avg_pool1d(x(3), 2)"],
    "adaptive_avg_pool2d": ["F.adaptive_avg_pool2d(x(3, 3), 2)", "F.adaptive_avg_pool1d(x(3), 2)"],
    "adaptive_max_pool2d": ["F.adaptive_max_pool2d(x(3, 3), 2)"],
}
