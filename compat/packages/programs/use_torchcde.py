"""Series: torchcde, pytorch-crf, pytorch_wavelets, nnAudio, torchlibrosa, julius, auraloss."""
import auraloss
import julius
import torch
import torchcde
from nnAudio.features import CQT1992v2, MelSpectrogram, STFT
from pytorch_wavelets import DTCWTForward, DWT1DForward, DWTForward, DWTInverse
from torchcrf import CRF
from torchlibrosa.stft import LogmelFilterBank, Spectrogram
torch.manual_seed(0)
t = torch.linspace(0, 1, 10); x = torch.stack([t.expand(3, -1), torch.randn(3, 10).cumsum(1)], -1)


class Field(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 8)

    def forward(self, t, z):
        return self.linear(z).tanh().view(-1, 4, 2)


field = Field(); optimizer = torch.optim.Adam(field.parameters(), lr=1e-2)
for make, path in ((torchcde.hermite_cubic_coefficients_with_backward_differences, torchcde.CubicSpline), (torchcde.natural_cubic_coeffs, torchcde.CubicSpline), (torchcde.linear_interpolation_coeffs, torchcde.LinearInterpolation)):
    X = path(make(x)); z = torchcde.cdeint(X=X, func=field, z0=torch.ones(3, 4), t=X.interval, method="rk4", options=dict(step_size=0.1), adjoint=False)
    loss = z[:, -1].pow(2).mean(); optimizer.zero_grad(); loss.backward(); optimizer.step(); print(path.__name__, loss, field.linear.weight.grad.norm())
print(torchcde.linear_interpolation_coeffs(torch.tensor([[[1.0], [float("nan")], [3.0]]])))
crf = CRF(5, batch_first=True); scores, tags, mask = torch.randn(2, 6, 5, requires_grad=True), torch.randint(5, (2, 6)), torch.tensor([[1] * 6, [1] * 4 + [0] * 2]).bool()
loss = -crf(scores, tags, mask, reduction="mean"); loss.backward(); print(loss, scores.grad.norm(), crf.decode(scores, mask))
wave = torch.sin(torch.arange(2048) * 0.1)[None].requires_grad_()
low, high = DWTForward(J=2, wave="db3", mode="symmetric")(torch.rand(1, 2, 16, 16)); print(low.norm(), [h.norm() for h in high], DWTInverse(wave="db3", mode="symmetric")((low, high)).shape, DWT1DForward(J=2, wave="haar")(wave[:, None])[0].norm(), DTCWTForward(J=2)(torch.rand(1, 1, 16, 16))[0].norm())
print(STFT(n_fft=256, verbose=False)(wave).shape, MelSpectrogram(n_fft=256, n_mels=20, verbose=False)(wave).norm(), CQT1992v2(sr=8000, fmin=200, n_bins=24, verbose=False)(wave).norm())
spectrogram = Spectrogram(n_fft=256, hop_length=128)(wave); print(spectrogram.norm(), LogmelFilterBank(sr=8000, n_fft=256, n_mels=20, fmin=50, fmax=4000)(spectrogram).norm())
print(julius.resample_frac(wave, 3, 2).norm(), julius.lowpass_filter(wave, 0.1).norm(), [b.norm() for b in julius.split_bands(wave, 8000, 3)], julius.fft_conv1d(wave[:, None], torch.ones(1, 1, 50)).norm())
wave = (wave.double() + 0.01 * torch.randn(1, 2048)).detach().requires_grad_()  # the logarithm of nothing has no certain gradient
other = (wave * 0.9 + 0.01 * torch.randn(1, 2048)).detach()
for loss in (auraloss.time.SISDRLoss(), auraloss.time.ESRLoss(), auraloss.freq.STFTLoss(fft_size=256, hop_size=64, win_length=256), auraloss.freq.MultiResolutionSTFTLoss([256, 128], [64, 32], [256, 128])):
    value = loss(wave[:, None], other[:, None]); (g,) = torch.autograd.grad(value, wave); print(type(loss).__name__, value, g.norm())
