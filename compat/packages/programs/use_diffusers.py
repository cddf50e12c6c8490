import tempfile
import torch
from diffusers import (AutoencoderKL, DDIMPipeline, DDIMScheduler, DDPMPipeline, DDPMScheduler, DPMSolverMultistepScheduler, EulerDiscreteScheduler, FlowMatchEulerDiscreteScheduler, UNet2DConditionModel, UNet2DModel)
from diffusers.optimization import get_cosine_schedule_with_warmup
from diffusers.training_utils import EMAModel
torch.manual_seed(0)
unet = UNet2DModel(sample_size=16, in_channels=3, out_channels=3, layers_per_block=1, block_out_channels=(16, 32), down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D"), norm_num_groups=8, attention_head_dim=8)
noise_schedule = DDPMScheduler(num_train_timesteps=50)
optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-3)
scheduler = get_cosine_schedule_with_warmup(optimizer, 1, 6)
ema = EMAModel(unet.parameters(), decay=0.9)
images = torch.randn(2, 3, 16, 16)
for i in range(3):
    noise, steps = torch.randn_like(images), torch.randint(0, 50, (2,))
    loss = torch.nn.functional.mse_loss(unet(noise_schedule.add_noise(images, noise, steps), steps).sample, noise)
    loss.backward(); norm = torch.nn.utils.clip_grad_norm_(unet.parameters(), 1.0)
    optimizer.step(); scheduler.step(); optimizer.zero_grad(); ema.step(unet.parameters())
    print(i, loss, norm, scheduler.get_last_lr())
unet.eval()
with tempfile.TemporaryDirectory() as folder, torch.no_grad():
    unet.save_pretrained(folder); again = UNet2DModel.from_pretrained(folder)
    print((again(images, 3).sample - unet(images, 3).sample).abs().max())
for pipeline in (DDPMPipeline(unet, noise_schedule), DDIMPipeline(unet, DDIMScheduler(num_train_timesteps=50))):
    pipeline.set_progress_bar_config(disable=True)
    out = pipeline(batch_size=1, generator=torch.Generator().manual_seed(0), num_inference_steps=4, output_type="np").images
    print(type(pipeline).__name__, out.shape, out.mean(), out.std())
for cls in (EulerDiscreteScheduler, DPMSolverMultistepScheduler, FlowMatchEulerDiscreteScheduler):
    s = cls(num_train_timesteps=50); s.set_timesteps(3)
    torch.manual_seed(1); x = torch.randn(1, 3, 8, 8)
    for t in s.timesteps:
        x = s.step(x * 0.1, t, x).prev_sample
    print(cls.__name__, x.mean(), x.std())
torch.manual_seed(0)
vae = AutoencoderKL(block_out_channels=(16, 32), down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2, latent_channels=4, norm_num_groups=8)
latent = vae.encode(images).latent_dist
z = latent.sample(torch.Generator().manual_seed(0))
loss = torch.nn.functional.mse_loss(vae.decode(z).sample, images) + 1e-3 * latent.kl().mean(); loss.backward()
print(z.shape, loss, torch.stack([p.grad.norm() for p in vae.parameters() if p.grad is not None]).norm())
torch.manual_seed(0)
conditional = UNet2DConditionModel(sample_size=8, in_channels=4, out_channels=4, layers_per_block=1, block_out_channels=(16, 32), down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"), up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"), cross_attention_dim=24, norm_num_groups=8, attention_head_dim=8)
out = conditional(torch.randn(2, 4, 8, 8), torch.tensor([3, 7]), torch.randn(2, 5, 24)).sample; out.square().mean().backward()
print(out.std(), torch.stack([p.grad.norm() for p in conditional.parameters() if p.grad is not None]).norm())
