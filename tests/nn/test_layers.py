"""Every layer against torch's: same seed -> same parameters, `repr`, outputs, gradients and buffers."""

import pytest

from compat import compare
from compat.compare import texts, tolerances
from tests.nn import lines
from tests.speed import case, sampled

# constructor -> the arguments of forward
LAYERS = {
    "nn.Identity(3, x=4)": "x(2, 3)",
    "nn.Linear(3, 4)": "x(2, 3)",
    "nn.Linear(3, 4, bias=False)": "x(2, 5, 3)",
    "nn.Linear(4, 2, dtype=torch.float64)": "x(4).double()",
    "nn.Bilinear(3, 4, 5)": "x(2, 3), x(2, 4)",
    "nn.Bilinear(3, 4, 5, bias=False)": "x(2, 3), x(2, 4)",
    "nn.Embedding(7, 3)": "torch.tensor([[1, 2, 6], [0, 1, 1]])",
    "nn.Embedding(7, 3, padding_idx=-2)": "torch.tensor([5, 4, 5])",
    "nn.Embedding(7, 3, padding_idx=0, norm_type=1., scale_grad_by_freq=True)": "torch.tensor([0, 4, 4])",
    "nn.Embedding(5, 3, max_norm=1.0)": "torch.tensor([[0, 4], [4, 1]])",
    "nn.LayerNorm(4)": "x(3, 4)",
    "nn.LayerNorm((3, 4), eps=1e-3, bias=False)": "x(2, 3, 4)",
    "nn.LayerNorm([4], elementwise_affine=False)": "x(2, 4)",
    "nn.RMSNorm(4)": "x(3, 4)",
    "nn.RMSNorm((3, 4), eps=1e-3, elementwise_affine=False)": "x(2, 3, 4)",
    "nn.GroupNorm(2, 4)": "x(2, 4, 3)",
    "nn.GroupNorm(4, 4, affine=False)": "x(2, 4, 3, 2)",
    "nn.GroupNorm(2, 4, bias=False)": "x(2, 4, 3)",
    "nn.LocalResponseNorm(3)": "x(2, 5, 4)",
    "nn.LocalResponseNorm(2, alpha=.1, k=2.)": "x(2, 5, 4, 3)",
    "nn.BatchNorm1d(3)": "x(4, 3)",
    "nn.BatchNorm1d(3, momentum=None)": "x(4, 3, 2)",
    "nn.BatchNorm2d(3, affine=False)": "x(2, 3, 4, 4)",
    "nn.BatchNorm2d(3, track_running_stats=False)": "x(2, 3, 4, 4)",
    "nn.BatchNorm2d(3, momentum=.3, bias=False)": "x(2, 3, 4, 4)",
    "nn.BatchNorm3d(2, eps=1e-2)": "x(2, 2, 3, 2, 2)",
    "nn.SyncBatchNorm(3)": "x(4, 3, 2)",
    "nn.SyncBatchNorm(3, momentum=None, bias=False)": "x(4, 3)",
    "nn.SyncBatchNorm.convert_sync_batchnorm(nn.BatchNorm2d(3, eps=1e-2, affine=False))": "x(2, 3, 4, 4)",
    "nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.BatchNorm1d(3), nn.Linear(3, 2), nn.BatchNorm1d(2).eval()))":
        "x(2, 3)",
    "nn.InstanceNorm1d(3)": "x(2, 3, 4)",
    "nn.InstanceNorm1d(3, affine=True)": "x(3, 4)",
    "nn.InstanceNorm2d(3, affine=True, track_running_stats=True)": "x(2, 3, 4, 4)",
    "nn.InstanceNorm3d(2)": "x(2, 2, 3, 2, 2)",
    "nn.Dropout(0.3)": "x(5, 6)",
    "nn.Dropout(1.0)": "x(5, 6)",
    "nn.Dropout1d(0.5)": "x(2, 5, 6)",
    "nn.Dropout1d(0.5) ": "x(5, 6)",
    "nn.Dropout2d(0.5)": "x(2, 5, 3, 3)",
    "nn.Dropout2d(0.5) ": "x(5, 3, 3)",
    "nn.Dropout3d(0.5)": "x(2, 5, 3, 3, 1)",
    "nn.Dropout3d(0.5) ": "x(5, 3, 3, 1)",
    "nn.AlphaDropout(0.4)": "x(5, 6)",
    "nn.FeatureAlphaDropout(0.4)": "x(3, 4, 5)",
    "nn.Flatten()": "x(2, 3, 4)",
    "nn.Flatten(0, 1)": "x(2, 3, 4)",
    "nn.Unflatten(1, (2, 3))": "x(2, 6)",
    "nn.CosineSimilarity()": "x(3, 4), x(3, 4)",
    "nn.CosineSimilarity(dim=0, eps=1e-3)": "x(3, 4), x(3, 4)",
    "nn.PairwiseDistance()": "x(3, 4), x(3, 4)",
    "nn.PairwiseDistance(p=1, keepdim=True)": "x(3, 4), x(3, 4)",
    "nn.PixelShuffle(2)": "x(1, 8, 2, 3)",
    "nn.PixelUnshuffle(2)": "x(1, 2, 4, 6)",
    "nn.AdaptiveAvgPool3d((2, None, 1))": "x(1, 2, 3, 3, 4)",
    "nn.AdaptiveMaxPool3d(2)": "x(2, 3, 3, 4)",
    "nn.AvgPool3d(2, 1, 1, count_include_pad=False)": "x(1, 2, 3, 3, 4)",
    "nn.LPPool3d(2, 2)": "x(1, 2, 4, 4, 4)",
    "nn.MaxPool3d(2, return_indices=True)": "x(1, 2, 4, 4, 5)",
    "nn.MaxUnpool1d(2)": "*F.max_pool1d(x(1, 2, 6), 2, return_indices=True)",
    "nn.MaxUnpool2d((2, 2))": "*F.max_pool2d(x(1, 2, 4, 5), 2, return_indices=True), [4, 5]",
    "nn.MaxUnpool3d(2)": "*F.max_pool3d(x(1, 2, 4, 4, 4), 2, return_indices=True)",
    "nn.ConvTranspose3d(2, 3, 2, stride=2)": "x(1, 2, 2, 3, 2)",
    "nn.ChannelShuffle(2)": "x(1, 4, 2, 2)",
    "nn.Fold((4, 5), 2)": "x(1, 8, 12)",
    "nn.Unfold((2, 3), padding=1)": "x(1, 2, 4, 5)",
    "nn.Upsample(scale_factor=2)": "x(1, 2, 3, 4)",
    "nn.Upsample(size=(5, 6), mode='bilinear', align_corners=True)": "x(1, 2, 3, 4)",
    "nn.UpsamplingBilinear2d(scale_factor=(2, 3))": "x(1, 2, 3, 4)",
    "nn.UpsamplingNearest2d(size=4)": "x(1, 2, 3, 3)",
    "nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 10], div_value=2.)": "x(5, 8), torch.tensor([1, 19, 4, 9, 0])",
    "nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4], head_bias=True)": "x(8), torch.tensor(7)",
    "nn.MultiLabelMarginLoss()": "x(2, 4), torch.tensor([[1, 3, -1, 0], [0, -1, 1, 1]])",
    "nn.MultiMarginLoss(p=2, weight=torch.tensor([1., 2., 3.]))": "x(2, 3), torch.tensor([1, 0])",
    "nn.ZeroPad2d(1)": "x(1, 2, 3, 3)",
    "nn.ZeroPad1d((1, 2))": "x(2, 3)",
    "nn.ZeroPad3d((0, 1, 0, 1, 1, 0))": "x(1, 2, 2, 2)",
    "nn.ConstantPad1d(2, 3.5)": "x(2, 3)",
    "nn.ConstantPad2d((1, 0, 2, -1), 3.5)": "x(2, 3, 3)",
    "nn.ConstantPad3d(1, 0.5)": "x(1, 2, 2, 2)",
    "nn.ReflectionPad1d(2)": "x(1, 2, 4)",
    "nn.ReflectionPad2d((1, 0, 2, 1))": "x(2, 3, 3)",
    "nn.ReflectionPad3d(1)": "x(1, 2, 2, 2)",
    "nn.ReplicationPad1d((0, 3))": "x(2, 2)",
    "nn.ReplicationPad2d(1)": "x(1, 2, 3, 3)",
    "nn.ReplicationPad3d(1)": "x(1, 2, 2, 2)",
    "nn.CircularPad1d(2)": "x(1, 2, 4)",
    "nn.CircularPad2d((1, 1, 0, 1))": "x(2, 3, 3)",
    "nn.CircularPad3d(1)": "x(1, 2, 2, 2)",
    "nn.Conv2d(2, 2, 3, padding=1, padding_mode='reflect')": "x(1, 2, 4, 4)",
    "nn.Conv1d(2, 2, 3, padding='same', padding_mode='circular')": "x(1, 2, 4)",
    "nn.Conv2d(2, 2, (3, 4), padding='same', padding_mode='replicate')": "x(1, 2, 4, 4)",
    "nn.Conv1d(2, 4, 3)": "x(2, 2, 7)",
    "nn.Conv1d(2, 4, 3, stride=2, padding=1, dilation=2, groups=2, bias=False)": "x(2, 9)",
    "nn.Conv2d(2, 3, 3)": "x(2, 2, 5, 6)",
    "nn.Conv2d(2, 3, (3, 2), stride=(2, 1), padding=(1, 0))": "x(2, 5, 6)",
    "nn.Conv2d(2, 2, 3, padding='same', dilation=2)": "x(1, 2, 5, 6)",
    "nn.Conv2d(2, 2, 3, padding='valid')": "x(1, 2, 5, 6)",
    "nn.Conv2d(4, 4, 3, groups=4, padding=1)": "x(1, 4, 5, 6)",
    "nn.Conv3d(1, 2, 2)": "x(1, 1, 3, 3, 3)",
    "nn.ConvTranspose1d(2, 3, 3, stride=2, padding=1, output_padding=1)": "x(1, 2, 4)",
    "nn.ConvTranspose1d(2, 3, 3, stride=2)": "x(1, 2, 4), [10]",
    "nn.ConvTranspose2d(4, 2, 3, groups=2, bias=False)": "x(1, 4, 3, 3)",
    "nn.ConvTranspose2d(2, 3, 2, stride=2)": "x(2, 3, 3)",
    "nn.MaxPool1d(2)": "x(2, 3, 6)",
    "nn.MaxPool1d(3, stride=1, padding=1)": "x(3, 6)",
    "nn.MaxPool2d(2)": "x(2, 3, 6, 6)",
    "nn.MaxPool2d((3, 2), stride=(1, 2), padding=1, dilation=1, ceil_mode=True)": "x(3, 6, 5)",
    "nn.MaxPool2d(2, return_indices=True)": "x(2, 3, 6, 6)",
    "nn.AvgPool1d(2)": "x(2, 3, 6)",
    "nn.AvgPool2d(2)": "x(2, 3, 6, 6)",
    "nn.AvgPool2d(3, stride=2, padding=1, count_include_pad=False)": "x(3, 6, 6)",
    "nn.AvgPool2d(2, divisor_override=3)": "x(1, 3, 6, 6)",
    "nn.LPPool1d(2, 3)": "x(1, 3, 7)",
    "nn.LPPool2d(2, 2, stride=1)": "x(1, 3, 5, 5)",
    "nn.AdaptiveAvgPool1d(3)": "x(2, 3, 7)",
    "nn.AdaptiveAvgPool2d((2, None))": "x(2, 3, 5, 4)",
    "nn.AdaptiveAvgPool2d(1)": "x(2, 3, 5, 4)",
    "nn.AdaptiveMaxPool1d(3)": "x(2, 3, 7)",
    "nn.AdaptiveMaxPool2d((2, 3))": "x(2, 3, 5, 4)",
    "nn.ReLU()": "x(3, 4)",
    "nn.ReLU(inplace=True)": "x(3, 4) * 1",
    "nn.ReLU6()": "x(3, 4) * 5",
    "nn.Hardtanh(-.5, .5, inplace=True)": "x(3, 4) * 1",
    "nn.Sigmoid()": "x(3, 4)",
    "nn.Hardsigmoid()": "x(3, 4) * 3",
    "nn.Hardswish()": "x(3, 4) * 3",
    "nn.Tanh()": "x(3, 4)",
    "nn.SiLU()": "x(3, 4)",
    "nn.SiLU(True)": "x(3, 4) * 1",
    "nn.Mish()": "x(3, 4)",
    "nn.ELU(.5)": "x(3, 4)",
    "nn.CELU(2.)": "x(3, 4)",
    "nn.SELU()": "x(3, 4)",
    "nn.GLU()": "x(3, 4)",
    "nn.GLU(0)": "x(4, 3)",
    "nn.GELU()": "x(3, 4)",
    "nn.GELU(approximate='tanh')": "x(3, 4)",
    "nn.Hardshrink()": "x(3, 4)",
    "nn.Softshrink(.2)": "x(3, 4)",
    "nn.LeakyReLU()": "x(3, 4)",
    "nn.LeakyReLU(.2, True)": "x(3, 4) * 1",
    "nn.LogSigmoid()": "x(3, 4)",
    "nn.Softplus()": "x(3, 4)",
    "nn.Softplus(2., 1.)": "x(3, 4)",
    "nn.PReLU()": "x(3, 4)",
    "nn.PReLU(4, .1)": "x(3, 4)",
    "nn.Softsign()": "x(3, 4)",
    "nn.Tanhshrink()": "x(3, 4)",
    "nn.Threshold(.1, 20.)": "x(3, 4)",
    "nn.Softmin(1)": "x(3, 4)",
    "nn.Softmax(dim=-1)": "x(3, 4)",
    "nn.Softmax()": "x(3, 4)",
    "nn.Softmax2d()": "x(2, 3, 4)",
    "nn.LogSoftmax(dim=0)": "x(3, 4)",
    "nn.RNNCell(3, 4)": "x(2, 3)",
    "nn.RNNCell(3, 4, nonlinearity='relu', bias=False)": "x(3), x(4)",
    "nn.LSTMCell(3, 4)": "x(2, 3), (x(2, 4), x(2, 4))",
    "nn.LSTMCell(3, 4, bias=False)": "x(3)",
    "nn.GRUCell(3, 4)": "x(2, 3), x(2, 4)",
    "nn.RNN(3, 4)": "x(5, 2, 3)",
    "nn.RNN(3, 4, 2, 'relu', batch_first=True)": "x(2, 5, 3), x(2, 2, 4)",
    "nn.RNN(3, 4, bias=False, bidirectional=True)": "x(5, 3), x(2, 4)",
    "nn.LSTM(3, 4)": "x(5, 2, 3)",
    "nn.LSTM(3, 4, num_layers=2, bidirectional=True, batch_first=True)":
        "x(2, 5, 3), (x(4, 2, 4), x(4, 2, 4))",
    "nn.LSTM(3, 4, proj_size=2, num_layers=2)": "x(5, 2, 3)",
    "nn.LSTM(3, 4, bias=False)": "x(5, 3)",
    "nn.GRU(3, 4, num_layers=2, bidirectional=True)": "x(5, 2, 3)",
    "nn.GRU(3, 4, dropout=0.0, batch_first=True)": "x(5, 3)",
    "nn.GRU(3, 4) ": "nn.utils.rnn.pack_sequence([x(4, 3), x(2, 3), x(1, 3)])",
    "nn.LSTM(3, 4, num_layers=2, bidirectional=True)":
        "nn.utils.rnn.pack_sequence([x(2, 3), x(4, 3), x(1, 3)], enforce_sorted=False)",
    "nn.RNN(3, 4, bidirectional=True)":
        "nn.utils.rnn.pack_sequence([x(2, 3), x(3, 3)], enforce_sorted=False), x(2, 2, 4)",
    "nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))": "x(2, 3)",
    "nn.Sequential(OrderedDict(a=nn.Linear(3, 4), b=nn.Tanh()))": "x(2, 3)",
}

ATTENTION = {
    "nn.MultiheadAttention(8, 2)": "*[x(3, 2, 8)] * 3",
    "nn.MultiheadAttention(8, 2, batch_first=True)": "x(2, 3, 8), *[x(2, 5, 8)] * 2",
    "nn.MultiheadAttention(8, 4, bias=False, add_bias_kv=True)": "x(3, 2, 8), x(4, 2, 8), x(4, 2, 8)",
    "nn.MultiheadAttention(8, 4, add_zero_attn=True, add_bias_kv=True)":
        "*[x(3, 2, 8)] * 3, torch.tensor([[False, False, True]] * 2), True, torch.zeros(3, 3)",
    "nn.MultiheadAttention(8, 2, kdim=5, vdim=6)": "x(3, 2, 8), x(4, 2, 5), x(4, 2, 6)",
    "nn.MultiheadAttention(8, 2, dropout=0.4)": "*[x(3, 2, 8)] * 3",
    "nn.MultiheadAttention(8, 2) ": "*[x(3, 8)] * 3",
    "nn.MultiheadAttention(8, 2)  ": "*[x(3, 2, 8)] * 3, None, False",
    "nn.MultiheadAttention(8, 2)   ": "*[x(3, 2, 8)] * 3, None, True, None, False",
    "nn.MultiheadAttention(8, 2)    ":
        "*[x(3, 2, 8)] * 3, None, False, nn.Transformer.generate_square_subsequent_mask(3), True, True",
    "nn.MultiheadAttention(8, 2)     ":
        "*[x(3, 2, 8)] * 3, torch.tensor([[False, True, False], [False, False, True]]), True,"
        "torch.triu(torch.ones(3, 3, dtype=torch.bool), 1)",
    "nn.MultiheadAttention(8, 2)      ": "*[x(3, 2, 8)] * 3, None, False, torch.randn(4, 3, 3)",
    "nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0)": "x(3, 2, 8)",
    "nn.TransformerEncoderLayer(8, 2, 16, 0.0, 'gelu', norm_first=True, batch_first=True)": "x(3, 2, 8)",
    "nn.TransformerEncoderLayer(8, 2, 16, bias=False)": "x(3, 2, 8)",
    "nn.TransformerDecoderLayer(8, 2, 16)": "x(3, 2, 8), x(4, 2, 8)",
    "nn.TransformerDecoderLayer(8, 2, 16, norm_first=True)": "x(3, 2, 8), x(4, 2, 8)",
    "nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2, nn.LayerNorm(8))":
        "x(3, 2, 8), nn.Transformer.generate_square_subsequent_mask(3)",
    "nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16), 2)": "x(3, 2, 8), x(4, 2, 8)",
    "nn.Transformer(8, 2, 1, 2, 16)":
        "x(3, 2, 8), x(4, 2, 8), None, nn.Transformer.generate_square_subsequent_mask(4)",
}

LOSSES = {
    "nn.L1Loss()": "x(3, 4), x(3, 4)",
    "nn.MSELoss(reduction='sum')": "x(3, 4), x(3, 4)",
    "nn.MSELoss()": "x(3, 4), x(4)",
    "nn.SmoothL1Loss(beta=.5)": "x(3, 4), x(3, 4)",
    "nn.SmoothL1Loss(beta=0.)": "x(3, 4), x(3, 4)",
    "nn.HuberLoss(delta=.5)": "x(3, 4), x(3, 4)",
    "nn.CrossEntropyLoss()": "x(3, 4), torch.tensor([1, 0, 3])",
    "nn.CrossEntropyLoss(torch.tensor([1., 2., .5, 0.]), ignore_index=1, label_smoothing=.1)":
        "x(3, 4), torch.tensor([1, 0, 2])",
    "nn.CrossEntropyLoss(reduction='none')": "x(2, 4, 3), torch.tensor([[1, 0, 2], [3, 3, -100]])",
    "nn.CrossEntropyLoss() ": "x(3, 4), torch.softmax(x(3, 4), 1)",
    "nn.NLLLoss()": "F.log_softmax(x(3, 4), 1), torch.tensor([1, 0, 3])",
    "nn.BCELoss()": "torch.sigmoid(x(3, 4)), torch.sigmoid(x(3, 4)).detach()",
    "nn.BCELoss(weight=torch.tensor([1., 2., 3., 0.]))": "torch.sigmoid(x(3, 4)), torch.ones(3, 4)",
    "nn.BCEWithLogitsLoss()": "x(3, 4), torch.ones(3, 4)",
    "nn.BCEWithLogitsLoss(pos_weight=torch.tensor([1., 2., 3., 0.]), reduction='sum')":
        "x(3, 4), torch.ones(3, 4)",
    "nn.KLDivLoss(reduction='batchmean')": "F.log_softmax(x(3, 4), 1), torch.softmax(x(3, 4), 1)",
    "nn.KLDivLoss()": "F.log_softmax(x(3, 4), 1), torch.tensor([[0., .5, .5, 0.]] * 3)",
    "nn.KLDivLoss(log_target=True)": "F.log_softmax(x(3, 4), 1), F.log_softmax(x(3, 4), 1)",
    "nn.PoissonNLLLoss(full=True)": "x(3, 4), torch.tensor([0., 1., 2., 5.])",
    "nn.PoissonNLLLoss(log_input=False)": "x(3, 4).abs(), torch.tensor([0., 1., 2., 5.])",
    "nn.GaussianNLLLoss(full=True)": "x(3, 4), x(3, 4), x(3, 4).abs()",
    "nn.GaussianNLLLoss()": "x(3, 4), x(3, 4), x(3).abs()",
    "nn.GaussianNLLLoss() ": "x(3, 4), x(3, 4), 0.5",
    "nn.SoftMarginLoss()": "x(3, 4), torch.tensor([1., -1., 1., 1.])",
    "nn.MultiLabelSoftMarginLoss()": "x(3, 4), torch.ones(3, 4)",
    "nn.HingeEmbeddingLoss(.5)": "x(3, 4), torch.tensor([1., -1., 1., -1.])",
    "nn.CosineEmbeddingLoss(.1)": "x(3, 4), x(3, 4), torch.tensor([1., -1., 1.])",
    "nn.CosineEmbeddingLoss()": "x(4), x(4), torch.tensor(-1.)",
    "nn.MarginRankingLoss(.2)": "x(3), x(3), torch.tensor([1., -1., 1.])",
    "nn.TripletMarginLoss()": "x(3, 4), x(3, 4), x(3, 4)",
    "nn.TripletMarginLoss(margin=.5, p=1., swap=True, reduction='sum')": "x(3, 4), x(3, 4), x(3, 4)",
    "nn.TripletMarginWithDistanceLoss()": "x(3, 4), x(3, 4), x(3, 4)",
}

ALL = {**LAYERS, **ATTENTION, **LOSSES}
HEAVY = ("nn.GRU(", "nn.LSTM(", "nn.Transformer")  # to compile, for seconds
MODED = ("Dropout", "BatchNorm", "InstanceNorm", "RReLU", "Attention", "Transformer")  # in evaluation they do something else


def tensors(value, package):
    """Every tensor in nested tuples and lists."""
    if isinstance(value, package.Tensor):
        return [value]
    return [t for v in value for t in tensors(v, package)] if isinstance(value, (list, tuple)) else []


def gradients(package, inputs, output, layer):
    """d(sum of squares of every floating output) / d(inputs and parameters), None where there is none."""
    loss = sum((t.float() ** 2).sum() for t in tensors(output, package) if t.is_floating_point())
    wanted = [t for t in tensors(inputs, package) if t.requires_grad] + list(layer.parameters())
    if not wanted or not loss.requires_grad:
        return None
    return package.autograd.grad(loss, wanted, allow_unused=True)


def layers():
    """Every fourth is fast, in training. CI has the first form of each kind, in evaluation, too if it differs there."""
    first_forms = {layer.partition("(")[0]: layer for layer in reversed(ALL)}.values()

    return [case(layer, training, fast=training and i % 4 == 0 and not layer.startswith(HEAVY),
                 ci=layer in first_forms and (training or any(word in layer for word in MODED)))
            for i, layer in enumerate(ALL) for training in (True, False)]


@pytest.mark.parametrize(("layer", "training"), layers())
def test_layer(layer, training):
    def run(package):
        scope = texts.names(package)
        made = eval(layer.strip(), scope)
        made.train(training)
        inputs = eval(f"({ALL[layer]},)", scope)
        before = {k: v.clone() for k, v in made.state_dict().items()}
        output = made(*inputs)
        return [repr(made), before, output, gradients(package, inputs, output, made),
                list(made.state_dict().items())]

    lines.works(run)


MASKED_ENCODER = """
m = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2, nn.LayerNorm(8)).eval()
mask = torch.tensor({mask})
with torch.no_grad(): out = m(torch.randn(2, 3, 8), src_key_padding_mask=mask)
out
"""


@pytest.mark.parametrize("mask", [[[False, False, True], [False, True, True]],
                                  [[False, True, False], [False, True, True]]])
def test_padded_places_of_an_encoder(mask):
    """Without gradients torch runs nested tensors and returns 0 where the padding is."""
    run = texts.expression(MASKED_ENCODER.format(mask=mask))
    # Not `works`: torch also warns that its nested tensors are a prototype.
    (want, _), (got, _) = (compare.outcome(run, package, **lines.HOW) for package in compare.PACKAGES)
    assert not isinstance(want, compare.Raised)
    assert not compare.difference(want, got, tolerances.LAYERS)


FAST_PATHS = [
    "m = nn.MultiheadAttention(8, 2, batch_first=True).eval()\nwith torch.no_grad(): out = m(*[a] * 3)\nout",
    "m = nn.MultiheadAttention(8, 2, batch_first=True).eval()\n"
    "mask = torch.tensor([[False, True, False]] * 2)\n"
    "with torch.no_grad(): out = m(*[a] * 3, mask, average_attn_weights=False)\n"
    "out",
    "m = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()\n"
    "with torch.no_grad(): out = m(a)\nout",
    "m = nn.TransformerEncoderLayer(8, 2, 16, activation='gelu', norm_first=True, batch_first=True).eval()\n"
    "with torch.no_grad(): out = m(a, nn.Transformer.generate_square_subsequent_mask(3))\nout",
]


@pytest.mark.parametrize("program", FAST_PATHS)
def test_what_torch_computes_by_a_fused_kernel(program):
    lines.works("a = torch.randn(2, 3, 8)\n" + program)


def test_linear_whose_weight_is_no_parameter():
    lines.works("""
m = nn.Linear(2, 3)
w = m.weight
del m.weight
m.weight = w.detach() * 2
m(torch.ones(1, 2)), list(m.state_dict())
""")


# What layers ask beside what they compute, and what differs: other operators, and names of PyTorch's inner functions.
ASIDE = frozenset(("__getitem__", "__int__", "__float__", "item", "__get__", "dim", "size", "stride", "is_contiguous",
                   "is_floating_point"))
OTHERWISE = ("nn.AdaptiveLogSoftmaxWithLoss", "nn.Bilinear")


@pytest.mark.parametrize("layer", sampled([layer for layer in ALL if not layer.startswith(OTHERWISE)], fast=4))
def test_modes_see_the_functions_that_pytorchs_layers_call(layer):
    def run(package):
        class Mode(package.overrides.TorchFunctionMode):
            def __torch_function__(self, function, types, args=(), kwargs=None):
                name = package.overrides.resolve_name(function).rpartition(".")[2]
                seen.append(name.removesuffix("_with_indices"))
                return function(*args, **(kwargs or {}))

        seen, names = [], texts.names(package)
        made, inputs = eval(layer.strip(), names), eval(f"({ALL[layer]},)", names)
        with Mode():
            made(*inputs)
        return [name for name in seen if name not in ASIDE]

    lines.same(run)
