import tempfile
import torch
from transformers import BertConfig, BertForSequenceClassification, PrinterCallback, Trainer, TrainerCallback, TrainingArguments, set_seed
set_seed(0)
model = BertForSequenceClassification(BertConfig(vocab_size=50, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0))
torch.manual_seed(0)
data = [{"input_ids": torch.randint(0, 50, (8,)), "labels": torch.tensor(i % 2)} for i in range(24)]

class Log(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        print(state.global_step, {k: round(v, 5) for k, v in logs.items() if k in ("loss", "grad_norm", "learning_rate", "eval_loss", "eval_right", "train_loss")})

def metrics(result):
    return {"right": float((result.predictions.argmax(-1) == result.label_ids).mean())}

with tempfile.TemporaryDirectory() as folder:
    args = TrainingArguments(folder, num_train_epochs=2, per_device_train_batch_size=4, learning_rate=1e-3, logging_steps=3, eval_strategy="epoch", save_strategy="epoch", report_to=[], disable_tqdm=True, seed=0,
                             gradient_accumulation_steps=2, warmup_steps=2, weight_decay=0.01, use_cpu=True)
    trainer = Trainer(model, args, train_dataset=data[:16], eval_dataset=data[16:], compute_metrics=metrics, callbacks=[Log()])
    trainer.remove_callback(PrinterCallback)
    trainer.train()
    print(trainer.predict(data[16:]).predictions[0])
    trainer.save_model(folder + "/last")
    again = BertForSequenceClassification.from_pretrained(folder + "/last").eval()
    print(again(input_ids=data[0]["input_ids"][None]).logits)
    trainer = Trainer(again, TrainingArguments(folder, num_train_epochs=3, per_device_train_batch_size=4, learning_rate=1e-3, logging_steps=3, report_to=[], disable_tqdm=True, seed=0, save_strategy="no", gradient_accumulation_steps=2, use_cpu=True), train_dataset=data[:16], callbacks=[Log()])
    trainer.remove_callback(PrinterCallback)
    trainer.train(resume_from_checkpoint=True)
