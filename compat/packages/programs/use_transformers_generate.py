import json, pathlib, tempfile
import torch
from transformers import (DynamicCache, GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, MambaConfig, MambaForCausalLM, PreTrainedTokenizerFast, T5Config,
                          T5ForConditionalGeneration, pipeline)
torch.manual_seed(0)
x = torch.randint(3, 100, (2, 5))
ids = dict(pad_token_id=0, bos_token_id=1, eos_token_id=None)
torch.manual_seed(1); gpt2 = GPT2LMHeadModel(GPT2Config(vocab_size=100, n_positions=64, n_embd=48, n_layer=2, n_head=4, **ids)).eval()
torch.manual_seed(1); llama = LlamaForCausalLM(LlamaConfig(vocab_size=100, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, intermediate_size=96, **ids)).eval()
torch.manual_seed(1); mamba = MambaForCausalLM(MambaConfig(vocab_size=100, hidden_size=32, num_hidden_layers=2, **ids)).eval()
torch.manual_seed(1); t5 = T5ForConditionalGeneration(T5Config(vocab_size=100, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, decoder_start_token_id=0, pad_token_id=0, eos_token_id=None)).eval()
for model in (gpt2, llama, mamba, t5):
    print(type(model).__name__, model.generate(x, max_new_tokens=5, do_sample=False).tolist())
for model in (gpt2, llama):
    print(model.generate(x, max_new_tokens=4, do_sample=False, use_cache=False).tolist())
    torch.manual_seed(2); print(model.generate(x, max_new_tokens=5, do_sample=True, top_k=20, top_p=0.9, temperature=0.8).tolist())
    print(model.generate(x, max_new_tokens=4, num_beams=3, do_sample=False, no_repeat_ngram_size=2).tolist())
    print(model.generate(x, max_new_tokens=4, do_sample=False, cache_implementation="static").tolist())
out = llama.generate(x, max_new_tokens=3, do_sample=False, output_scores=True, return_dict_in_generate=True); print(out.scores[-1][0, :5], type(out.past_key_values).__name__)
cache = DynamicCache(config=llama.config)
with torch.no_grad():
    a = llama(x, past_key_values=cache).logits[:, -1]; b = llama(a.argmax(-1, keepdim=True), past_key_values=cache).logits[0, -1, :4]
print(a[0, :4], b, cache.get_seq_length())
# pipelines from local files
with tempfile.TemporaryDirectory() as folder:
    from tokenizers import Tokenizer, models, pre_tokenizers
    words = Tokenizer(models.WordLevel({w: i for i, w in enumerate(["<pad>", "<s>", "</s>", "the", "cat", "sat", "on", "mat", "dog", "ran", "<unk>"])}, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>")
    gpt2.save_pretrained(folder); tokenizer.save_pretrained(folder)
    generate = pipeline("text-generation", model=folder, tokenizer=folder)
    print(generate("the cat sat", max_new_tokens=4, do_sample=False))
    features = pipeline("feature-extraction", model=folder, tokenizer=folder)
    print(torch.tensor(features("the dog ran")).shape, torch.tensor(features("the dog ran")).mean())
