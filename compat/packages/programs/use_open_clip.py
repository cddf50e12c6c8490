import io
import open_clip
import torch
from open_clip.loss import ClipLoss, SigLipLoss
from open_clip.model import CLIP, CLIPTextCfg, CLIPVisionCfg
torch.manual_seed(0)
model = CLIP(16, CLIPVisionCfg(layers=2, width=32, head_width=8, patch_size=8, image_size=32), CLIPTextCfg(context_length=12, vocab_size=100, width=32, heads=4, layers=2))
images, text = torch.randn(4, 3, 32, 32), torch.randint(1, 99, (4, 12)); text[:, 8] = 99
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for i in range(3):
    a, b, scale = model(images, text)
    loss = ClipLoss()(a, b, scale)
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    print(i, loss, scale, torch.stack([p.grad.norm() for p in model.parameters() if p.grad is not None]).norm())
print(SigLipLoss()(a, b, scale, torch.tensor(-10.0)))
file = io.BytesIO(); torch.save(model.state_dict(), file); file.seek(0)
again = CLIP(16, CLIPVisionCfg(layers=2, width=32, head_width=8, patch_size=8, image_size=32), CLIPTextCfg(context_length=12, vocab_size=100, width=32, heads=4, layers=2)); again.load_state_dict(torch.load(file))
with torch.no_grad():
    print((again.encode_image(images) - model.encode_image(images)).abs().max(), model.encode_text(text, normalize=True)[0, :4], len(open_clip.list_models()))
model.lock_image_tower(); print(sum(p.requires_grad for p in model.parameters()))
torch.manual_seed(0)
tokens = open_clip.SimpleTokenizer(context_length=8)(["a photo of a cat", "two dogs"]); print(tokens)
transform = open_clip.image_transform(32, is_train=False); print(type(transform).__name__, len(transform.transforms))
