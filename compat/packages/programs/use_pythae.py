import logging
import torch
logging.disable(logging.CRITICAL)
from pythae import models
from pythae.models.base.base_utils import ModelOutput
import tempfile
torch.manual_seed(0)
data = torch.rand(8, 1, 6, 6)
kinds = {"AE": {}, "VAE": {}, "BetaVAE": {"beta": 2.0}, "DisentangledBetaVAE": {}, "IWAE": {"number_samples": 3}, "WAE_MMD": {}, "INFOVAE_MMD": {}, "VAMP": {"number_components": 4}, "VQVAE": {"commitment_loss_factor": 0.25}, "MSSSIM_VAE": {"window_size": 3},
         "RHVAE": {"n_lf": 1}, "HVAE": {"n_lf": 1}, "VAE_LinNF": {}, "VAE_IAF": {"n_made_blocks": 1}, "SVAE": {}, "PoincareVAE": {}, "RAE_L2": {}, "RAE_GP": {}, "CIWAE": {}, "MIWAE": {"number_gradient_estimates": 2, "number_samples": 2}, "PIWAE": {"number_gradient_estimates": 2, "number_samples": 2}}
for name, options in kinds.items():
    torch.manual_seed(1)
    config = getattr(models, name + ("_Config" if "_" in name and name != "MSSSIM_VAE" else "Config"))(input_dim=(1, 6, 6), latent_dim=2, **options)
    model = getattr(models, name)(config)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for i in range(2):
        out = model(ModelOutput(data=data)); optimizer.zero_grad(); out.loss.backward(retain_graph=True); optimizer.step(); print(name, i, out.loss)
    if hasattr(model, "update"): model.update()
    try: print(model.reconstruct(data).sum())
    except Exception as error: print(type(error).__name__)
with tempfile.TemporaryDirectory() as folder:
    model.save(folder); print(type(models.AutoModel.load_from_folder(folder)).__name__)
from pythae.samplers import GaussianMixtureSampler, NormalSampler
torch.manual_seed(2); model = models.VAE(models.VAEConfig(input_dim=(1, 6, 6), latent_dim=2)); print(NormalSampler(model).sample(4).sum())
