"""Joining, repeating and turning: torchlike/_ops/indexing/joining.py and its faces."""

CASES = {
    "cat": [
        "torch.cat([x(2,3), x(1,3)])", "torch.cat((x(2,3), x(2,0), x(2,1)), -1)",
        "torch.cat([x(0), x(2,3)], 0)", "torch.cat([x(4)], 0)", "torch.concat([x(2), x(3)])",
        "torch.hstack([x(2,3), x(2,1)])", "torch.hstack([x(), x(2)])", "torch.vstack([x(3), x(2,3)])",
        "torch.dstack([x(2,3), x(2,3)])", "torch.dstack([x(3), x(3)])",
        "torch.column_stack([x(2), x(2,3)])", "torch.cat([x(2,3), i(5,2,3)], 1)", "torch.cat([x(0), x(0)])",
    ],
    "stack": [
        "torch.stack([x(2,3), x(2,3)])", "torch.stack([x(2,3), x(2,3)], -1)", "torch.stack([x(), x()])",
        "torch.stack([x(2,0)], 1)", "torch.stack([x(2), i(3,2)], 1)",
        "torch.cartesian_prod(x(2), x(3), x(1))", "torch.combinations(x(4))",
        "torch.combinations(x(4), 3, True)",
    ],
    "block_diag": [
        "torch.block_diag(x(2,3), x(), x(2))", "torch.block_diag(x(1,1))",
        "torch.block_diag(x(2,0), x(2,2))",
    ],
    "repeat": [
        "x(2,3).repeat(2,1,3)", "x(2,3).repeat((1,2))", "x().repeat(3)", "x(2).repeat(0,1)",
        "x(2,3).tile(2)", "torch.tile(x(2,3), (2,1,1))", "x(1,3).repeat(4,1)",
        "x(2,3).repeat_interleave(2)", "x(2,3).repeat_interleave(3, 1)",
        "torch.repeat_interleave(x(3,2), torch.tensor([1,0,2]), 0)",
        "torch.repeat_interleave(x(3,2), torch.tensor([2]), 0)", "torch.repeat_interleave(x(), 3)",
        "torch.repeat_interleave(torch.tensor([1,0,2]))", "x(2,3).repeat_interleave(1)",
    ],
    "flip": [
        "x(2,3).flip(0)", "x(2,3).flip(0,1)", "torch.flip(x(2,3,2), (-1,0))", "torch.flip(x(), [0])",
        "x(2,3).fliplr()", "torch.flipud(x(3))", "torch.flip(x(2,0), [1])", "torch.flip(x(3), [])",
    ],
    "roll": [
        "x(2,3).roll(1)", "torch.roll(x(2,3), (1,2), (0,1))", "torch.roll(x(5), -2, 0)",
        "torch.roll(x(0,2), 1, 0)", "torch.roll(x(), 1)", "torch.roll(x(2,3), 7, -1)",
    ],
    "rot90": [
        "x(2,3).rot90()", "torch.rot90(x(2,3), -1)", "torch.rot90(x(2,3,4), 2, [0,2])",
        "torch.rot90(x(2,3), 3, [1,0])",
    ],
    "meshgrid": [
        "torch.meshgrid(x(2), x(3), indexing='ij')", "torch.meshgrid(x(2), x(3), x(1), indexing='xy')",
        "torch.meshgrid([x(2), x()], indexing='xy')",
    ],
    "atleast": [
        "torch.atleast_1d(x())", "torch.atleast_2d(x(3))", "torch.atleast_3d(x(3))",
        "torch.atleast_3d(x(2,3), x())",
    ],
}

SPECIAL = {
    "cat": ["torch.cat([t([1.,2.])] * 2)"],
}

ERRORS = {
    "cat": [
        "torch.cat([])", "torch.cat([x(2), x(2,3)])", "torch.cat([x(2,2), x(2,3)])",
        "torch.cat([x(), x()])", "torch.cat([x(2), x(2)], 1)", "torch.cat(x(2,2))", "torch.cat([x(2), 1])",
        "torch.hstack([])", "torch.vstack([x(2), x(3)])", "torch.cat([torch.zeros(0,0), x(2,3)])",
    ],
    "stack": [
        "torch.stack([])", "torch.stack([x(2), x(3)])", "torch.stack([x(2), x(2)], 2)",
        "torch.cartesian_prod(x(2,2))", "torch.combinations(x(3), -1)",
    ],
    "block_diag": ["torch.block_diag(x(2,2,2))"],
    "repeat": [
        "x(2,3).repeat(2)", "x(2,3).repeat(2,-1)", "torch.repeat_interleave(x(3), -1)",
        "torch.repeat_interleave(x(3), torch.tensor([1,2]))",
        "torch.repeat_interleave(x(3), torch.tensor([1,2,-1]))", "torch.repeat_interleave(x(3), x(3))",
        "torch.repeat_interleave(x(3), 2, 0, output_size=4)", "torch.repeat_interleave(x(3), 2, 1)",
    ],
    "flip": ["x(2,3).flip(0,0)", "x(2,3).flip(2)", "torch.fliplr(x(2))", "torch.flipud(x())"],
    "roll": [
        "torch.roll(x(2,3), (1,2))", "torch.roll(x(2,3), (1,2), (0,))", "torch.roll(x(2,3), 1, 2)",
        "torch.roll(x(), 1, 0)", "torch.roll(x(2), ())",
    ],
    "rot90": ["x(2).rot90()", "x(2,3).rot90(1, [0])", "x(2,3).rot90(1, [0,0])", "x(2,3).rot90(1, [0,2])"],
    "meshgrid": [
        "torch.meshgrid(x(2), x(3), indexing='ab')", "torch.meshgrid(x(2), i(3,3), indexing='ij')",
        "torch.meshgrid(indexing='ij')",
    ],
}
