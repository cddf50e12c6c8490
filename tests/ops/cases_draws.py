"""Cases of what is drawn: samples with history, fractional pooling, rrelu; and of bits and pieces of numbers."""


def _seeded(expression):
    return f"(torch.manual_seed(3), {expression})[1]"


CASES = {
    "normal": [_seeded(e) for e in ("torch.normal(x(3, 4), 1.5)", "torch.normal(0.5, pos(3))", "torch.normal(x(3, 1), pos(4))", "torch.normal(x(3))",
                                    "torch.normal(1., 2., (2, 3), dtype=torch.float32, requires_grad=True)")],
    "bernoulli": [_seeded(e) for e in ("torch.bernoulli(pos(3, 4) / 3)", "(pos(5) / 3).bernoulli()", "torch.bernoulli(x(3, 4), 0.3).detach()")],
    "rrelu": [_seeded(e) for e in ("F.rrelu(x(3, 7), 0.1, 0.5, training=True)", "F.rrelu(x(3, 7), 0.1, 0.5)", "F.rrelu(x(3, 7) * 1, 0.1, 0.5, training=True, inplace=True)",
                                   "torch.rrelu(x(4, 3).t(), 0.1, 0.1, True)", "F.rrelu_(x(3, 7) * 1)")],
    "fractional_max_pool2d": ["F.fractional_max_pool2d(x(2, 3, 7, 8), 2, (4, 3), _random_samples=torch.tensor([[[.1, .9], [.5, .2], [.7, 0.]]] * 2, dtype=dtype))",
                              _seeded("F.fractional_max_pool2d(x(3, 7, 8), (2, 3), output_ratio=(.5, .6), return_indices=True)"),
                              _seeded("torch.nn.FractionalMaxPool2d(3, 1)(x(2, 1, 5, 6))"), "F.fractional_max_pool2d(x(0, 2, 5, 5), 2, 3)"],
    "fractional_max_pool3d": [_seeded("F.fractional_max_pool3d(x(2, 2, 5, 6, 7), 2, (3, 4, 2), return_indices=True)"),
                              _seeded("torch.nn.FractionalMaxPool3d((1, 2, 2), output_ratio=.5)(x(1, 5, 6, 7))")],
    "max_pool2d_with_indices_backward": [
        "torch.ops.aten.max_pool2d_with_indices_backward(x(1, 2, 2, 2), x(1, 2, 4, 4), [2], [2], [0], [1], False, torch.tensor([[[[0, 7], [8, 10]], [[5, 5], [12, 15]]]]))"],
    "native_dropout_backward": ["torch.ops.aten.native_dropout_backward(i(5, 3), i(2, 3) > 0, 2.)"],
    "frexp.Tensor": ["torch.frexp(x(3, 4))", "x(5).frexp()[0]"],
    "hash_tensor": ["torch.hash_tensor(x(3, 4).detach())", "torch.hash_tensor(x(3, 4).detach(), 1, keepdim=True)", "torch.hash_tensor(x(2, 3, 4).detach(), (0, -1))",
                    "torch.hash_tensor(torch.zeros(2, 0, dtype=dtype), 0)"],
    "native_layer_norm": ["torch.native_layer_norm(x(2, 3), [3], x(3), x(3), 1e-5)"],
    "native_batch_norm": ["torch.native_batch_norm(x(4, 3), x(3), x(3), None, None, True, .1, 1e-5)"],
}
SPECIAL: dict = {
    "native_dropout_backward": ["torch.ops.aten.native_dropout_backward(x(3, 4), i(2, 3, 4) > 0, 1.25)"],
    "frexp.Tensor": ["torch.frexp(t([0., -0., 1., -3., inf, nan, 1024.]))"],
    "fractional_max_pool2d": ["F.fractional_max_pool2d(t([[[[1., nan, 2.], [nan, 0., 0.], [-inf, -inf, 5.]]]]), 2, 2, _random_samples=torch.tensor([[[.3, .6]]], dtype=dtype), return_indices=True)"],
    "rrelu": [_seeded("F.rrelu(t([0., -0., nan, -inf, inf, -1.]), training=True)")],
}
ERRORS = {
    "normal": ["torch.normal(0., 1.)", "torch.normal(x(3), -1.)", "torch.normal(x(3), -pos(3))", "torch.normal(x(3), pos(2))", "torch.normal(0., 1., 2)",
               "torch.normal(x(3), 1., (2,))", "torch.normal(i(5, 3), 1.)", "torch.normal(0., x(3) + 0j)", "torch.normal(x(2, 3).detach(), 1., out=torch.empty(0))",
               "torch.normal(x(3), 1., out=torch.empty(3))"],
    "bernoulli": ["torch.bernoulli(x(3) + 5)", "torch.bernoulli(x(3), 3.)", "torch.bernoulli(i(2, 3))", "torch.bernoulli(x(3) + 0j)", "torch.bernoulli(x(3), .5).sum().backward()",
                  "torch.bernoulli(pos(3).detach() / 3, out=torch.empty(1).expand(3))"],
    "rrelu": ["F.rrelu(x(3), 1., .5)", "F.rrelu(x(3), 0., inf)", "F.rrelu(x(3), nan, 1.)", "F.rrelu(x(3).half(), training=True)", "F.rrelu(i(5, 3))", "F.rrelu(i(5, 3), training=True)"],
    "fractional_max_pool2d": ["F.fractional_max_pool2d(x(1, 2, 5, 5), 2)", "F.fractional_max_pool2d(x(5, 5), 2, 3)", "F.fractional_max_pool2d(x(1, 2, 5, 5), 6, 3)",
                              "F.fractional_max_pool2d(x(1, 2, 5, 5), 2, 5)", "F.fractional_max_pool2d(x(1, 2, 5, 5), 2, 3, _random_samples=x(1, 2, 1).detach())",
                              "F.fractional_max_pool2d(x(1, 2, 5, 5), 2, 3, _random_samples=x(1, 1, 2).detach())", "F.fractional_max_pool2d(x(1, 2, 5, 5), 2, 3, _random_samples=x(2, 2).detach())",
                              "F.fractional_max_pool2d(x(1, 2, 5, 5), 2, 3, _random_samples=x(1, 2, 2).double().detach())", "F.fractional_max_pool2d(x(1, 0, 5, 5), 2, 3)",
                              "F.fractional_max_pool2d(x(2, 2, 5, 5), 2, 3, _random_samples=x(1, 2, 2).detach())", "F.fractional_max_pool2d(x(1, 2, 5, 5), 2, 3, _random_samples=x(1, 2, 2))", "torch.nn.FractionalMaxPool2d(2)", "torch.nn.FractionalMaxPool2d(2, 3, .5)",
                              "torch.nn.FractionalMaxPool2d(2, output_ratio=1.5)"],
    "fractional_max_pool3d": ["F.fractional_max_pool3d(x(1, 2, 5, 5, 5), (2, 2), 3)", "F.fractional_max_pool3d(x(1, 2, 5, 5, 5), 6, 3)", "torch.nn.FractionalMaxPool3d(0, 3)"],
    "max_pool2d_with_indices_backward": ["torch.ops.aten.max_pool2d_with_indices_backward(x(1, 2, 2, 2), x(1, 2, 5, 7), [2], [2], [0], [1], False, i(4, 1, 2, 2, 2))",
                                         "torch.ops.aten.max_pool2d_with_indices_backward(x(1, 2, 2, 2).double(), x(1, 2, 4, 4), [2], [2], [0], [1], False, i(4, 1, 2, 2, 2))"],
    "frexp.Tensor": ["torch.frexp(i(5, 3))", "torch.frexp(x(3) + 0j)"],
    "hash_tensor": ["torch.hash_tensor(x(3), mode=1)", "torch.hash_tensor(x(3) + 0j)", "torch.hash_tensor(x(0))", "torch.hash_tensor(x(0, 3), 0)", "torch.hash_tensor(x(3), (0, 0))",
                    "torch.hash_tensor(x(3), 2)"],
}
