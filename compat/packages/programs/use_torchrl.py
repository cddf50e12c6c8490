import logging
import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torchrl.data import LazyTensorStorage, ReplayBuffer
from torchrl.data.tensor_specs import Bounded, Categorical, Composite, OneHot, Unbounded
from torchrl.modules import MLP, NormalParamExtractor, ProbabilisticActor, QValueActor, TanhNormal, ValueOperator
from torchrl.objectives import ClipPPOLoss, DQNLoss, SoftUpdate
from torchrl.objectives.value import GAE

logging.disable(logging.INFO)
torch.manual_seed(0)
print(Composite(o=Unbounded(3), a=Bounded(-1, 1, (2,)), c=Categorical(4)).rand((2,)), OneHot(3).rand())
buffer = ReplayBuffer(storage=LazyTensorStorage(50), batch_size=4)
buffer.extend(TensorDict({"x": torch.arange(20.0)}, [20]))
print(len(buffer), buffer.sample()["x"].shape)
actor_net = torch.nn.Sequential(MLP(in_features=3, out_features=4, num_cells=[16]), NormalParamExtractor())
actor = ProbabilisticActor(TensorDictModule(actor_net, ["observation"], ["loc", "scale"]), in_keys=["loc", "scale"], distribution_class=TanhNormal,
                           return_log_prob=True)
critic = ValueOperator(MLP(in_features=3, out_features=1, num_cells=[16]), in_keys=["observation"])
data = TensorDict({"observation": torch.randn(2, 5, 3), "next": {
    "observation": torch.randn(2, 5, 3), "reward": torch.randn(2, 5, 1), "done": torch.zeros(2, 5, 1, dtype=torch.bool),
    "terminated": torch.zeros(2, 5, 1, dtype=torch.bool)}}, [2, 5])
with torch.no_grad():
    data = actor(data)
print(data["action"])
GAE(gamma=0.99, lmbda=0.95, value_network=critic, deactivate_vmap=True)(data)
print(data["advantage"], data["value_target"].mean())
loss_module = ClipPPOLoss(actor, critic)
optimizer = torch.optim.Adam(loss_module.parameters(), lr=1e-2)
for i in range(3):
    losses = loss_module(data.reshape(-1))
    loss = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(i, loss)
q = QValueActor(MLP(in_features=3, out_features=4, num_cells=[16]), in_keys=["observation"], spec=OneHot(4))
dqn = DQNLoss(q, action_space="one_hot", delay_value=True)
dqn.make_value_estimator(gamma=0.9)
update = SoftUpdate(dqn, eps=0.9)
with torch.no_grad():
    batch = q(data.select("observation", "next").reshape(-1))
loss = dqn(batch)["loss"]
loss.backward()
update.step()
print(loss, batch["action"].sum(0))
