"""Cases of connectionist temporal classification. torch has no second gradient: `SPECIAL` takes the first only."""

_X, _T = "x(6, 2, 4).log_softmax(2)", "torch.tensor([[1, 2, 2], [3, 1, 0]])"
CASES = {"ctc_loss": [f"F.ctc_loss({_X}, {_T}, (6, 5), (3, 2)).detach()", f"torch.ctc_loss({_X}.detach(), {_T}, [6, 5], [3, 2])"]}
SPECIAL: dict = {
    "ctc_loss": [f"F.ctc_loss({_X}, {_T}, (6, 5), (3, 2))", f"F.ctc_loss({_X}, {_T}, torch.tensor([6, 5]), torch.tensor([3, 2]), reduction='sum')",
                 f"F.ctc_loss({_X}, torch.tensor([1, 2, 2, 3, 1]), (6, 5), (3, 2), reduction='none')",
                 f"F.ctc_loss({_X}, {_T} * 1, (3, 5), (3, 2), reduction='none')", f"F.ctc_loss({_X}, {_T}, (3, 5), (3, 2), reduction='none', zero_infinity=True)",
                 f"F.ctc_loss({_X}, {_T}, (6, 5), (0, 2))", f"F.ctc_loss({_X}, {_T}, (0, 5), (0, 2), reduction='sum')", f"F.ctc_loss({_X}, {_T}, (0, 5), (1, 2), zero_infinity=True)",
                 "F.ctc_loss(x(6, 4).log_softmax(1), torch.tensor([1, 2, 2]), torch.tensor(6), torch.tensor(3), reduction='none')",
                 "F.ctc_loss(x(6, 4).log_softmax(1), torch.tensor([1, 2, 2]), (6,), (3,))", f"F.ctc_loss({_X}, {_T}, (6, 5), (3, 2), blank=3)",
                 "F.ctc_loss(x(6, 2, 4), torch.tensor([[1, 2, 2], [3, 1, 0]]).int(), (6, 5), (3, 2))", f"F.ctc_loss({_X}, torch.tensor([], dtype=torch.long), (6, 5), (0, 0), reduction='sum')",
                 f"F.ctc_loss({_X} + torch.tensor([0., 0., 0., -inf]), torch.tensor([[1, 2, 2], [2, 1, 0]]), (6, 5), (3, 2))",
                 "F.ctc_loss(x(30, 3, 7).log_softmax(2), torch.randint(1, 7, (3, 12)).clamp(2, 2), (30, 25, 26), (12, 3, 11), reduction='sum')", f"F.ctc_loss({_X}, {_T}, (1, 5), (1, 2), reduction='none')"],
}
ERRORS = {
    "ctc_loss": [f"F.ctc_loss({_X}, {_T}, (6,), (3, 2))", f"F.ctc_loss({_X}, {_T}, (6, 5), (3,))", f"F.ctc_loss({_X}, {_T}, (7, 5), (3, 2))",
                 f"F.ctc_loss({_X}, {_T}, (6, 5), (4, 2))", f"F.ctc_loss({_X}, {_T}, (6, 5), (3, -1))", f"F.ctc_loss({_X}, {_T}, (6, -5), (3, 2))",
                 f"F.ctc_loss({_X}, torch.tensor([1, 2]), (6, 5), (3, 2))", f"F.ctc_loss({_X}.half(), {_T}, (6, 5), (3, 2))", f"F.ctc_loss({_X}, {_T}, (6, 5), (3, 2), blank=4)",
                 f"F.ctc_loss({_X}, {_T}[:1], (6, 5), (3, 2))", f"F.ctc_loss({_X}, {_T}[None], (6, 5), (3, 2))", f"F.ctc_loss({_X}, {_T}, torch.tensor([6., 5.]), torch.tensor([3, 2]))",
                 f"F.ctc_loss({_X}, {_T}, torch.tensor([6, 5]), torch.tensor([3., 2.]))", f"F.ctc_loss({_X}[:0], {_T}, (0, 0), (0, 0))", "F.ctc_loss(x(4), i(3, 2), (4,), (2,))",
                 f"F.ctc_loss({_X}, {_T}, (6, 5), (3, 2), reduction='foo')", f"F.ctc_loss({_X}, {_T}, torch.tensor([6, 5]), [3, 2])",
                 f"F.ctc_loss({_X} + 0j, {_T}, (6, 5), (3, 2))"],
}
