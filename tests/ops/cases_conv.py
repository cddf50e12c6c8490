"""Cases of convolution."""

CASES = {
    "convolution": ["torch.convolution(x(2, 3, 5, 5), x(4, 3, 3, 3), x(4), (2, 1), (1, 0), (1, 2), False, (0, 0), 1)",
                    "torch.convolution(x(2, 4, 4, 5), x(4, 3, 3, 2), x(6), (2, 3), (1, 0), (1, 2), True, (1, 2), 2)"],
    "conv1d": ["F.conv1d(x(2, 3, 8), x(4, 3, 3), x(4), 2, 1)", "F.conv1d(x(3, 8), x(4, 3, 3))"],
    "conv2d": ["F.conv2d(x(2, 3, 6, 6), x(4, 3, 3, 3), x(4), 2, 1)", "F.conv2d(x(2, 12, 4, 4), x(3, 12, 3, 3), None, 1, 1)",
               "F.conv2d(x(2, 3, 6, 6), x(4, 3, 3, 3), padding='same', dilation=2)", "F.conv2d(x(2, 3, 6, 6), x(4, 3, 2, 2), padding='same')",
               "F.conv2d(x(2, 4, 5, 5), x(4, 1, 3, 3), x(4), groups=4)", "F.conv2d(x(1, 33, 4, 4), x(2, 33, 3, 3), padding=1)",
               "F.conv2d(x(1, 4, 4, 4), x(2, 4, 1, 1))", "F.conv2d(x(0, 3, 4, 4), x(2, 3, 3, 3))"],
    "conv3d": ["F.conv3d(x(2, 3, 4, 4, 4), x(4, 3, 2, 2, 2), x(4))"],
    "conv_transpose2d": ["F.conv_transpose1d(x(2, 3, 5), x(3, 4, 3), x(4), 2, 1, 1)",
                         "F.conv_transpose2d(x(2, 4, 4, 4), x(4, 3, 3, 3), x(6), 2, 1, 1, 2)"],
}
SPECIAL: dict = {}
ERRORS = {
    "conv2d": [
        "F.conv2d(x(2, 3, 8, 8), x(4, 2, 3, 3))", "F.conv2d(x(3, 8), x(4, 3, 3, 3))", "F.conv2d(x(2, 3, 2, 2), x(4, 3, 3, 3))",
        "F.conv2d(x(2, 3, 8, 8), x(4, 3, 3, 3), x(5))", "F.conv2d(x(2, 3, 8, 8), x(4, 3, 3, 3), stride=0)",
        "F.conv2d(x(2, 3, 8, 8), x(4, 3, 3, 3), padding=-1)", "F.conv2d(x(2, 3, 8, 8), x(4, 3, 3, 3), dilation=0)",
        "F.conv2d(x(2, 3, 8, 8), x(4, 3, 3, 3), groups=2)", "F.conv2d(x(2, 4, 8, 8), x(3, 2, 3, 3), groups=2)",
        "F.conv2d(x(2, 3, 8, 8), x(4, 3, 3, 3).double())", "F.conv2d(x(2, 3, 8, 8), x(4, 3, 3, 3), padding='foo')",
        "F.conv2d(x(2, 3, 8, 8), x(4, 3, 3, 3), padding='same', stride=2)", "F.conv2d(x(2, 3, 8, 8), x(4, 3, 3, 3), stride=(1, 2, 3))"],
    "conv_transpose2d": ["F.conv_transpose2d(x(2, 3, 8, 8), x(4, 3, 3, 3))",
                         "F.conv_transpose2d(x(2, 3, 8, 8), x(3, 4, 3, 3), stride=2, output_padding=2)",
                         "F.conv_transpose2d(x(2, 3, 8, 8), x(3, 4, 3, 3), x(3))"],
}
