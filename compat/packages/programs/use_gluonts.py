import torch
from gluonts.torch.distributions import BetaOutput, GammaOutput, LaplaceOutput, NegativeBinomialOutput, NormalOutput, PoissonOutput, StudentTOutput
from gluonts.torch.model.deepar.module import DeepARModel
from gluonts.torch.model.d_linear.module import DLinearModel
from gluonts.torch.model.simple_feedforward.module import SimpleFeedForwardModel
from gluonts.torch.scaler import MeanScaler, StdScaler
torch.manual_seed(0)
series = torch.rand(2, 60).cumsum(1)
for output in (NormalOutput(), StudentTOutput(), LaplaceOutput(), GammaOutput(), NegativeBinomialOutput(), PoissonOutput(), BetaOutput()):
    args = output.get_args_proj(4)(torch.randn(2, 5, 4)); distribution = output.distribution(args)
    torch.manual_seed(1); sample = distribution.sample(); print(type(output).__name__, sample.sum(), distribution.log_prob(sample.clamp(0.1, 0.9) if "Beta" in type(output).__name__ else sample.abs() + 0.1 if "Gamma" in type(output).__name__ else sample).sum(), distribution.mean.sum())
for scaler in (MeanScaler(dim=1, keepdim=True), StdScaler(dim=1, keepdim=True)):
    print([x.sum() for x in scaler(series, torch.ones_like(series))])

def steps(model, loss_of):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for i in range(3):
        loss = loss_of(); optimizer.zero_grad(); loss.backward(); optimizer.step(); print(type(model).__name__, i, loss)

for make in (SimpleFeedForwardModel, DLinearModel):
    torch.manual_seed(0); options = dict(hidden_dimensions=[8]) if make is SimpleFeedForwardModel else dict(hidden_dimension=8)
    model = make(prediction_length=5, context_length=20, **options)
    given = (series[:, :20],) if make is SimpleFeedForwardModel else (series[:, :20], torch.ones(2, 20))
    def loss_of():
        args, loc, scale = model(*given); return -model.distr_output.distribution(args, loc=loc, scale=scale).log_prob(series[:, 20:25]).mean()
    steps(model, loss_of)
torch.manual_seed(0)
model = DeepARModel(freq="D", context_length=20, prediction_length=5, num_feat_dynamic_real=1, num_feat_static_real=1, num_feat_static_cat=1, cardinality=[3], hidden_size=8, num_layers=1, dropout_rate=0.0, lags_seq=[1, 2, 7], num_parallel_samples=4)
past = model._past_length
batch = dict(feat_static_cat=torch.tensor([[0], [2]]), feat_static_real=torch.rand(2, 1), past_time_feat=torch.rand(2, past, 1), past_target=series[:, :past], past_observed_values=torch.ones(2, past), future_time_feat=torch.rand(2, 5, 1))
steps(model, lambda: model.loss(**batch, future_target=series[:, past:past + 5], future_observed_values=torch.ones(2, 5)).mean())
torch.manual_seed(2); print(model(**batch).mean((1, 2)))
