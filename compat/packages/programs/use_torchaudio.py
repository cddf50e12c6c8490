import io
import torch
import torchaudio
from torch import nn
from torchaudio import functional as F, models, transforms as T
from torchaudio.compliance import kaldi
torch.manual_seed(0)
wave = torch.sin(torch.arange(8000) * torch.linspace(0.05, 0.4, 8000)).repeat(2, 1) + 0.1 * torch.randn(2, 8000)

def show(name, x):
    print(name, tuple(x.shape), x.dtype, x.abs().float().mean(), x.abs().float().std(), x.flatten()[:3])

for name, transform in {
        "Spectrogram": T.Spectrogram(256), "complex": T.Spectrogram(256, power=None), "MelSpectrogram": T.MelSpectrogram(16000, 256, n_mels=20),
        "MFCC": T.MFCC(16000, 13, melkwargs={"n_fft": 256, "n_mels": 30}), "LFCC": T.LFCC(16000, n_lfcc=10, speckwargs={"n_fft": 256}),
        "Resample": T.Resample(16000, 11025), "kaiser": T.Resample(16000, 8000, resampling_method="sinc_interp_kaiser"), "MuLawEncoding": T.MuLawEncoding(),
        "AmplitudeToDB": nn.Sequential(T.Spectrogram(256), T.AmplitudeToDB("power", 80)), "Fade": T.Fade(500, 500, "logarithmic"), "Vol": T.Vol(1.5),
        "SpectralCentroid": T.SpectralCentroid(16000, 256), "ComputeDeltas": nn.Sequential(T.MelSpectrogram(16000, 256, n_mels=20), T.ComputeDeltas()), "PitchShift": T.PitchShift(16000, 3, n_fft=256),
        "Speed": T.Speed(16000, 1.1), "TimeStretch": nn.Sequential(T.Spectrogram(256, power=None), T.TimeStretch(n_freq=129, fixed_rate=1.3)), "Deemphasis": T.Deemphasis()}.items():
    out = transform(wave)
    show(name, out[0] if name == "Speed" else out)
masks = nn.Sequential(T.Spectrogram(256), T.FrequencyMasking(20), T.TimeMasking(15), T.SpecAugment(2, 5, 2, 5))
torch.manual_seed(1); show("masks", masks(wave))
show("GriffinLim", T.GriffinLim(256, n_iter=4, rand_init=False)(T.Spectrogram(256)(wave)))
show("InverseMelScale", T.InverseMelScale(129, 20, 16000)(T.MelSpectrogram(16000, 256, n_mels=20)(wave))[:, 1:])  # bin 0 has no weight: it is rounding
show("MVDR", T.MVDR()(torch.stft(wave, 128, window=torch.hann_window(128), return_complex=True).to(torch.cdouble), torch.rand(65, 251), torch.rand(65, 251)))
show("PSD", T.PSD()(torch.stft(wave, 128, window=torch.hann_window(128), return_complex=True)))
for name in ("fbank", "mfcc", "spectrogram"):
    show(name, getattr(kaldi, name)(wave[:1], dither=0.0))
for name, x in {"lowpass": F.lowpass_biquad(wave, 16000, 3000.0), "highpass": F.highpass_biquad(wave, 16000, 500.0), "equalizer": F.equalizer_biquad(wave, 16000, 1000.0, 3.0), "bass": F.bass_biquad(wave, 16000, 4.0),
                "overdrive": F.overdrive(wave), "phaser": F.phaser(wave[:, :600], 16000), "flanger": F.flanger(wave[:, :600], 16000), "contrast": F.contrast(wave), "dcshift": F.dcshift(wave, 0.1), "vad": F.vad(wave, 16000),
                "mu_law": F.mu_law_decoding(F.mu_law_encoding(wave, 256), 256), "convolve": F.convolve(wave, wave[:, :64]), "fftconvolve": F.fftconvolve(wave, wave[:, :64]), "add_noise": F.add_noise(wave, wave.flip(1), torch.tensor([10.0, 3.0])),
                "pitch": F.detect_pitch_frequency(wave, 16000), "loudness": F.loudness(wave.repeat(1, 4), 16000), "cmn": F.sliding_window_cmn(wave[:, :400].reshape(2, 40, 10)), "melscale": F.melscale_fbanks(65, 0.0, 4000.0, 12, 8000, "slaney", "slaney")}.items():
    show(name, x)
# filters and losses with gradients
x, a, b = wave[:, :500].clone().requires_grad_(), torch.tensor([1.0, -0.7, 0.3], requires_grad=True), torch.tensor([0.4, 0.2, 0.1], requires_grad=True)
F.lfilter(x, a, b, clamp=False).pow(2).sum().backward()
print(x.grad.norm(), a.grad, b.grad, torch.autograd.gradcheck(lambda x, a: F.lfilter(x, a, b.detach().double(), clamp=False), (torch.randn(2, 6, dtype=torch.double, requires_grad=True), a.detach().double().requires_grad_())))
logits, targets = torch.randn(3, 7, 5, 6, requires_grad=True), torch.randint(1, 6, (3, 4), dtype=torch.int32)
for fused in (True, False):
    given = logits if fused else logits.log_softmax(-1)
    loss = F.rnnt_loss(given, targets, torch.tensor([7, 6, 4], dtype=torch.int32), torch.tensor([4, 3, 2], dtype=torch.int32), blank=0, fused_log_softmax=fused, reduction="none")
    logits.grad = None; loss.sum().backward(); print(loss, logits.grad.norm(), logits.grad[1, 2, 1])
print(T.RNNTLoss(blank=0, clamp=0.05)(logits, targets, torch.full((3,), 7, dtype=torch.int32), torch.full((3,), 4, dtype=torch.int32)))
labels, scores = F.forced_align(torch.randn(1, 12, 5).log_softmax(-1), torch.tensor([[1, 2, 2, 4]], dtype=torch.int32)); print(labels, scores, F.merge_tokens(labels[0], scores[0].exp()))
print(F.edit_distance("kitten", "sitting"))
# models
def train(model, loss_of):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for i in range(2):
        loss = loss_of(model); optimizer.zero_grad(); loss.backward(); optimizer.step()
        print(type(model).__name__, i, loss, torch.stack([p.grad.norm() for p in model.parameters() if p.grad is not None]).norm())
    file = io.BytesIO(); torch.save(model.state_dict(), file); file.seek(0); print(model.load_state_dict(torch.load(file)))

ctc = nn.CTCLoss(zero_infinity=True)
train(models.Conformer(20, 2, 32, 1, 5, dropout=0.0), lambda m: m(torch.ones(2, 10, 20).cumsum(1) / 10, torch.tensor([10, 7]))[0].pow(2).mean())
train(models.Wav2Letter(num_classes=5, num_features=20, input_type="mfcc"), lambda m: ctc(m(torch.ones(2, 20, 40).cumsum(2) / 10).permute(2, 0, 1), torch.tensor([[1, 2], [3, 1]]), torch.full((2,), 20), torch.full((2,), 2)))
train(models.ConvTasNet(2, 8, 16, 3, 8, 16, 2, 1), lambda m: (m(wave[:, None, :400]) - wave[:, None, :400]).pow(2).mean())
train(models.wav2vec2_model(extractor_mode="group_norm", extractor_conv_layer_config=[(16, 10, 5), (16, 3, 2)], extractor_conv_bias=False, encoder_embed_dim=16, encoder_projection_dropout=0.0, encoder_pos_conv_kernel=8, encoder_pos_conv_groups=2,
                            encoder_num_layers=1, encoder_num_heads=2, encoder_attention_dropout=0.0, encoder_ff_interm_features=32, encoder_ff_interm_dropout=0.0, encoder_dropout=0.0, encoder_layer_norm_first=False, encoder_layer_drop=0.0, aux_num_out=5),
      lambda m: m(wave[:, :1000])[0].pow(2).mean())
train(models.Tacotron2(n_mels=8, n_symbol=10, symbol_embedding_dim=16, encoder_embedding_dim=16, decoder_rnn_dim=16, attention_rnn_dim=16, prenet_dim=8, attention_hidden_dim=8, attention_location_n_filter=4, postnet_embedding_dim=8, decoder_max_step=20,
                       decoder_dropout=0.0, attention_dropout=0.0).eval(), lambda m: m(torch.randint(10, (2, 6)), torch.tensor([6, 4]), torch.ones(2, 8, 9), torch.tensor([9, 7]))[1].pow(2).mean())
