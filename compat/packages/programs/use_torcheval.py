import torch
from torcheval import metrics as M
from torcheval.metrics import functional as F
torch.manual_seed(0)
p, t = torch.rand(40, 4), torch.randint(4, (40,)); b, l = torch.rand(40), torch.randint(2, (40,))
for metric, args in ((M.MulticlassAccuracy(average="macro", num_classes=4), (p, t)), (M.MulticlassF1Score(num_classes=4), (p, t)), (M.MulticlassConfusionMatrix(4), (p, t)), (M.BinaryAUROC(), (b, l)), (M.BinaryAUPRC(), (b, l)),
                     (M.MulticlassAUROC(num_classes=4), (p, t)), (M.BinaryNormalizedEntropy(), (b, l.float())), (M.MeanSquaredError(), (b, l.float())), (M.R2Score(), (b, b + 0.1 * l)), (M.Mean(), (b,)), (M.HitRate(k=2), (p, t)),
                     (M.ReciprocalRank(), (p, t)), (M.Perplexity(), (p[None], t[None])), (M.PeakSignalNoiseRatio(), (b, b * 0.9)), (M.BinaryPrecisionRecallCurve(), (b[:6], l[:6]))):
    metric.update(*args); print(type(metric).__name__, metric.compute(), len(metric.state_dict()))
print(F.bleu_score(["the squirrel is eating the nut"], [["a squirrel is eating a nut", "the squirrel is eating a tasty nut"]], 2), F.word_error_rate(["hello world"], ["hello there world"]), F.multiclass_precision(p, t, average=None, num_classes=4))
one, two = M.MulticlassAccuracy(), M.MulticlassAccuracy(); one.update(p[:20], t[:20]); two.update(p[20:], t[20:]); print(one.merge_state([two]).compute())
