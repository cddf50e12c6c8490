"""Cases of the cross entropy of a linear map. In pieces it has no second gradient and no tangent (tests/nn/test_linear_loss.py)."""

CASES = {
    "linear_cross_entropy": ["F.linear_cross_entropy(x(5, 3), x(4, 3), i(4, 5))", "F.linear_cross_entropy(x(3), x(4, 3), i(4), linear_bias=x(4), reduction='none')",
                             "F.linear_cross_entropy(x(5, 3), x(4, 2, 3), i(4, 5, 2), linear_bias=x(4, 2), weight=pos(4).detach(), ignore_index=1)",
                             "F.linear_cross_entropy(x(5, 3), x(4, 3), pos(5, 4), label_smoothing=.1)"],
}
SPECIAL: dict = {}
ERRORS = {
    "linear_cross_entropy": ["F.linear_cross_entropy(x(2, 5, 3), x(4, 3), i(4, 5))", "F.linear_cross_entropy(x(5, 3), x(3), i(4, 5))", "F.linear_cross_entropy(x(5, 3), x(4, 2), i(4, 5))",
                             "F.linear_cross_entropy(x(5, 3), x(4, 3), i(4, 5), linear_bias=x(3))", "F.linear_cross_entropy(x(3), x(4, 2, 3), i(4, 2))",
                             "F.linear_cross_entropy(x(5, 3), x(4, 3), pos(5, 4), ignore_index=1)", "torch.nn.LinearCrossEntropyOptions(acc_policy='foo')",
                             "torch.nn.LinearCrossEntropyOptions(batch_chunk_size=0)", "torch.nn.LinearCrossEntropyOptions(chunking_method='aspect_ratio:x')",
                             "F.linear_cross_entropy(x(5, 3), x(4, 3), i(4, 5), options=torch.nn.LinearCrossEntropyOptions(batch_chunk_size=3, chunking_method='aspect_ratio'))",
                             "torch.nn.LinearCrossEntropyLoss(3, 4, label_smoothing=2.)", "torch.nn.LinearCrossEntropyLoss(3, 4, weight=x(3))"],
}
