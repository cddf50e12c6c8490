"""nn.functional beyond what the layers call: keyword forms, warnings and error texts, against torch's."""

import pytest

from tests.nn import lines

VALUES = [
    "nn.factory_kwargs(None), nn.factory_kwargs({'device': None, 'factory_kwargs': {'dtype': 3}})",
    "(m := nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 10], 2.)).log_prob(z := x(6, 8)), m.predict(z)",
    "F.relu(x(3), inplace=False), F.relu_(torch.randn(3)), F.celu_(torch.randn(3), .5)",
    "F.selu_(torch.randn(3)), F.elu_(torch.randn(3)), F.leaky_relu_(torch.randn(3)), "
    "F.threshold_(torch.randn(3), 0, 1)",
    "F.hardtanh_(torch.randn(3)), F.relu6(torch.randn(3), True), F.mish(torch.randn(3), inplace=True)",
    "F.softmax(x(2, 3, 4)), F.softmax(x(2, 3)), F.log_softmax(x(3)), F.softmin(x(2, 3, 4, 5))",
    "F.softmax(x(3), 0, dtype=torch.float64), F.log_softmax(x(3), -1, dtype=torch.float64)",
    "F.softmin(x(3), 0, dtype=torch.float64)",
    "F.gumbel_softmax(x(3, 4)), F.gumbel_softmax(x(3, 4), tau=.5, hard=True), F.gumbel_softmax(x(2), "
    "eps=1e-3)",
    "F.normalize(x(3, 4)), F.normalize(x(3, 4), p=1, dim=0), F.normalize(torch.zeros(2, 2))",
    "F.one_hot(torch.tensor([[0, 2], [1, 1]])), F.one_hot(torch.tensor([0]), 4)",
    "F.dropout(x(4), 0.), F.dropout(x(4), training=False), F.dropout(torch.ones(4), .5, True, True)",
    "F.alpha_dropout(torch.ones(4), .5, True, True), F.feature_alpha_dropout(torch.ones(2, 4), .5, True)",
    "F.dropout2d(x(2, 3)), F.dropout3d(x(2, 3, 4, 5, 6)), F.dropout1d(torch.ones(2, 3), inplace=True)",
    "F.max_pool2d(x(1, 1, 4, 4), 2, return_indices=True), F.max_pool1d(x(1, 1, 4), 2, return_indices=True)",
    "F.max_pool2d_with_indices(x(1, 4, 4), (2, 2)), F.max_pool1d_with_indices(x(1, 4), 2)",
    "F.adaptive_max_pool2d(x(1, 4, 4), 2, return_indices=True), F.adaptive_max_pool1d(x(1, 4), 2, True)",
    "F.adaptive_avg_pool2d(x(2, 3, 0, 4), 1), F.adaptive_avg_pool3d(x(2, 3, 4, 0, 2), 1), F.adaptive_avg_pool2d(x(3, 4), 1)",
    "F.cross_entropy(x(3, 0), x(3, 0), label_smoothing=.1), F.cross_entropy(x(0, 4), x(0, 4))",
    "F.cross_entropy(x(3, 0), x(3, 0)), F.cross_entropy(x(0, 0), torch.zeros(0).long(), label_smoothing=.1)",
    "F.lp_pool1d(x(1, 1, 4), float('inf'), 2), F.lp_pool2d(x(1, 1, 4, 4), float('-inf'), (2, 1))",
    "F.pad(x(2, 3), (1, 1)), F.pad(x(2, 3), [1, 0, 0, 2], value=3.)",
    "F.pad(x(1, 2, 3, 4), (1, 2, 2, 1), 'reflect'), F.pad(x(2, 3), (4, 0), 'replicate')",
    "F.pad(x(2, 3, 4), (4, 4), 'circular'), F.pad(x(1, 2, 3, 4), (-1, 2, 0, -1), mode='circular')",
    "F.pad(x(1, 1, 2, 3, 4), (1, 1, 1, 1, 1, 1), 'reflect'), F.pad(x(2, 3, 4), (-1, -1), 'reflect')",
    "torch.autograd.grad(F.pad(w := x(2, 3), (2, 2), 'reflect').pow(2).sum(), w)",
    "F.mse_loss(x(3), x(3), reduce=False), F.l1_loss(x(3), x(3), size_average=False)",
    "F.mse_loss(x(3), x(3), weight=torch.tensor([1., 2., 3.])), F.l1_loss(x(3), x(3), weight=torch.ones(3))",
    "F.huber_loss(x(3), x(3), weight=torch.tensor([1., 2., 3.])), F.huber_loss(x(3), x(1))",
    "F.mse_loss(x(3), x(3), reduction='sum', weight=torch.ones(3)), F.nll_loss(x(2, 3), "
    "torch.tensor([0, 1]))",
    "F.l1_loss(x(3), x(3), reduction='none', weight=torch.ones(3))",
    "F.kl_div(x(2, 3), x(2, 3).abs(), reduction='sum'), F.kl_div(x(3), x(3), "
    "reduction='batchmean', log_target=True)",
    "F.kl_div(x(3), x(3), size_average=False), F.poisson_nll_loss(x(3), x(3), reduction='none')",
    "F.triplet_margin_with_distance_loss(x(2, 3), x(2, 3), x(2, 3), swap=True, reduction='none')",
    "F.embedding(torch.tensor([1, -0]), x(3, 2), padding_idx=1)",
    "F.bilinear(x(2, 3), x(2, 4), x(5, 3, 4)), F.linear(x(2, 3), x(3)), F.linear(x(3), x(2, 3), x(2))",
    "F.scaled_dot_product_attention(x(2, 3, 4), x(2, 5, 4), x(2, 5, 4)), F.gelu(x(3), approximate='tanh')",
    "F.instance_norm(x(2, 3, 4)), F.batch_norm(x(4, 3), None, None, training=True)",
    "F.batch_norm(x(4, 3), torch.zeros(3), torch.ones(3), eps=0.)",
    "F.cosine_similarity(x(3, 4), torch.zeros(3, 4)), F.pairwise_distance(x(3, 4), x(4))",
]

ERRORS = [
    "nn.AdaptiveLogSoftmaxWithLoss(8, 20, [])", "nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 4])",
    "nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 20])", "nn.MultiMarginLoss(p=3)",
    "nn.MultiMarginLoss(weight=torch.ones(2, 2))",
    *(f"nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4])(x({size}), torch.tensor({target}))" for size, target in
      (("3, 8", "[1, 2]"), ("3, 8", "1"), ("8", "[1]"), ("3, 8", "[1, 2, 25]"), ("3, 8", "[[1, 2, 2]]"))),
    "nn.ChannelShuffle(3)(x(1, 4, 2, 2))", "nn.factory_kwargs({'x': 1})",
    "nn.factory_kwargs({'device': 'cpu', 'factory_kwargs': {'device': 'cpu'}})",
    "F.dropout(x(3), 1.5)", "F.alpha_dropout(x(3), -1)", "F.feature_alpha_dropout(x(3), .5, True)",
    "F.dropout1d(x(3))", "F.dropout2d(x(3))", "F.dropout3d(x(3), 2.)", "nn.Dropout(1.5)", "nn.Dropout2d(-.1)",
    "F.hardtanh(x(3), 1, 0)", "nn.Hardtanh(1, 1)", "F.glu(x().squeeze())", "nn.Softmax2d()(x(3))",
    "F.batch_norm(x(1, 3), None, None, training=True)",
    "F.batch_norm(x(2, 3), None, None, training=True, eps=0.)",
    "F.batch_norm(x(2, 3), torch.ones(3), torch.ones(3), eps=-1.)", "F.instance_norm(x(2, 3, 1))",
    "F.instance_norm(x(2, 3, 2), use_input_stats=False)", "F.group_norm(x(3), 1)", "F.group_norm(x(1, 2), 2)",
    "F.local_response_norm(x(3, 3), 2)", "F.embedding(torch.tensor([0]), x(3, 2), padding_idx=3)",
    "F.embedding(torch.tensor([0]), x(3, 2), padding_idx=-4)", "nn.Embedding(3, 2, padding_idx=3)",
    "nn.Embedding(3, 2, _weight=x(2, 2))", "nn.Embedding.from_pretrained(x(3))",
    "F.adaptive_avg_pool2d(x(3, 3), (1, 1))", "F.mse_loss(x(3), x(3), reduction='x')",
    "F.mse_loss(x(3), x(3), weight=x(1))", "F.l1_loss(x(3), x(3), reduction='x', weight=torch.ones(3))",
    "F.cross_entropy(x(2, 3), torch.tensor([0, 1]), reduction='x')", "F.binary_cross_entropy(x(3), x(2))",
    "F.binary_cross_entropy_with_logits(x(3), x(2))", "F.huber_loss(x(3), x(3), reduction='x')",
    "F.gaussian_nll_loss(x(3), x(3), -1.)", "F.gaussian_nll_loss(x(3), x(3), -x(3).abs())",
    "F.gaussian_nll_loss(x(3, 4), x(3, 4), x(2).abs())", "F.gaussian_nll_loss(x(3), x(3), 1., reduction='x')",
    "F.margin_ranking_loss(x(3), x(3, 1), x(3))", "F.cosine_embedding_loss(x(3), x(3), x(3))",
    "F.cosine_embedding_loss(x(3, 2), x(3, 2), x(3, 1))", "F.triplet_margin_loss(x(3), x(3), x(3), margin=0)",
    "F.triplet_margin_loss(x(3), x(3), x(2, 3))", "nn.TripletMarginLoss(margin=0.)",
    "F.triplet_margin_with_distance_loss(x(3), x(3), x(3), reduction='x')", "nn.HuberLoss(delta='x')",
    "F.multilabel_soft_margin_loss(x(2, 3), x(2, 3), reduction='x')",
    "F.poisson_nll_loss(x(3), x(3), reduction='x')",
    "F.pad(x(1, 2, 3, 4), (4, 0), 'reflect')", "F.pad(x(2, 3), (3, 0), 'reflect')", "F.pad(x(3), (1,))",
    "F.pad(x(1, 2, 3, 4), (0, 0, 3, 0), 'reflect')", "F.pad(x(3), (0,) * 4)", "F.pad(x(2, 3), (1, 1), 'foo')",
    "F.pad(x(2, 3), (1, 1), 'reflect', 3.)", "F.pad(x(2, 3), (4, 0), 'circular')",
    "F.pad(x(3), (1, 1), 'reflect')",
    "F.pad(x(2, 3), (-2, -2), 'circular')", "F.pad(x(2, 3), (-2, -2), 'replicate')",
    "nn.GroupNorm(2, 3)", "nn.BatchNorm1d(3)(x(3))", "nn.BatchNorm2d(3)(x(2, 3))",
    "nn.BatchNorm3d(3)(x(2, 3))",
    "nn.BatchNorm1d(3)(x(1, 3))", "nn.InstanceNorm1d(3)(x(3))",
    "nn.InstanceNorm2d(3, affine=True)(x(2, 2, 3, 3))",
    "nn.Unflatten(0, 3)", "nn.Unflatten(0, (1, 'a'))", "nn.CircularPad1d(1)(x(3))",
    "nn.Conv2d(3, 4, 3, groups=0)", "nn.Conv2d(3, 4, 3, groups=2)", "nn.Conv2d(4, 3, 3, groups=2)",
    "nn.Conv2d(2, 2, 3, padding='same', stride=2)", "nn.ConvTranspose1d(2, 2, 3, padding_mode='reflect')",
    "nn.ConvTranspose1d(2, 3, 3, stride=2)(x(1, 2, 4), [20])",
    "nn.ConvTranspose1d(2, 3, 3)(x(1, 2, 4), [2, 2])",
    "nn.Bilinear(0, 2, 3)", "nn.MultiheadAttention(8, 3)", "nn.MultiheadAttention(0, 2)",
    "nn.MultiheadAttention(8, 2)(x(3), x(3), x(3))",
    "nn.MultiheadAttention(8, 2)(x(3, 8), x(3, 2, 8), x(3, 8))",
    "nn.MultiheadAttention(8, 2)(*[x(3, 2, 6)] * 3)",
    "nn.MultiheadAttention(8, 2)(x(3, 2, 8), x(4, 2, 8), x(5, 2, 8))",
    "nn.MultiheadAttention(8, 2)(*[x(3, 2, 8)] * 3, torch.ones(2, 3, dtype=torch.int64))",
    "nn.MultiheadAttention(8, 2)(*[x(3, 2, 8)] * 3, torch.zeros(2, 4))",
    "nn.MultiheadAttention(8, 2)(*[x(3, 2, 8)] * 3, torch.zeros(2))",
    "nn.MultiheadAttention(8, 2)(*[x(3, 2, 8)] * 3, attn_mask=torch.zeros(3, 4))",
    "nn.MultiheadAttention(8, 2)(*[x(3, 2, 8)] * 3, attn_mask=torch.zeros(3, 3, 3))",
    "nn.MultiheadAttention(8, 2)(*[x(3, 2, 8)] * 3, attn_mask=torch.zeros(3))",
    "nn.MultiheadAttention(8, 2)(*[x(3, 2, 8)] * 3, is_causal=True)",
    "nn.MultiheadAttention(8, 2, kdim=4)(x(3, 2, 8), x(3, 2, 4), x(2, 2, 8))",
    "nn.TransformerEncoderLayer(8, 2, activation='x')",
    "nn.Transformer(8, 2, 1, 1, 8)(x(3, 2, 8), x(3, 1, 8))",
    "nn.Transformer(8, 2, 1, 1, 8)(x(3, 2, 7), x(3, 2, 8))",
    "nn.RNN(3, 4, proj_size=1)", "nn.RNN(3, 4, nonlinearity='x')", "nn.GRU(3, 4, proj_size=1)",
    "nn.LSTM(0, 4)",
    "nn.LSTM(3, 0)", "nn.LSTM(3, 4, num_layers=0)", "nn.LSTM(3, 4, dropout=2.)",
    "nn.LSTM(3, 4, dropout=True)",
    "nn.LSTM(3, 4, bias=1)", "nn.LSTM(3, 4, batch_first=1)", "nn.LSTM(3.5, 4)", "nn.LSTM(3, '4')",
    "nn.LSTM(3, 4, proj_size=4)", "nn.LSTM(3, 4, proj_size=-1)", "nn.LSTM(3, 4)(x(3))", "nn.GRU(3, 4)(x(3))",
    "nn.RNN(3, 4)(x(3))", "nn.RNN(3, 4)(x(2, 2, 4))", "nn.RNN(3, 4)(x(2, 2, 3).double())",
    "nn.RNN(3, 4)(x(2, 2, 3), x(1, 2))", "nn.GRU(3, 4)(x(2, 3), x(1, 2, 4))",
    "nn.GRU(3, 4)(x(2, 2, 3), x(2, 2, 4))",
    "nn.LSTM(3, 4)(x(2, 2, 3), (x(1, 2, 4), x(1, 2, 5)))", "nn.LSTM(3, 4)(x(2, 2, 3), (x(1, 4), x(1, 4)))",
    "nn.LSTM(3, 4)(x(2, 3), (x(1, 2, 4), x(1, 2, 4)))", "nn.RNN(3, 4)(torch.zeros(0, 2, 3))",
    "nn.RNNCell(3, 4)(x(2, 2, 3))", "nn.RNNCell(3, 4)(x(2, 3), x(2, 2, 4))", "nn.RNNCell(3, 4)(x(2, 2))",
    "nn.RNNCell(3, 4)(x(2, 3), x(3, 4))", "nn.GRUCell(3, 4)(x(2, 3), x(2, 3))",
    "nn.RNNCell(3, 4, True, 'x')(x(3))",
    "nn.LSTMCell(3, 4)(x(2, 3), (x(2, 4), x(2, 2, 4)))", "nn.LSTMCell(3, 4)(x(2, 3), (x(2, 4), x(3, 4)))",
]


@pytest.mark.parametrize("value", VALUES)
def test_value(value):
    lines.works(value)


@pytest.mark.parametrize("value", ERRORS)
def test_error(value):
    lines.fails(value)


WARNINGS = [
    "nn.RNN(3, 4, dropout=.5)", "nn.Hardtanh(min_value=-2., max_value=3.)", "nn.MSELoss(size_average=False)",
    "nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 8), 1)",
    "nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 8, norm_first=True), 1)",
    "nn.TransformerEncoder(nn.ReLU(), 1)", "nn.InstanceNorm1d(3)(x(2, 4, 5))",
    "nn.MultiheadAttention(8, 2)(*[x(3, 2, 8)] * 3, torch.zeros(2, 3, dtype=torch.bool), "
    "True, torch.zeros(3, 3))",
]


@pytest.mark.parametrize("value", WARNINGS)
def test_warning(value):
    lines.works(value)
