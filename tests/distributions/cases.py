"""One expression a distribution, with a value: evaluated under torch and under torchlike.

``D`` is the package `distributions`, ``t(list)`` a float64 leaf that requires grad. Shapes are few: each new one compiles.
"""

_MATRIX = "t([[2., .5], [.5, 1.]])"
_TRIL = "t([[1.5, 0.], [.5, .8]])"
_P3 = "t([[.2, .3, .5], [.6, .1, .3]])"
_L3 = "t([[-1., 0., 2.], [.5, -.3, 0.]])"

# name -> (the distribution, values in its support)
CASES = {
    "Bernoulli": ("D.Bernoulli(t([.3, .9]))", "[0., 1.]"),
    "Bernoulli-logits": ("D.Bernoulli(logits=t([-.3, 2.]))", "[1., 0.]"),
    "Bernoulli-half": ("D.Bernoulli(t([.5, 1.]))", "[1., 1.]"),
    "Beta": ("D.Beta(t([.5, 2.]), t([3., 4.]))", "[.1, .7]"),
    "Binomial": ("D.Binomial(5, t([.3, .8]))", "[0., 4.]"),
    "Binomial-logits": ("D.Binomial(t([9., 4.]).detach(), logits=t([-.3, 0.]))", "[2., 4.]"),
    "Categorical": (f"D.Categorical({_P3})", "[2., 0.]"),
    "Categorical-logits": (f"D.Categorical(logits={_L3})", "[1., 2.]"),
    "Categorical-single": ("D.Categorical(t([1., 2., 3.]))", "1."),
    "Cauchy": ("D.Cauchy(t([0., 1.]), t([1., 2.]))", "[.5, -2.]"),
    "Chi2": ("D.Chi2(t([1.5, 4.]))", "[.7, 2.]"),
    "ContinuousBernoulli": ("D.ContinuousBernoulli(t([.3, .5]))", "[.2, .7]"),
    "ContinuousBernoulli-logits": ("D.ContinuousBernoulli(logits=t([-.3, 2.]))", "[.2, .7]"),
    "Dirichlet": ("D.Dirichlet(t([[.5, 1.5, 3.], [1., 2., 2.]]))", "[[.2, .3, .5], [.1, .1, .8]]"),
    "Dirichlet-small": ("D.Dirichlet(t([.5, .2, .3]))", "[.2, .3, .5]"),
    "Exponential": ("D.Exponential(t([.5, 2.]))", "[.3, 1.]"),
    "FisherSnedecor": ("D.FisherSnedecor(t([1.5, 5.]), t([3., 6.]))", "[.4, 2.]"),
    "Gamma": ("D.Gamma(t([.5, 3.]), t([1., 2.]))", "[.4, 2.]"),
    "GeneralizedPareto": ("D.GeneralizedPareto(t([0., 1.]), t([1., 2.]), t([.3, -.2]))", "[.5, 2.]"),
    "GeneralizedPareto-zero": ("D.GeneralizedPareto(t([0., 1.]), t([1., 2.]), t([0., 1.5]))", "[.5, 2.]"),
    "Geometric": ("D.Geometric(t([.3, .8]))", "[0., 3.]"),
    "Geometric-logits": ("D.Geometric(logits=t([-.3, .8]))", "[0., 3.]"),
    "Gumbel": ("D.Gumbel(t([0., 1.]), t([1., 2.]))", "[.5, -2.]"),
    "HalfCauchy": ("D.HalfCauchy(t([1., 2.]))", "[.5, 2.]"),
    "HalfNormal": ("D.HalfNormal(t([1., 2.]))", "[.5, 2.]"),
    "Independent": ("D.Independent(D.Normal(t([0., 1.]), t([1., 2.])), 1)", "[.5, -2.]"),
    "Independent-none": ("D.Independent(D.Bernoulli(t([.3, .9])), 0)", "[1., 0.]"),
    "InverseGamma": ("D.InverseGamma(t([.5, 3.]), t([1., 2.]))", "[.4, 2.]"),
    "Kumaraswamy": ("D.Kumaraswamy(t([.5, 2.]), t([1.5, 3.]))", "[.4, .7]"),
    "Laplace": ("D.Laplace(t([0., 1.]), t([1., 2.]))", "[.5, -2.]"),
    "LKJCholesky": ("D.LKJCholesky(3, t([.5, 2.]))", "[[1., 0., 0.], [.6, .8, 0.], [0., .6, .8]]"),
    "LogNormal": ("D.LogNormal(t([0., 1.]), t([1., .5]))", "[.5, 2.]"),
    "LogisticNormal": ("D.LogisticNormal(t([0., 1.]), t([1., 2.]))", "[.2, .3, .5]"),
    "LowRankMultivariateNormal": ("D.LowRankMultivariateNormal(t([0., 1.]), t([[1.], [.5]]), t([1., 2.]))", "[.5, -2.]"),
    "MixtureSameFamily": ("D.MixtureSameFamily(D.Categorical(t([.3, .7])), D.Normal(t([0., 1.]), t([1., 2.])))", ".5"),
    "MixtureSameFamily-vectors": (
        f"D.MixtureSameFamily(D.Categorical({_P3}), D.Independent(D.Normal(t([[[0., 1.]] * 3] * 2), 1.), 1))",
        "[[.5, 0.], [1., -1.]]"),
    "Multinomial": (f"D.Multinomial(4, {_P3})", "[[1., 2., 1.], [0., 4., 0.]]"),
    "Multinomial-logits": (f"D.Multinomial(4, logits={_L3})", "[[1., 2., 1.], [0., 4., 0.]]"),
    "MultivariateNormal-covariance": (f"D.MultivariateNormal(t([0., 1.]), {_MATRIX})", "[.5, -2.]"),
    "MultivariateNormal-precision": (f"D.MultivariateNormal(t([0., 1.]), precision_matrix={_MATRIX})", "[.5, -2.]"),
    "MultivariateNormal-tril": (f"D.MultivariateNormal(t([[0., 1.], [2., 3.]]), scale_tril={_TRIL})", "[.5, -2.]"),
    "MultivariateNormal-batch": (f"D.MultivariateNormal(t([0., 1.]), scale_tril=t([[[1., 0.], [.5, 2.]]] * 2))",
                                 "[[.5, -2.], [1., 0.]]"),
    "NegativeBinomial": ("D.NegativeBinomial(t([3., 5.]), t([.3, .8]))", "[0., 4.]"),
    "NegativeBinomial-logits": ("D.NegativeBinomial(4, logits=t([-.3, .8]))", "[0., 4.]"),
    "Normal": ("D.Normal(t([0., 1.]), t([1., 2.]))", "[.5, -2.]"),
    "Normal-numbers": ("D.Normal(0., 1.)", ".5"),
    "OneHotCategorical": (f"D.OneHotCategorical({_P3})", "[[0., 0., 1.], [1., 0., 0.]]"),
    "OneHotCategoricalStraightThrough": (f"D.OneHotCategoricalStraightThrough(logits={_L3})",
                                         "[[0., 0., 1.], [1., 0., 0.]]"),
    "Pareto": ("D.Pareto(t([.5, 1.]), t([1.5, 3.]))", "[.7, 2.]"),
    "Poisson": ("D.Poisson(t([.5, 15.]))", "[0., 12.]"),
    "RelaxedBernoulli": ("D.RelaxedBernoulli(t(.7), t([.3, .9]))", "[.2, .7]"),
    "RelaxedBernoulli-logits": ("D.RelaxedBernoulli(t(.7), logits=t([.3, .9]))", "[.2, .7]"),
    "LogitRelaxedBernoulli": ("D.relaxed_bernoulli.LogitRelaxedBernoulli(t(.7), t([.3, .9]))", "[.2, -.7]"),
    "RelaxedOneHotCategorical": (f"D.RelaxedOneHotCategorical(t(.7), {_P3})", "[[.2, .3, .5], [.1, .1, .8]]"),
    "ExpRelaxedCategorical": (f"D.relaxed_categorical.ExpRelaxedCategorical(t(.7), logits={_L3})",
                              "[[-.2, -3., -.5], [-.1, -1., -2.]]"),
    "StudentT": ("D.StudentT(t([1.5, 4.]), t([0., 1.]), t([1., 2.]))", "[.5, -2.]"),
    "StudentT-low": ("D.StudentT(t([.5, 2.]))", "[.5, -2.]"),
    "TransformedDistribution": (
        "D.TransformedDistribution(D.Uniform(t([0., .1]), t([1., .9])), [D.SigmoidTransform().inv, "
        "D.AffineTransform(loc=t([.1, .2]), scale=t([-1., -2.]))])", "[.5, 1.]"),
    "TransformedDistribution-reshaped": (
        "D.TransformedDistribution(D.Independent(D.Normal(t([0., 1., 2., 3.]), 1.), 1), D.ReshapeTransform((4,), (2, 2)))",
        "[[.5, 1.], [0., 1.]]"),
    "Uniform": ("D.Uniform(t([0., -1.]), t([1., 2.]))", "[.5, 0.]"),
    "VonMises": ("D.VonMises(t([0., 1.]), t([1., 5.]))", "[.5, -2.]"),
    "Weibull": ("D.Weibull(t([.5, 2.]), t([1.5, 3.]))", "[.4, 1.]"),
    "Wishart": (f"D.Wishart(t(4.), {_MATRIX})", "[[2., .3], [.3, 1.]]"),
    "Wishart-tril": (f"D.Wishart(t([3., 4.]), scale_tril={_TRIL})", "[[2., .3], [.3, 1.]]"),
    "Wishart-precision": (f"D.Wishart(4, precision_matrix={_MATRIX})", "[[2., .3], [.3, 1.]]"),
}
