import warnings
warnings.filterwarnings("ignore")
import torch
from speechbrain.lobes.features import Fbank, MFCC
from speechbrain.lobes.models.ECAPA_TDNN import ECAPA_TDNN
from speechbrain.nnet.CNN import Conv1d, SincConv
from speechbrain.nnet.RNN import GRU, LiGRU
from speechbrain.nnet.losses import ctc_loss, nll_loss, get_si_snr_with_pitwrapper
from speechbrain.nnet.attention import MultiheadAttention, RelPosMHAXL, RelPosEncXL
from speechbrain.processing.features import STFT, InputNormalization
from speechbrain.augment.time_domain import DropChunk, SpeedPerturb
torch.manual_seed(0)
wave = torch.sin(torch.arange(8000) * 0.05)[None].repeat(2, 1) + 0.1 * torch.randn(2, 8000)
features = Fbank(n_mels=20)(wave); print(features.shape, features.mean(), MFCC(n_mels=20, n_mfcc=8)(wave).norm(), STFT(16000)(wave).norm(), InputNormalization()(features, torch.ones(2)).std())
for name, model in {"ecapa": ECAPA_TDNN(20, lin_neurons=8, channels=[16] * 4 + [48], attention_channels=8, kernel_sizes=[5, 3, 3, 3, 1], dilations=[1, 2, 3, 4, 1]), "ligru": LiGRU(8, input_shape=features.shape), "gru": GRU(8, input_shape=features.shape, bidirectional=True)}.items():
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for i in range(2):
        out = model(features); loss = (out[0] if isinstance(out, tuple) else out).pow(2).mean(); optimizer.zero_grad(); loss.backward(); optimizer.step(); print(name, i, loss)
print(SincConv(4, 25, input_shape=(2, 8000))(wave).norm(), Conv1d(4, 3, input_shape=features.shape)(features).norm())
probabilities = torch.randn(2, 10, 5).log_softmax(-1); print(ctc_loss(probabilities, torch.tensor([[1, 2, 3], [2, 1, 0]]), torch.ones(2), torch.tensor([1.0, 0.67]), 0), nll_loss(probabilities[:, 0], torch.tensor([1, 2])))
print(get_si_snr_with_pitwrapper(torch.randn(1, 100, 2), torch.randn(1, 100, 2)))
x = torch.randn(2, 6, 8); print(RelPosMHAXL(8, 2)(x, x, x, RelPosEncXL(8)(x))[0].norm(), MultiheadAttention(2, 8)(x, x, x)[0].norm())
torch.manual_seed(1); print(DropChunk()(wave, torch.ones(2)).norm(), SpeedPerturb(16000, [90])(wave).shape)
