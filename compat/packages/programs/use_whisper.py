"""Speech models with random weights: openai-whisper, encodec."""
import numpy as np
import torch
import whisper
from encodec import EncodecModel
torch.manual_seed(0)
wave = torch.sin(torch.arange(16000) * 0.05)
mel = whisper.log_mel_spectrogram(whisper.pad_or_trim(wave, 16000), n_mels=80); print(mel.shape, mel.mean(), mel.std())
dims = whisper.model.ModelDimensions(n_mels=80, n_audio_ctx=50, n_audio_state=32, n_audio_head=2, n_audio_layer=2, n_vocab=51864, n_text_ctx=16, n_text_state=32, n_text_head=2, n_text_layer=2)
model = whisper.model.Whisper(dims)
for p in model.parameters(): torch.nn.init.normal_(p, std=0.05)
tokens = torch.randint(0, 1000, (1, 6)); optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for i in range(2):
    logits = model(mel[None, :, :100], tokens); loss = torch.nn.functional.cross_entropy(logits[0, :-1], tokens[0, 1:]); optimizer.zero_grad(); loss.backward(); optimizer.step(); print(i, loss)
print(whisper.decode(model.eval(), mel[:, :100], whisper.DecodingOptions(language="en", fp16=False, sample_len=5, without_timestamps=True)).tokens)
print(sum(p.numel() for p in model.parameters()))
codec = EncodecModel.encodec_model_24khz(pretrained=False); codec.set_target_bandwidth(1.5)
with torch.no_grad():
    codes = codec.encode(wave[None, None, :4800]); print(codes[0][0].shape, codec.decode(codes).shape, codec.encoder(wave[None, None, :4800]).norm())
