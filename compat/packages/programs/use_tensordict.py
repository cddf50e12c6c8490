import tempfile
import torch
from tensordict import TensorDict, TensorDictParams, tensorclass
from tensordict.nn import InteractionType, ProbabilisticTensorDictModule, TensorDictModule, TensorDictSequential, set_interaction_type
from tensordict.nn.distributions import NormalParamExtractor

torch.manual_seed(0)
td = TensorDict({"a": torch.randn(3, 4), "b": {"c": torch.arange(6).view(3, 2)}}, batch_size=[3])
print(td, td["b", "c"], td[0], td[1:]["a"].shape)
print((td + 1)["a"].mean(), td.apply(lambda x: x * 2)["b", "c"], torch.stack([td, td]).batch_size, torch.cat([td, td]).batch_size)
print(td.reshape(1, 3).batch_size, td.select("a").keys(), td.flatten_keys(".").keys(), list(td.unbind(0))[0]["a"])
td["d"] = torch.ones(3)
td.set_("d", torch.zeros(3))
print(td["d"], td.to(torch.float64)["a"].dtype, td.clone().zero_()["a"].sum(), (td == td).all())


@tensorclass
class Point:
    x: torch.Tensor
    y: torch.Tensor


point = Point(torch.randn(2), torch.ones(2), batch_size=[2])
print(point, (point * 2).y)
net = torch.nn.Sequential(torch.nn.Linear(4, 4), NormalParamExtractor())
module = TensorDictSequential(
    TensorDictModule(net, in_keys=["a"], out_keys=["loc", "scale"]),
    ProbabilisticTensorDictModule(in_keys=["loc", "scale"], out_keys=["s"], distribution_class=torch.distributions.Normal, return_log_prob=True))
for kind in (InteractionType.RANDOM, InteractionType.DETERMINISTIC):
    with set_interaction_type(kind):
        out = module(td.clone())
    print(out["s"])
out["s"].sum().backward()
print([p.grad.norm() for p in module.parameters()])
params = TensorDictParams(TensorDict.from_module(net).detach().clone())
with params.to_module(net):
    print(net(td["a"])[0][0])
with tempfile.TemporaryDirectory() as folder:
    torch.save(td, f"{folder}/td.pt")
    print(torch.load(f"{folder}/td.pt", weights_only=False)["a"][0])
