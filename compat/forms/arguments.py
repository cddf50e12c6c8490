"""What `constructors` gives for an argument, as texts, and what it does with the object.

A name with a class ("Unfold.padding") goes before the name alone.
"""

import itertools


def parameters(t):
    """Two parameters with gradients."""
    made = [t.nn.Parameter(t.arange(1., 5.).view(2, 2)), t.nn.Parameter(t.ones(2))]
    for x in made:
        x.grad = x.detach() * 0.5
    return made


def optimizer(t, **options):
    """One that schedules change."""
    return t.optim.SGD(parameters(t), lr=0.1, momentum=0.5, **options)


def dataset(t):
    """Six samples."""
    return t.utils.data.TensorDataset(t.arange(12.).view(6, 2), t.arange(6))


def schedules(t, given):
    """Two of one optimizer."""
    return [t.optim.lr_scheduler.ConstantLR(given), t.optim.lr_scheduler.ExponentialLR(given, 0.5)]


HELPERS = {"parameters": parameters, "optimizer": optimizer, "dataset": dataset, "schedules": schedules}
_POSITIVE, _MATRIX = "t.tensor([0.5, 1.0, 1.5])", "t.eye(3) + 0.25"
_NORMAL = f"t.distributions.Normal(t.zeros(3), {_POSITIVE})"

# Of parameters without a default, and of others where there is no better one.
NEEDED = {
    # nn
    "in_features": "4", "out_features": "3", "in1_features": "4", "in2_features": "4", "in_channels": "2",
    "out_channels": "2",
    "kernel_size": "2", "num_features": "2", "num_channels": "2", "num_groups": "2", "normalized_shape": "4",
    "input_size": "4", "hidden_size": "3", "num_embeddings": "5", "embedding_dim": "4", "embed_dim": "4", "num_heads": "2",
    "d_model": "4", "nhead": "2", "output_size": "2", "upscale_factor": "1", "downscale_factor": "2", "n_classes": "6",
    "cutoffs": "[2, 4]", "unflattened_size": "(2, 2)", "Unflatten.dim": "1", "value": "0.5", "threshold": "0.25",
    "padding": "1", "groups": "2", "size": "2", "size_average": "None", "lower": "0.1", "mode": "'fan_in'",
    "encoder_layer": "t.nn.TransformerEncoderLayer(4, 2, 8)", "decoder_layer": "t.nn.TransformerDecoderLayer(4, 2, 8)",
    "num_layers": "2", "Sequential.args": "t.nn.Linear(4, 3)", "RNNCellBase.num_chunks": "2", "RNNBase.mode": "'LSTM'",
    "RNNCellBase.bias": "True", "module": "t.nn.Linear(4, 3)", "bias": "True", "data": "t.ones(2)",
    "RNN.input_size": "4", "FractionalMaxPool2d.output_size": "1", "dims": "(0, 2, 1)",
    # optim
    "params": "parameters(t)", "optimizer": "optimizer(t)", "lr_lambda": "lambda epoch: 0.9 ** epoch", "step_size": "2",
    "milestones": "[1, 3]", "gamma": "0.5", "T_max": "4", "T_0": "2", "base_lr": "0.01", "max_lr": "0.2",
    "SequentialLR.optimizer": "(o := optimizer(t))", "schedulers": "schedules(t, o)",
    "SequentialLR.milestones": "[2]", "ChainedScheduler.schedulers": "schedules(t, optimizer(t))", "lr": "0.05",
    # distributions
    "loc": "t.tensor([0.1, 0.2, 0.3])", "scale": _POSITIVE, "rate": _POSITIVE, "concentration": _POSITIVE,
    "concentration0": _POSITIVE, "concentration1": "t.tensor([1.5, 2.0, 0.5])", "df": "t.tensor([3.0, 4.0, 5.0])",
    "df1": "t.tensor([3.0, 4.0, 5.0])", "df2": "t.tensor([5.0, 6.0, 7.0])", "low": "t.tensor([0.0, 1.0])",
    "high": "t.tensor([1.0, 3.0])", "alpha": _POSITIVE, "probs": "t.tensor([0.2, 0.3, 0.5])",
    "logits": "t.tensor([0.1, -0.2, 0.3])", "total_count": "4", "temperature": "t.tensor(0.5)",
    "covariance_matrix": _MATRIX, "precision_matrix": _MATRIX, "scale_tril": f"t.linalg.cholesky({_MATRIX})",
    "cov_factor": "t.tensor([[0.5], [0.1], [0.2]])", "cov_diag": _POSITIVE, "base_distribution": _NORMAL,
    "transforms": "[t.distributions.ExpTransform()]", "reinterpreted_batch_ndims": "1",
    "Independent.base_distribution": _NORMAL,
    "mixture_distribution": "t.distributions.Categorical(t.tensor([0.4, 0.6]))",
    "component_distribution": "t.distributions.Normal(t.tensor([0.0, 1.0]), t.ones(2))", "Wishart.df": "t.tensor(4.0)",
    "LKJCholesky.dim": "3", "LKJCholesky.concentration": "t.tensor(1.5)", "exponent": "t.tensor(2.0)",
    "parts": "[t.distributions.ExpTransform(), t.distributions.TanhTransform()]", "tseq": "[t.distributions.ExpTransform()]",
    "in_shape": "(4,)", "out_shape": "(2, 2)", "distribution": "t.distributions.Normal", "base_transform":
    "t.distributions.ExpTransform()", "Distribution.batch_shape": "t.Size([2])", "StudentT.scale": "2.0",
    "CatTransform.tseq": "[t.distributions.ExpTransform()]", "CumulativeDistributionTransform.distribution": _NORMAL,
    "VonMises.concentration": _POSITIVE, "Uniform.low": "t.tensor([0.0, 1.0])", "is_discrete": "False", "event_dim": "0",
    # data
    "dataset": "dataset(t)", "datasets": "[dataset(t), dataset(t)]", "indices": "[0, 2, 4]", "data_source": "dataset(t)",
    "weights": "[0.1, 0.2, 0.7]", "num_samples": "3", "sampler": "t.utils.data.SequentialSampler(range(5))",
    "batch_size": "2", "drop_last": "False", "TensorDataset.tensors": "t.arange(4.)", "num_replicas": "2", "rank": "1",
}
# Of parameters with a default.
OTHERS = {
    "device": ["'cpu'", "'meta'"], "dtype": "t.float64", "padding_mode": ["'reflect'", "'circular'", "'replicate'", "'no'"],
    "padding": ["1", "(1,)", "'same'"], "Fold.padding": "1", "Unfold.padding": "1", "stride": ["1", "2"], "dilation": "2",
    "reduction": ["'sum'", "'none'", "'no'"], "nonlinearity": ["'relu'", "'no'"], "activation": ["'gelu'", "t.relu", "'no'"],
    "num_layers": "2", "proj_size": "2", "mode": ["'nearest'", "'bilinear'", "'sum'", "'max'", "'min'", "'exp_range'"],
    "weight": "t.tensor([0.5, 2.0, 1.0])", "pos_weight": "t.tensor([0.5, 2.0, 1.0])", "size_average": ["True", "False"],
    "reduce": ["True", "False"], "kdim": "3", "vdim": "3", "approximate": ["'tanh'", "'no'"], "size": "(4, 4)",
    "scale_factor": ["2", "2.0", "(2, 2)"], "align_corners": ["True", "False"], "recompute_scale_factor": "True",
    "norm_type": "1.0", "padding_idx": "1", "max_norm": "1.0", "dim": ["0", "-1"], "output_ratio": "(0.5, 0.5)",
    "output_size": ["1", "(1, 1)"], "ceil_mode": "True", "divisor_override": "3", "distance_function":
    "lambda a, b: (a - b).abs().sum(-1)", "swap": "True", "ignore_index": "0", "label_smoothing": "0.5", "momentum":
    ["None", "0.5"], "SGD.momentum": "0.9", "RMSprop.momentum": "0.9", "norm": "t.nn.LayerNorm(4)", "p": "1",
    "Dropout.p": ["0.9", "2.0"], "modules": "[t.nn.Linear(4, 3)]", "parameters": "{'a': t.nn.Parameter(t.ones(2))}",
    "ParameterList.values": "[t.nn.Parameter(t.ones(2))]", "ModuleDict.modules": "{'a': t.nn.Linear(4, 3)}",
    "generator": "t.Generator().manual_seed(3)", "lr": ["0.05", "t.tensor(0.05)", "-1.0"], "betas": ["(0.5, 0.6)",
    "(1.5, 0.6)"],
    "weight_decay": ["0.1", "-1.0"], "last_epoch": "-1", "foreach": ["True", "False"], "fused": ["False", "True"],
    "etas": "(0.4, 1.3)", "step_sizes": "(1e-3, 1.0)", "line_search_fn": "'strong_wolfe'", "max_eval": "3", "eps":
    ["0.1", "(0.1, 0.2)"], "verbose": "False", "total_steps": "10", "epochs": "2", "steps_per_epoch": "5",
    "anneal_strategy": ["'linear'", "'no'"], "scale_fn": "lambda x: 0.5", "scale_mode": "'iterations'", "threshold_mode":
    "'abs'", "min_lr": ["0.01", "[0.01]"], "step_size_up": "2", "step_size_down": "3", "T_mult": "2", "nesterov": "True",
    "validate_args": ["True", "False"], "event_dim": "1", "cache_size": "1", "probs": "t.tensor([0.2, 0.3, 0.5])",
    "covariance_matrix": _MATRIX, "optimizer": "optimizer(t)", "shuffle": "True", "batch_size": "2", "num_workers": "0",
    "sampler": "t.utils.data.RandomSampler(range(6))", "batch_sampler": "t.utils.data.BatchSampler(range(6), 4, True)",
    "collate_fn": "lambda batch: len(batch)", "timeout": "-1", "prefetch_factor": "2", "persistent_workers": "True",
    "in_order": "False", "num_replicas": "2", "rank": "1", "num_samples": "4", "interpolation": "'linear'",
    "custom_encoder": "t.nn.Identity()", "dim_feedforward": "8", "div_value": "2.0", "beta": "0.5", "full": "True",
    "log_target": "True", "blank": "1", "unflattened_size": "(4,)", "tensors": "t.ones(2)", "data": "t.ones(2)",
    "maximize": "True", "capturable": "True", "differentiable": "True", "decoupled_weight_decay": "True", "lr_decay": "0.1",
    "initial_accumulator_value": "0.5", "batch_shape": "t.Size([2])", "event_shape": "t.Size([1])", "lengths": "[1]",
}
# What modules are called with, as texts; the first that PyTorch takes.
INPUTS = (
    "t.randn(2, 4),", "t.randn(2, 2, 8),", "t.randn(2, 2, 8, 8),", "t.randn(1, 2, 4, 4, 4),", "t.tensor([[1, 2], [0, 3]]),",
    "t.rand(2, 3), t.rand(2, 3)", "t.randn(3, 3), t.tensor([0, 2, 1])", "t.randn(2, 3), t.ones(2, 3), t.ones(2)",
    "t.randn(3, 2, 4), t.randn(3, 2, 4)", "t.randn(3, 2, 4), t.randn(3, 2, 4), t.randn(3, 2, 4)",
    "t.rand(2, 3), t.rand(2, 3), t.rand(2, 3)", "t.randn(2, 3), t.randn(2, 3), -t.ones(2)", "t.randn(2, 4, 6),",
    "t.randn(2, 3), t.tensor([[0, 1, -1], [2, -1, 0]])", "t.randn(4, 2, 3).log_softmax(2), t.tensor([[1, 2], [2, 1]]), "
    "t.tensor([4, 4]), t.tensor([2, 2])", "t.randn(2, 4), t.tensor([5, 1])", "t.randn(2, 4, 4),", "t.randn(2, 8, 9),",
    "t.randn(1, 2, 4, 4), t.tensor([[[[0, 3], [9, 15]]] * 2])",
)


def _called(t, made, given):
    inputs = eval(given, {"t": t})
    state = [(name, tuple(x.shape), str(x.dtype)) for name, x in made.state_dict().items()]
    if any(str(x.device) == "meta" for x in made.state_dict().values()):
        return state
    return [state, _known(made.state_dict().values()), _known(_flat(made(*inputs)))]


def _known(found) -> list:
    """Tensors that have values."""
    return [x.detach() if str(x.device) != "meta" else tuple(x.shape) for x in found]


def _flat(found) -> list:
    if isinstance(found, list | tuple):
        return [x for part in found for x in _flat(part)]
    return [found] if hasattr(found, "detach") else []


def _stepped(t, made, given):
    shown = sorted((name, value) for name, value in made.defaults.items() if isinstance(value, bool | int | float | None))
    held = [x for group in made.param_groups for x in group["params"]]
    for _ in range(2):
        made.step(lambda: sum((x * x).sum() for x in held))
    state = made.state_dict()
    kept = [(name, value) for values in state["state"].values() for name, value in values.items()]
    return [shown, _known(held), kept if type(made).__name__ != "LBFGS" else [],
    [sorted(k for k in group if k != "params") for group in state["param_groups"]]]


def _scheduled(t, made, given):
    rates = []
    for _ in range(5):
        made.optimizer.step()
        made.step(*([0.5] if type(made).__name__ == "ReduceLROnPlateau" else []))
        rates.append([group["lr"] for group in made.optimizer.param_groups])
    return [rates, sorted(made.state_dict())]


def _sampled(t, made, given):
    found: list = [tuple(made.batch_shape), tuple(made.event_shape), made.has_rsample, sorted(made.arg_constraints)]
    sample = made.sample()
    for what in (lambda: sample, lambda: made.log_prob(sample), lambda: made.mean, lambda: made.variance, lambda: made.mode,
                 made.entropy, lambda: made.cdf(sample), lambda: str(made.support), lambda: made.expand((2,
                 *made.batch_shape))
                 .sample(), made.enumerate_support, lambda: made.sample((2,)), lambda: made.icdf(t.full((3,), 0.25))):
        try:
            found.append(what())
        except (NotImplementedError, ValueError, RuntimeError) as error:
            found.append(type(error).__name__)
    return found


def _transformed(t, made, given):
    x = t.tensor([[0.1, 0.2, 0.3, 0.4]])
    y = made(x)
    return [y, made.inv(y), made.log_abs_det_jacobian(x, y), str(made.domain), str(made.codomain), made.bijective]


def _iterated(t, made, given):
    return [len(made), list(itertools.islice(made, 4))]


def _indexed(t, made, given):
    return [len(made), [made[i] for i in range(min(3, len(made)))]]


SUBJECTS = {  # the first whose class the object has
    "nn.Module": _called, "optim.Optimizer": _stepped, "optim.lr_scheduler.LRScheduler": _scheduled,
    "distributions.Distribution": _sampled, "distributions.Transform": _transformed, "utils.data.DataLoader": _iterated,
    "utils.data.Sampler": _iterated, "utils.data.Dataset": _indexed,
}
