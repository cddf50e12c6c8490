import tempfile
import torch
from peft import (AdaLoraConfig, IA3Config, LoraConfig, PeftModel, PrefixTuningConfig, PromptTuningConfig, VeraConfig, get_peft_model, get_peft_model_state_dict)
from transformers import GPT2Config, GPT2LMHeadModel
torch.manual_seed(0)
x = torch.randint(3, 100, (2, 10))

def base():
    torch.manual_seed(1)
    return GPT2LMHeadModel(GPT2Config(vocab_size=100, n_positions=64, n_embd=32, n_layer=2, n_head=4, bos_token_id=1, eos_token_id=2, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0))

for config in (LoraConfig(r=4, lora_alpha=8, target_modules=["c_attn"], fan_in_fan_out=True), LoraConfig(r=4, use_dora=True, use_rslora=True, target_modules=["c_attn", "c_proj"], fan_in_fan_out=True),
               IA3Config(target_modules=["c_attn"], feedforward_modules=[], fan_in_fan_out=True), PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=3), PrefixTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=3),
               AdaLoraConfig(target_modules=["c_attn"], fan_in_fan_out=True, total_step=10, tinit=1, tfinal=2), VeraConfig(r=4, target_modules=["c_attn"], fan_in_fan_out=True)):
    model = base()
    torch.manual_seed(2)
    model = get_peft_model(model, config)
    trainable, every = model.get_nb_trainable_parameters()
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    for i in range(3):
        loss = model(input_ids=x, labels=x).loss
        optimizer.zero_grad(); loss.backward(); optimizer.step()
        print(type(config).__name__, i, loss, torch.stack([p.grad.norm() for p in model.parameters() if p.grad is not None]).norm())
    print(trainable, every, sorted(get_peft_model_state_dict(model))[:2])
    model.eval()
    with torch.no_grad(), tempfile.TemporaryDirectory() as folder:
        want = model(input_ids=x).logits
        model.save_pretrained(folder)
        print((PeftModel.from_pretrained(base(), folder).eval()(input_ids=x).logits - want).abs().max() < 1e-5)
        if isinstance(config, LoraConfig) and not isinstance(config, AdaLoraConfig):
            with model.disable_adapter():
                print((model(input_ids=x).logits - want).abs().max())
            print((model.merge_and_unload()(input_ids=x).logits - want).abs().max() < 1e-4)
