import torch
from vector_quantize_pytorch import FSQ, LFQ, RandomProjectionQuantizer, ResidualVQ, SimVQ, VectorQuantize
torch.manual_seed(0)
x = torch.randn(2, 32, 16)
vq = VectorQuantize(dim=16, codebook_size=24, decay=0.8, commitment_weight=1.0)
for i in range(3):
    quantized, indices, loss = vq(x)
    print(i, loss, indices[0, :6], quantized.norm())
for quantizer in (VectorQuantize(dim=16, codebook_size=24, use_cosine_sim=True, codebook_dim=8), SimVQ(dim=16, codebook_size=24),
                  ResidualVQ(dim=16, num_quantizers=3, codebook_size=24)):
    y = x.clone().requires_grad_()
    quantized, indices, loss = quantizer(y)
    (quantized.pow(2).sum() + loss.sum()).backward()
    print(type(quantizer).__name__, indices[0, :3], loss, y.grad.norm())
fsq = FSQ([8, 5, 5, 5]); z = torch.randn(1, 10, 4)
zhat, indices = fsq(z); print(indices, torch.allclose(zhat, fsq.indices_to_codes(indices)))
lfq = LFQ(codebook_size=16, dim=16, entropy_loss_weight=0.1); quantized, indices, loss = lfq(x); print(indices[0, :6], loss)
print(RandomProjectionQuantizer(dim=16, num_codebooks=2, codebook_dim=8, codebook_size=32)(x)[0, :4])
