"""Cases of look-ups, padding, shuffles and sliding blocks."""

CASES = {
    "embedding": ["F.embedding(i(5, 2, 3), x(5, 4))", "F.embedding(i(5, 2, 3), x(5, 4), padding_idx=1)", "F.embedding(i(5), x(5, 4))",
                  "F.embedding(i(5, 4).int(), x(5, 4))"],
    "one_hot": ["F.one_hot(i(5, 2, 3), 6)", "F.one_hot(i(5, 2, 3))"],
    "constant_pad_nd": ["torch.constant_pad_nd(x(2, 3), (1, 2), 2)", "F.pad(x(2, 3), (1, -2, 1, 1), value=2)", "F.pad(x(2, 3), (0, 0))"],
    "reflection_pad1d": ["F.pad(x(2, 3, 4), (1, 2), 'reflect')", "F.pad(x(2, 3, 4, 4), (1, 2, 0, 1), 'reflect')", "F.pad(x(3, 4), (-1, 2), 'reflect')",
                         "F.pad(x(1, 2, 3, 4, 4), (1, 2, 0, 1, 1, 1), 'reflect')"],
    "replication_pad1d": ["F.pad(x(2, 3, 4), (1, 2), 'replicate')", "F.pad(x(2, 3, 4, 4), (1, -2, 0, 1), 'replicate')"],
    "circular_pad": ["F.pad(x(2, 3, 4), (1, 2), 'circular')", "F.pad(x(2, 3, 4, 4), (1, -2, 2, 1), 'circular')"],
    "pixel_shuffle": ["F.pixel_shuffle(x(1, 8, 3, 2), 2)", "F.pixel_shuffle(x(4, 3, 3), 2)"],
    "pixel_unshuffle": ["F.pixel_unshuffle(x(1, 2, 4, 6), 2)"],
    "channel_shuffle": ["torch.channel_shuffle(x(2, 6, 2, 2), 3)"],
    "im2col": ["F.unfold(x(2, 3, 5, 6), (2, 3), (1, 2), (1, 0), (2, 1))", "F.unfold(x(3, 5, 6), 2)"],
    "col2im": ["F.fold(x(2, 8, 9), (4, 4), 2)"],
}
SPECIAL: dict = {}
ERRORS = {
    "embedding": ["F.embedding(x(2), x(5, 3))", "F.embedding(i(3, 2), x(5))", "F.embedding(i(3, 2).short(), x(5, 3))"],
    "one_hot": ["F.one_hot(x(2))", "F.one_hot(i(3, 2) + 5, 3)", "F.one_hot(i(3, 2) - 5, 3)"],
    "constant_pad_nd": ["F.pad(x(2, 3), (1,))", "F.pad(x(2, 3), (1, 1, 1, 1, 1, 1))", "F.pad(x(2, 3), (-2, -2))"],
    "reflection_pad1d": ["F.pad(x(2, 3, 4), (5, 1), 'reflect')", "F.pad(x(2, 3), (1, 1, 1, 1), 'reflect')", "F.pad(x(2, 3, 4), (1, 1), 'foo')",
                         "F.pad(x(2, 3, 4), (1, 1), 'reflect', value=2.)"],
    "circular_pad": ["F.pad(x(2, 3, 4), (5, 1), 'circular')"],
    "pixel_shuffle": ["F.pixel_shuffle(x(1, 3, 2, 2), 2)", "F.pixel_shuffle(x(2, 2), 2)", "F.pixel_shuffle(x(1, 4, 2, 2), 0)"],
    "pixel_unshuffle": ["F.pixel_unshuffle(x(1, 1, 3, 4), 2)", "F.pixel_unshuffle(x(1, 1, 4, 3), 2)"],
    "channel_shuffle": ["torch.channel_shuffle(x(1, 3, 2, 2), 2)"],
    "im2col": ["F.unfold(x(1, 2, 3, 3), 4)", "F.fold(x(1, 8, 9), (5, 5), 2)", "F.fold(x(1, 7, 9), (4, 4), 2)"],
}
