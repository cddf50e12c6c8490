"""Functions of many corners that are made of other operators: values, gradients, errors and texts, against torch's."""

import pytest

from tests.nn import lines

_LOSSES = ["kl_div(x(3, 4), x(3, 4), {})", "poisson_nll_loss(x(3), x(3), True, False, 1e-8, {})",
           "cosine_embedding_loss(x(3, 4), x(3, 4), torch.tensor([1., -1., 1.]), .1, {})",
           "hinge_embedding_loss(x(3), torch.tensor([1., -1., 1.]), .5, {})",
           "margin_ranking_loss(x(3), x(3), x(3), .5, {})",
           "triplet_margin_loss(x(2, 3), x(2, 3), x(2, 3), 1., 2, 1e-6, True, {})"]
_GATES = {"rnn_tanh": 1, "rnn_relu": 1, "gru": 3, "lstm": 4}

FUNCTIONS = [
    *(f"torch.{loss.format(number)}" for loss in _LOSSES for number in (0, 1, 2)),
    "torch.conv_tbc(x(5, 2, 3), x(2, 3, 4), x(4), 1), F.conv_tbc(x(5, 2, 3), x(2, 3, 4), x(4))",
    "torch.conv_tbc(x(5, 2), x(2, 3, 4), x(4))", "torch.conv_tbc(x(5, 2, 3), x(2, 3, 4), x(3))",
    "torch.conv_tbc(x(5, 2, 3), x(2, 2, 4), x(4))",
    "torch.native_channel_shuffle(x(1, 4, 2, 2), 2), F.native_channel_shuffle(x(1, 6, 2), 3)",
    "torch.native_dropout(torch.ones(9), .5, True), torch.native_dropout(torch.ones(9), .5, False)",
    "torch.native_dropout(torch.ones(9), .3, None)",
    "torch.norm_except_dim(x(2, 3)), torch.norm_except_dim(x(2, 3, 2), 1, 1), torch.norm_except_dim(x(2, 3), 2, -1)",
    "torch.frobenius_norm(x(2, 3), [1]), torch.frobenius_norm(x(2, 3), [0, 1], True)",
    "torch.nuclear_norm(x(2, 3)), torch.nuclear_norm(x(2, 3), (0, 1), True)",
    "torch.view_as_complex_copy(torch.ones(3, 2))",
    "w = torch.randn(5, 3) * 4\ntorch.embedding_renorm_(w, torch.tensor([1, 2, 1]), 1., 2.), w",
    *(f"torch.{name}_cell(x(2, 3), {'(x(2, 4), x(2, 4))' if name == 'lstm' else 'x(2, 4)'}, "
      f"x({4 * gates}, 3), x({4 * gates}, 4), x({4 * gates}), x({4 * gates}))" for name, gates in _GATES.items()),
    *(f"m = nn.{name}(3, 4, 2, bidirectional=True)\nh = torch.zeros(4, 2, 4)\n"
      f"torch.{name.lower()}(x(5, 2, 3), {'(h, h)' if name == 'LSTM' else 'h'}, list(m.parameters()), "
      "True, 2, 0., False, True, False)" for name in ("LSTM", "GRU")),
    "m = nn.RNN(3, 4, 1, bias=False)\ntorch.rnn_tanh(x(2, 5, 3), torch.zeros(1, 2, 4), list(m.parameters()), False, 1, 0., "
    "True, False, True)",
    "m = nn.LSTM(3, 4, 2, proj_size=2)\ntorch.lstm(x(5, 2, 3), (torch.zeros(2, 2, 2), torch.zeros(2, 2, 4)), "
    "list(m.parameters()), True, 2, 0., False, False, False)",
    "m = nn.GRU(3, 4)\ntorch.gru(x(5, 3), torch.tensor([3, 2]), torch.zeros(1, 3, 4), list(m.parameters()), True, 1, 0., "
    "False, False)",
    "torch.orgqr(*torch.geqrf(x(3, 3).detach())).abs(), torch.geqrf(torch.eye(3))[0].orgqr(torch.zeros(3))",
]

METHODS = [
    "a = torch.arange(6.)\na.split(split_size=4), a.split(4, dim=0), a.split((1, 5)), torch.split(a, split_size_or_sections=5)",
    "torch.rand(size=(2, 3)), torch.randn(size=[2]), torch.rand((2, 1)), torch.randn(3, 1), torch.rand(size=torch.Size([2]))",
    "z = torch.ones(2, dtype=torch.complex64)\nz.real = torch.zeros(2)\nz.imag = 3\nz, z._version",
    "z = torch.ones(2)\nz.real = torch.zeros(2)\nz", "z = torch.ones(2)\nz.imag = 1",
    "a = torch.ones(2)\na.is_xpu, a.is_mps, a.is_mtia, a.is_ipu, a.is_xla, a.is_vulkan, a.is_maia, a.is_meta",
    "issubclass(torch.linalg.LinAlgError, RuntimeError), torch.linalg.LinAlgError.__name__",
    "torch.linalg.cholesky(-torch.eye(2))",
    "a = torch.arange(6.).view(2, 3)\na.view(dtype=torch.int32), a.view(3, 2)",
    "a = torch.arange(6.).view(2, 3)\na.clone().apply_(lambda v: v * 2), a.clone().map_(torch.ones(3), lambda p, q: p - q), "
    "a.clone().map2_(a, a, lambda p, q, r: p + q * r)",
    "torch.ones(2, dtype=torch.int).apply_(lambda v: 2.5)", "torch.ones(2).apply_(3)", "x(2).apply_(abs)",
    "torch.ones(2).map_(torch.ones(2).long(), max)", "torch.ones(2).map_(3, max)", "torch.ones(2).map_(x(2), max)",
    "torch.zeros(4, 3).fill_diagonal_(5), torch.zeros(3, 7).fill_diagonal_(5, True), torch.zeros(2, 2, 2).fill_diagonal_(5)",
    *(f"torch.zeros({rows}, 3).fill_diagonal_(5, wrap=True)" for rows in (3, 4, 5, 7, 9)),
    "torch.zeros(3).fill_diagonal_(5)", "torch.zeros(2, 3, 3).fill_diagonal_(5)",
    "a = x(3, 3)\nb = (a * 2).fill_diagonal_(4)\nb.sum().backward()\na.grad, type(b.grad_fn).__name__",
    "torch.ones(3).float_power_(2)", "torch.ones(3).double().mul(3).float_power_(torch.tensor([1, 2, 3]))",
    "torch.ones(3).double().float_power_(2j)", "torch.ones(3, dtype=torch.complex64).float_power_(2)",
    "a = x(3).double()\nb = (a * 2).float_power_(3)\nb, type(b.grad_fn).__name__, torch.autograd.grad(b.sum(), a)",
    "torch.tensor([1., 2.]).polygamma_(1)", "torch.tensor([1, 2]).polygamma_(1)",
    "a = x(3)\nb = (a * 2).polygamma_(2)\nb, type(b.grad_fn).__name__, torch.autograd.grad(b.sum(), a)",
    "a = torch.arange(6.)\na.as_strided_((2, 2), (1, 2)), a.shape, torch.as_strided_(torch.arange(6.), (2,), (2,), 1)",
    "a = x(6)\nb = (a * 2).as_strided_((2, 2), (1, 2))\nb, torch.autograd.grad(b.pow(2).sum(), a)",
    "torch.ones(2).module_load(nn.Parameter(torch.zeros(2))), torch.ones(2).module_load(torch.zeros(2), assign=True)",
    "torch.tensor([1.]).is_nonzero(), torch.is_nonzero(torch.tensor([[0]]))", "torch.ones(2).is_nonzero()",
    "torch.ones(2, 3).dim_order(), torch.ones(2, 3).t().dim_order(ambiguity_check=True), torch.ones(1, 2, 1).expand(3, 2, 1).dim_order()",
    "torch.ones(1, 2, 3, 4).to(memory_format=torch.channels_last).dim_order()", "torch.ones(1, 2, 1).dim_order(ambiguity_check=True)",
    "torch.ones(1, 2, 3, 4).dim_order(ambiguity_check=[torch.contiguous_format, torch.channels_last])", "torch.ones(1).dim_order(ambiguity_check=3)",
    "torch.ones(1, 2, 1, 1).dim_order(ambiguity_check=[torch.contiguous_format, torch.channels_last])",
    "[torch.ones(*shape).to(memory_format=torch.channels_last).stride() for shape in ((2, 1, 3, 4), (2, 3, 1, 1), (0, 3, 2, 2))]",
    "a = torch.ones(2, 3).t()\na.to(memory_format=torch.contiguous_format) is a",
    "a = torch.ones(1, 2, 3, 4).double()\n[f(a, memory_format=torch.channels_last).stride() for f in (torch.zeros_like, torch.ones_like)]",
    "torch.full_like(torch.ones(1, 2, 3, 4), 2, memory_format=torch.channels_last).stride()",
    "a = torch.zeros(2, 3)\ntorch.vmap(lambda a, p: a.bernoulli_(p), randomness='same')(a, torch.ones(2, 3))",
    "torch.tensor([1j, 0]).bool(), torch.zeros(1, dtype=torch.bool).copy_(torch.tensor([1j]))",
    "torch.zeros(2, dtype=torch.bool).masked_fill(torch.tensor([True, False]), torch.tensor(1j))",
    "torch.zeros(2, dtype=torch.int8).masked_fill(torch.tensor([True, False]), torch.tensor(1j))",
    "a = torch.ones(3)\na.const_data_ptr() == a.data_ptr(), a.get_device(), torch.get_device(a), torch.is_signed(a)",
]

OLD_CONSTRUCTORS = [
    "torch.Tensor([1, 2]), torch.Tensor(2, 3).shape, torch.Tensor(torch.Size([2])).shape, torch.Tensor()", "torch.Tensor((2, 3))",
    "torch.Tensor(torch.tensor([1])), torch.Tensor([True, 2])",
    "torch.Tensor(2.5)", "torch.Tensor('a')", "torch.Tensor(None)",
    "torch.LongTensor([1, 2.7]), torch.LongTensor(2, 3).shape, torch.FloatTensor(torch.ones(2))",
    "torch.FloatTensor(range(3))",
    "torch.FloatTensor(torch.ones(2).numpy()), torch.BoolTensor([0, 1, 2]), torch.HalfTensor([3]), torch.ByteTensor([3])",
    "torch.LongTensor(torch.ones(2))", "torch.ShortTensor(torch.ones(2))", "torch.FloatTensor(3.)", "torch.ByteTensor([-1])",
    "isinstance(x(2), torch.FloatTensor), isinstance(x(2), torch.LongTensor), repr(torch.FloatTensor)",
    "x(2).type(torch.LongTensor).dtype, x(2).type(torch.DoubleTensor).dtype",
    "torch.typename(x(2)), torch.typename(nn.Linear), torch.typename(3)",
    "torch.set_default_tensor_type('torch.DoubleTensor')\na = torch.ones(1).dtype\n"
    "torch.set_default_tensor_type(torch.FloatTensor)\na, torch.ones(1).dtype",
    "torch.set_default_tensor_type(torch.IntTensor)", "torch.set_default_tensor_type(3)",
]

SETTINGS = [
    "torch.set_default_device('meta')\na = [torch.zeros(2).device, torch.get_default_device(), torch.full((1,), 2).device, "
    "torch.arange(2).device]\ntorch.set_default_device(None)\na, torch.zeros(2).device",
    "with torch.device('meta'):\n    a = torch.zeros(2).device\na, torch.zeros(2).device, torch.get_default_device()",
    "torch.set_deterministic_debug_mode('warn')\na = (torch.get_deterministic_debug_mode(), "
    "torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled())\n"
    "torch.use_deterministic_algorithms(True)\nb = torch.get_deterministic_debug_mode()\n"
    "torch.use_deterministic_algorithms(False)\na, b, torch.get_deterministic_debug_mode()",
    *(f"torch.set_deterministic_debug_mode({mode})" for mode in ("3", "'x'", "1.")),
    "torch.is_storage(3), torch.has_lapack, torch.has_spectral",
]

_A = "a = torch.tensor([1., 2., 3.])\n"
CLOSE = [_A + f"torch.testing.assert_close({arguments})" for arguments in (
    "a, a + 1e-3", "a, a + torch.tensor([0, 1e-3, 0])", "torch.tensor(1.), torch.tensor(1.5)", "a, a.double()",
    "a, a.double(), check_dtype=False", "a, a[:2]", "a, [1., 2., 3.]", "[a, a], [a, a + 1]", "{'a': a}, {'a': a + 1}",
    "{'a': a}, {'b': a}", "[a], [a, a]", "1.0, 1.1", "1, 2", "1, 1.", "True, False", "None, 1", "None, None", "'a', 'a'",
    "a, a + 1, rtol=0.1", "a, a + 1, rtol=0., atol=.5", "a, a + 1, atol=.5", "torch.tensor([1, 2]), torch.tensor([1, 3])",
    "torch.tensor([True, False]), torch.tensor([True, True])", "a * float('nan'), a * float('nan')",
    "a * float('nan'), a * float('nan'), equal_nan=True", "a, a + 1, msg='foo'", "a, a + 1, msg=lambda m: 'pre ' + m",
    "torch.tensor([1+1j]), torch.tensor([1+2j])", "torch.ones(2, 2), torch.zeros(2, 2)", "1., float('nan')", "1j, 2j",
    "torch.ones(2, 3).t(), torch.ones(3, 2), check_stride=True", "a, torch.zeros(3, device='meta')",
    "torch.tensor([1]), torch.tensor([2], dtype=torch.int32), check_dtype=False", "torch.ones(0), torch.ones(0)",
    "a, a.numpy()", "{1: [a, (a,)]}, {1: [a, (a + 1,)]}", "a.numpy(), a.numpy() + 1", "[1, 2], (1, 2)", "[1., 2.], [1., 2.5]",
    "a.half(), a.half() + 1", "torch.tensor([float('inf')]), torch.tensor([-float('inf')])", "float('inf'), float('inf')",
    "0., 1.", "a, None", "nn.Parameter(a), a", "1., a", "torch.tensor(float('nan')), torch.tensor(1.)",
    "1, 1.5, check_dtype=False", "torch.tensor(1), torch.tensor(3)", "[[1, a]], [[1, a], 2]",
    "torch.ones(2, 2, dtype=torch.int64), torch.ones(2, 2, dtype=torch.int64) * 5, rtol=.1, atol=1",
    "torch.tensor([255], dtype=torch.uint8), torch.tensor([1], dtype=torch.uint8)", "a.bfloat16(), a.bfloat16() * 2")]
MADE = [f"t = torch.testing.make_tensor({arguments}, device='cpu')\nt, t.stride()" for arguments in (
    *(f"4, dtype=torch.{name}" for name in ("float32", "int64", "bool", "uint8", "bfloat16", "float16", "float64", "int8")),
    "2, 2, dtype=torch.complex64, low=-1, high=2", "(3, 4), dtype=torch.float32, noncontiguous=True", "(), dtype=torch.float32",
    "3, dtype=torch.float32, requires_grad=True", "3, dtype=torch.int32, requires_grad=True", "3, dtype=torch.int32, low=5, high=5",
    "3, dtype=torch.float32, low=float('nan'), high=4", "2, dtype=torch.float16, low=1e6, high=1e7",
    "2, 3, 4, 5, dtype=torch.float32, memory_format=torch.channels_last", "5, dtype=torch.bool, exclude_zero=True",
    "2, 3, dtype=torch.float32, memory_format=torch.channels_last, noncontiguous=True", "2, dtype=torch.uint8, low=-5",
    "2, dtype=torch.float16, low=-1e6, high=1e7", "9, dtype=torch.int32, low=1.5, high=4.5",
    "5, dtype=torch.int32, low=0, high=2, exclude_zero=True", "5, dtype=torch.bool, low=0, high=1", "5, dtype=torch.int32, high=20")]


_NET = ("nn.Sequential(nn.Conv2d(2, 3, 2), nn.Sequential(nn.ConvTranspose2d(3, 2, 2), nn.Conv3d(2, 2, 1), nn.ConvTranspose3d(2, 2, 1)), "
        "nn.BatchNorm2d(2), nn.InstanceNorm2d(2, track_running_stats=True))")
MODULES = [
    *(f"m = {_NET}\nassert nn.utils.convert_conv{n}d_weight_memory_format(m, torch.channels_last{tail}) is m\n"
      "[(p.stride(), p) for p in m.parameters()]" for n, tail in ((2, ""), (3, "_3d"))),
    f"m = {_NET}\nassert torch.func.replace_all_batch_norm_modules_(m) is m\n"
    "list(m.state_dict()), m[2].running_mean, m[2].running_var, m[2].num_batches_tracked, m[2].track_running_stats, m[3].running_mean",
    "m = torch.func.replace_all_batch_norm_modules_(nn.BatchNorm1d(3))\nm(x(4, 3))",
    "P = nn.utils.rnn\nP.PackedSequence_._fields, issubclass(P.PackedSequence, P.PackedSequence_), P.PackedSequence_(x(2), x(2), None, None).data",
]
_ALLCLOSE = ["x(2), x(2)", "torch.ones(2), torch.ones(2) * 1.1", "torch.ones(2), [1, 1]", "torch.ones(2), torch.ones(2) * 1.1, rtol=1.",
             "1.0, 1.0", "1.0, 2", "torch.ones(2), torch.ones(2) * 1.1, msg='told'", "torch.ones(1).half(), torch.ones(1) * 1.0009",
             "torch.ones(1).double(), torch.ones(1) * 1.00009", "torch.ones(1, dtype=torch.int64), torch.ones(1)", "torch.ones(2), torch.ones(3)",
             "torch.tensor([float('nan')]), torch.tensor([float('nan')])", "torch.ones(2), torch.ones(2).double() * 1.1, rtol=1, atol=0",
             "torch.tensor([float('nan')]), torch.tensor([float('nan')]), equal_nan=False", "torch.ones(1).bool(), torch.ones(1)"]
MODULES += [f"torch.testing.assert_allclose({arguments})" for arguments in _ALLCLOSE]


@pytest.mark.parametrize("expression", MODULES + CLOSE + MADE + FUNCTIONS + METHODS + OLD_CONSTRUCTORS + SETTINGS)
def test_as_torch(expression):
    lines.same(expression)
