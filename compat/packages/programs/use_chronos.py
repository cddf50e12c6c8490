import logging
import tempfile
import torch
from transformers import T5Config, T5ForConditionalGeneration
from chronos import ChronosPipeline, ChronosBoltPipeline
from chronos.chronos import ChronosConfig, ChronosModel
from chronos.chronos_bolt import ChronosBoltConfig, ChronosBoltModelForForecasting
logging.disable(logging.CRITICAL)
torch.manual_seed(0)
config = T5Config(vocab_size=64, d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2, dropout_rate=0.0, decoder_start_token_id=0, pad_token_id=0, eos_token_id=1)
settings = dict(tokenizer_class="MeanScaleUniformBins", tokenizer_kwargs={"low_limit": -5.0, "high_limit": 5.0}, context_length=32, prediction_length=6, n_tokens=64, n_special_tokens=2, pad_token_id=0, eos_token_id=1, use_eos_token=True, model_type="seq2seq", num_samples=3, temperature=1.0, top_k=50, top_p=1.0)
config.chronos_config = settings
t5 = T5ForConditionalGeneration(config)
chronos = ChronosConfig(**settings)
pipeline = ChronosPipeline(tokenizer=chronos.create_tokenizer(), model=ChronosModel(config=chronos, model=t5.eval()))
context = torch.sin(torch.arange(40) / 3.0).repeat(2, 1) + torch.tensor([[0.0], [1.0]])
torch.manual_seed(1); forecast = pipeline.predict(context, prediction_length=6); print(forecast.shape, forecast.mean((1, 2)), forecast[0, 0])
embeddings, state = pipeline.embed(context); print(embeddings.shape, embeddings.float().mean(), state[0])
ids, mask, scale = chronos.create_tokenizer().context_input_transform(context); print(ids[:, :6], mask.sum(), scale)
optimizer = torch.optim.AdamW(t5.parameters(), lr=1e-2)
for i in range(3):
    loss = t5(input_ids=ids, attention_mask=mask, labels=ids[:, :7].contiguous()).loss; optimizer.zero_grad(); loss.backward(); optimizer.step(); print(i, loss)
bolt = T5Config(vocab_size=2, d_model=16, d_kv=8, d_ff=32, num_layers=1, num_decoder_layers=1, num_heads=2, dropout_rate=0.0, decoder_start_token_id=0, pad_token_id=0, feed_forward_proj="relu", dense_act_fn="relu", reg_token_id=1)
bolt.chronos_config = dict(context_length=32, prediction_length=8, input_patch_size=8, input_patch_stride=8, quantiles=[0.1, 0.5, 0.9], use_reg_token=True)
torch.manual_seed(0); model = ChronosBoltModelForForecasting(bolt)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for i in range(3):
    out = model(context=context[:, :32], target=context[:, 32:]); optimizer.zero_grad(); out.loss.backward(); optimizer.step(); print(i, out.loss, out.quantile_preds.sum())
print(ChronosBoltPipeline(model.eval()).predict(context, prediction_length=12).mean(1))
