import tempfile
import torch
from transformers import (BertConfig, BertForSequenceClassification, CLIPConfig, CLIPModel, GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, MambaConfig, MambaForCausalLM,
                          T5Config, T5ForConditionalGeneration, ViTConfig, ViTForImageClassification, WhisperConfig, WhisperForConditionalGeneration)
torch.manual_seed(0)
x = torch.randint(3, 100, (2, 12))
small = dict(vocab_size=100, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96, pad_token_id=0, bos_token_id=1, eos_token_id=2)
images = torch.randn(2, 3, 16, 16)
families = {
    "gpt2": (GPT2LMHeadModel, GPT2Config(vocab_size=100, n_positions=64, n_embd=48, n_layer=2, n_head=4, bos_token_id=1, eos_token_id=2), dict(input_ids=x, labels=x)),
    "bert": (BertForSequenceClassification, BertConfig(**small), dict(input_ids=x, labels=torch.tensor([0, 1]))),
    "llama": (LlamaForCausalLM, LlamaConfig(**small, num_key_value_heads=2), dict(input_ids=x, labels=x)),
    "t5": (T5ForConditionalGeneration, T5Config(vocab_size=100, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, decoder_start_token_id=0), dict(input_ids=x, labels=x)),
    "vit": (ViTForImageClassification, ViTConfig(hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96, image_size=16, patch_size=8), dict(pixel_values=images, labels=torch.tensor([0, 1]))),
    "whisper": (WhisperForConditionalGeneration, WhisperConfig(vocab_size=100, d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, max_source_positions=20, max_target_positions=32, num_mel_bins=8, pad_token_id=0, decoder_start_token_id=1, bos_token_id=1, eos_token_id=2),
                dict(input_features=torch.randn(2, 8, 40), labels=x)),
    "clip": (CLIPModel, CLIPConfig(text_config=dict(vocab_size=100, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=32, eos_token_id=2, bos_token_id=1, pad_token_id=0), vision_config=dict(hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, image_size=16, patch_size=8), projection_dim=16),
             dict(input_ids=x, pixel_values=images, return_loss=True)),
    "mamba": (MambaForCausalLM, MambaConfig(vocab_size=100, hidden_size=32, num_hidden_layers=2), dict(input_ids=x, labels=x)),
}
for name, (cls, config, inputs) in families.items():
    torch.manual_seed(1)
    model = cls(config)
    model.eval()  # dropout draws differ in order between implementations of attention
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for i in range(2):
        loss = model(**inputs).loss
        optimizer.zero_grad(); loss.backward(); optimizer.step()
        print(name, i, loss, torch.stack([p.grad.norm() for p in model.parameters() if p.grad is not None]).norm())
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        again = cls.from_pretrained(folder).eval()
        with torch.no_grad():
            print(name, again(**inputs).loss, sum(p.numel() for p in again.parameters()))
