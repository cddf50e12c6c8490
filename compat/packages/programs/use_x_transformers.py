import torch
from x_transformers import AutoregressiveWrapper, Decoder, Encoder, TransformerWrapper, XTransformer
torch.manual_seed(0)
model = AutoregressiveWrapper(TransformerWrapper(
    num_tokens=50, max_seq_len=32, attn_layers=Decoder(dim=32, depth=2, heads=4, attn_dim_head=8, rotary_pos_emb=True, use_rmsnorm=True, ff_glu=True, ff_swish=True, attn_qk_norm=True)))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
x = torch.randint(0, 50, (2, 32))
for i in range(3):
    loss = model(x)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step(); optimizer.zero_grad()
    print(i, loss)
model.eval()
print(model.generate(x[:, :4], 6, temperature=0.0, cache_kv=True))
encoder = TransformerWrapper(num_tokens=50, max_seq_len=32, attn_layers=Encoder(dim=32, depth=2, heads=4, attn_dim_head=8, rel_pos_bias=True, gate_residual=True))
mask = torch.ones_like(x).bool(); mask[1, 20:] = False
print(encoder(x, mask=mask)[1, 0, :5])
pair = XTransformer(dim=16, enc_num_tokens=20, enc_depth=1, enc_heads=2, enc_max_seq_len=16, dec_num_tokens=20, dec_depth=1, dec_heads=2, dec_max_seq_len=16)
loss = pair(x[:, :8] % 20, x[:, 8:18] % 20, mask=mask[:, :8])
loss.backward()
print(loss, sum(p.grad.norm() for p in pair.parameters() if p.grad is not None))
