import torch
import torchmetrics as tm
from torchmetrics import functional as F
torch.manual_seed(0)
both = tm.MetricCollection([tm.classification.MulticlassAccuracy(5), tm.classification.MulticlassF1Score(5, average="macro"),
                            tm.classification.MulticlassPrecision(5), tm.classification.MulticlassRecall(5),
                            tm.classification.MulticlassConfusionMatrix(5), tm.classification.MulticlassAUROC(5),
                            tm.classification.MulticlassCalibrationError(5), tm.classification.MulticlassAveragePrecision(5)])
for _ in range(3):
    p, y = torch.randn(10, 5).softmax(-1), torch.randint(5, (10,))
    print(both(p, y))
print(both.compute())
both.reset()
for name in ("MeanSquaredError", "MeanAbsoluteError", "R2Score", "PearsonCorrCoef", "SpearmanCorrCoef", "ExplainedVariance",
             "KendallRankCorrCoef", "ConcordanceCorrCoef", "LogCoshError"):
    metric = getattr(tm, name)() if hasattr(tm, name) else getattr(tm.regression, name)()
    for _ in range(2):
        a = torch.randn(12); metric.update(a, a + torch.randn(12) * 0.3)
    print(name, metric.compute())
x, y = torch.rand(2, 3, 32, 32, requires_grad=True), torch.rand(2, 3, 32, 32)
ssim = F.structural_similarity_index_measure(x, y, data_range=1.0)
ssim.backward()
print(ssim, x.grad.norm(), F.peak_signal_noise_ratio(x, y, data_range=1.0), F.total_variation(x))
print(F.retrieval_normalized_dcg(torch.tensor([0.1, 0.3, 0.2]), torch.tensor([1, 0, 1])), F.pairwise_cosine_similarity(a[None], a[None]))
b = tm.classification.BinaryROC(); b.update(torch.rand(8), torch.randint(2, (8,))); print(b.compute())
m = tm.MeanMetric(); m.update(1.0); m.update(torch.tensor([2.0, 6.0])); print(m.compute(), m.state_dict(), tm.SumMetric()(3))
print(F.text.word_error_rate(["this is the prediction"], ["this is the reference"]), F.text.bleu_score(["the cat is on the mat"], [["there is a cat on the mat"]], n_gram=2))
