import tempfile
import torch
from datasets import Dataset
from datasets.table import InMemoryTable
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast, PrinterCallback, TrainerCallback
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer
names = ["<pad>", "<s>", "</s>", "<unk>", "the", "cat", "sat", "on", "mat", "dog", "ran", "a", "bird", "sang", "well"]
words = Tokenizer(models.WordLevel({w: i for i, w in enumerate(names)}, unk_token="<unk>")); words.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>")

def model():
    torch.manual_seed(0)
    return GPT2LMHeadModel(GPT2Config(vocab_size=len(names), n_positions=32, n_embd=32, n_layer=2, n_head=4, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=1, eos_token_id=2, pad_token_id=0))

def data(**columns):  # without the hash of its contents, for which datasets pickles pyarrow's classes
    return Dataset(InMemoryTable.from_pydict(columns), fingerprint="own" + "".join(columns))

class Log(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        print(state.global_step, {k: v for k, v in logs.items() if k in ("loss", "grad_norm", "rewards/margins", "rewards/accuracies", "mean_token_accuracy", "entropy")})

texts = ["the cat sat on the mat", "a dog ran", "the bird sang well", "a cat ran", "the dog sat on a mat", "a bird sat", "the cat sang", "the mat ran"]
with tempfile.TemporaryDirectory() as folder:
    common = dict(output_dir=folder, per_device_train_batch_size=2, max_steps=4, learning_rate=1e-3, logging_steps=1, report_to=[], disable_tqdm=True, seed=0, save_strategy="no", use_cpu=True, bf16=False, gradient_checkpointing=False)
    trainer = SFTTrainer(model(), args=SFTConfig(**common, max_length=16), train_dataset=data(text=texts), processing_class=tokenizer, callbacks=[Log()])
    trainer.remove_callback(PrinterCallback)
    trainer.train()
    pairs = data(**{"prompt": ["the cat", "a dog", "the bird", "a cat"], "chosen": [" sat on the mat", " ran", " sang well", " sat"], "rejected": [" sang", " sang", " ran", " ran the"]})
    trainer = DPOTrainer(model(), ref_model=model(), args=DPOConfig(**common, beta=0.1), train_dataset=pairs, processing_class=tokenizer, callbacks=[Log()])
    trainer.remove_callback(PrinterCallback)
    trainer.train()
