import warnings; warnings.filterwarnings("ignore")
import numpy as np
import torch
from torch import nn
import pfrl
from pfrl import agents, explorers, nn as pnn, q_functions, replay_buffers
torch.manual_seed(0); np.random.seed(0)
import random; random.seed(0)

def play(agent, steps=60, continuous=False):
    rng = np.random.RandomState(0); state = rng.randn(4).astype(np.float32); total = 0
    for i in range(steps):
        action = agent.act(state); total += np.sum(action)
        state = rng.randn(4).astype(np.float32); agent.observe(state, float(np.sum(state) * 0.1), i % 10 == 9, False)
    print(type(agent).__name__, total, agent.get_statistics())

explorer = explorers.ConstantEpsilonGreedy(0.3, lambda: np.random.randint(3))
for kind in (agents.DQN, agents.DoubleDQN, agents.AL, agents.PAL, agents.DPP):
    torch.manual_seed(0); np.random.seed(0); random.seed(0)
    q = q_functions.FCStateQFunctionWithDiscreteAction(4, 3, 16, 1)
    play(kind(q, torch.optim.Adam(q.parameters(), 1e-2), replay_buffers.ReplayBuffer(100), 0.9, explorer, replay_start_size=20, minibatch_size=8, target_update_interval=10))
torch.manual_seed(0); np.random.seed(0); random.seed(0)
q = q_functions.DistributionalFCStateQFunctionWithDiscreteAction(4, 3, 11, -1, 1, 16, 1); pnn.to_factorized_noisy(q)
play(agents.CategoricalDoubleDQN(q, torch.optim.Adam(q.parameters(), 1e-2), replay_buffers.PrioritizedReplayBuffer(100, betasteps=50), 0.9, explorers.Greedy(), replay_start_size=20, minibatch_size=8, target_update_interval=10))
torch.manual_seed(0); np.random.seed(0); random.seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), pnn.Branched(nn.Sequential(nn.Linear(16, 3), pfrl.policies.SoftmaxCategoricalHead()), nn.Linear(16, 1)))
play(agents.PPO(model, torch.optim.Adam(model.parameters(), 1e-3), update_interval=20, minibatch_size=10, epochs=2))
torch.manual_seed(0); np.random.seed(0); random.seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2), pnn.BoundByTanh(-np.ones(2, np.float32), np.ones(2, np.float32)), pfrl.policies.DeterministicHead())
critic = nn.Sequential(pnn.ConcatObsAndAction(), nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
play(agents.DDPG(policy, critic, torch.optim.Adam(policy.parameters(), 1e-3), torch.optim.Adam(critic.parameters(), 1e-3), replay_buffers.ReplayBuffer(100), 0.9, explorers.AdditiveGaussian(0.1, -1, 1), replay_start_size=20, minibatch_size=8))
