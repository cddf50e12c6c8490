"""Initialisers and nn.utils against torch's, with the same seed."""

import pytest

from tests.nn import lines

INIT = [
    "init.uniform_(t, -1, 2)", "init.normal_(t, 1., 2.)", "init.constant_(t, .3)", "init.ones_(t)",
    "init.zeros_(t)", "init.eye_(t)", "init.xavier_uniform_(t)", "init.xavier_uniform_(t, gain=2.)",
    "init.xavier_normal_(t)", "init.kaiming_uniform_(t, a=5 ** .5)",
    "init.kaiming_uniform_(t, mode='fan_out', nonlinearity='relu')", "init.kaiming_normal_(t)",
    "init.kaiming_normal_(t, nonlinearity='tanh')", "init.trunc_normal_(t)",
    "init.trunc_normal_(t, 1., .5, .9, 3.)", "init.trunc_normal_(t, 0., 1., .2, .5)",
    "init.trunc_normal_(t, 0., 1., 2.5, 3.)", "init.orthogonal_(t)", "init.orthogonal_(t.t(), gain=2.)",
    "init.orthogonal_(c)", "init.sparse_(t, .3)", "init.dirac_(c)", "init.dirac_(c, 2)",
    "init.dirac_(torch.empty(2, 3, 4))", "init.dirac_(torch.empty(2, 3, 3, 1, 2))",
    "init.xavier_uniform_(c)", "init.kaiming_uniform_(torch.empty(0, 3))", "init.uniform(t)",
    "init.kaiming_normal(t)", "init.calculate_gain('conv2d'), init.calculate_gain('tanh')",
    "[init.calculate_gain(n) for n in ('linear', 'sigmoid', 'relu', 'leaky_relu', 'selu')]",
    "init.calculate_gain('leaky_relu', .2)",
    "init.uniform_(nn.Parameter(t)).grad_fn",
]

INIT_ERRORS = [
    "init.eye_(c)", "init.dirac_(t)", "init.dirac_(c, 3)", "init.xavier_normal_(torch.empty(3))",
    "init.kaiming_normal_(t, mode='x')", "init.calculate_gain('x')", "init.calculate_gain('leaky_relu', 'x')",
    "init.orthogonal_(torch.empty(3))", "init.sparse_(c, .1)",
]

UTILS = [
    "utils.clip_grad_norm_(m.parameters(), 1.), [p.grad for p in m.parameters()]",
    "utils.clip_grad_norm_(m.weight, .1, norm_type=1.), m.weight.grad",
    "utils.clip_grad_norm_(list(m.parameters()), 1., 'inf'), m.weight.grad",
    "utils.clip_grad_norm_([], 1.), utils.clip_grad_norm_(iter([]), 1.)",
    "utils.clip_grad_norm_((p for p in []), 1.)",
    "utils.clip_grad_norm_(m.parameters(), 100., foreach=False), m.weight.grad",
    "utils.clip_grad_norm(m.parameters(), 1.)",
    "utils.clip_grad_value_(m.parameters(), .5), m.weight.grad, m.bias.grad",
    "utils.get_total_norm([p.grad for p in m.parameters()]), utils.get_total_norm(torch.ones(4), 3.)",
    "utils.clip_grads_with_norm_(m.parameters(), 1., torch.tensor(4.)), m.weight.grad",
    "utils.parameters_to_vector(m.parameters())",
    "utils.vector_to_parameters(torch.arange(8.), m.parameters()), m.weight, m.bias",
    "r.pad_sequence([x(3, 2), x(1, 2)])",
    "r.pad_sequence([x(3), x(1)], batch_first=True, padding_value=9., padding_side='left')",
    "r.pad_sequence((x(2, 1, 2), x(2, 1, 2)), True)",
    "r.pack_padded_sequence(x(3, 2, 4), [3, 1])",
    "r.pack_padded_sequence(x(2, 3, 4), torch.tensor([1, 3]), batch_first=True, enforce_sorted=False)",
    "r.pad_packed_sequence(r.pack_sequence([x(3, 2), x(2, 2), x(1, 2)]))",
    "r.pad_packed_sequence(r.pack_sequence([x(1, 2), x(3, 2)], enforce_sorted=False), True, -1., 5)",
    "r.unpack_sequence(r.pack_sequence([x(1), x(3)], enforce_sorted=False))",
    "r.unpad_sequence(x(2, 3), torch.tensor([1, 2]), batch_first=True)",
    "r.pack_sequence([x(2)]).double().data.dtype, r.pack_sequence([x(2)]).is_cuda",
    "r.invert_permutation(torch.tensor([2, 0, 1])), r.invert_permutation(None)",
]

UTILS_ERRORS = [
    "m.weight.grad.mul_(float('inf')) is None or utils.clip_grad_norm_(m.parameters(), "
    "1., error_if_nonfinite=True)",
    "utils.vector_to_parameters(3, m.parameters())",
    "r.pack_padded_sequence(x(3, 2, 4), [1, 3])", "r.pack_padded_sequence(x(3, 2, 4), [3])",
    "r.pack_padded_sequence(x(3, 2, 4), [3, 0])", "r.pack_padded_sequence(x(0, 2, 4), [3, 0])",
    "r.pad_packed_sequence(r.pack_sequence([x(3, 2)]), total_length=2)", "r.pad_sequence(3)",
    "r.pad_sequence([])", "r.pad_sequence([x(1)], padding_side='up')", "r.PackedSequence(3)",
]

START = """
init, utils = nn.init, nn.utils
r = utils.rnn
t, c = torch.empty(5, 4), torch.empty(4, 3, 3, 2)
m = nn.Linear(3, 2)
m(torch.randn(4, 3)).pow(2).sum().backward()
"""


@pytest.mark.parametrize("value", INIT + UTILS)
def test_value(value):
    lines.works(START + value)


@pytest.mark.parametrize("value", INIT_ERRORS + UTILS_ERRORS)
def test_error(value):
    lines.fails(START + value)


@pytest.mark.parametrize("sequences", ["[x(3, 2), x(1, 2)]", "[x(1, 2), x(3, 2), x(2, 2)]"])
def test_gradient_through_packing(sequences):
    lines.works(f"""
xs = {sequences}
p = nn.utils.rnn.pack_sequence(xs, enforce_sorted=False)
out, lengths = nn.utils.rnn.pad_packed_sequence(p)
torch.autograd.grad((out ** 2 * torch.arange(1., out.numel() + 1).view_as(out)).sum(), xs)
""")
