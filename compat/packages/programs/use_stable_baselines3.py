import tempfile
import gymnasium as gym
import numpy as np
import torch
from stable_baselines3 import A2C, DQN, PPO, SAC



class Walk(gym.Env):
    """A point that is to be held near 0."""

    observation_space = gym.spaces.Box(-10, 10, (2,), np.float32)

    def __init__(self, continuous):
        self.action_space = gym.spaces.Box(-1, 1, (1,), np.float32) if continuous else gym.spaces.Discrete(2)
        self.continuous = continuous

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.state, self.steps = self.np_random.uniform(-1, 1, 2).astype(np.float32), 0
        return self.state, {}

    def step(self, action):
        push = float(action[0]) if self.continuous else 2.0 * float(action) - 1
        self.state = np.array([self.state[0] + 0.1 * self.state[1], self.state[1] + 0.1 * push], np.float32)
        self.steps += 1
        return self.state, -float(self.state[0] ** 2), bool(abs(self.state[0]) > 3), self.steps >= 50, {}


def told(model):
    with torch.no_grad():
        print(type(model).__name__, torch.stack([p.norm() for p in model.policy.parameters()]).sum(),
              model.predict(np.array([0.5, -0.2], np.float32), deterministic=True)[0])


for kind, options in ((PPO, {"n_steps": 64, "batch_size": 32, "n_epochs": 2}), (A2C, {"n_steps": 16}),
                      (DQN, {"learning_starts": 20, "train_freq": 10, "batch_size": 16, "target_update_interval": 40})):
    model = kind("MlpPolicy", Walk(False), seed=0, device="cpu", **options).learn(128)
    told(model)
model = SAC("MlpPolicy", Walk(True), seed=0, device="cpu", learning_starts=20, batch_size=16).learn(40)
told(model)
with tempfile.TemporaryDirectory() as folder:
    model.save(f"{folder}/sac.zip")
    told(SAC.load(f"{folder}/sac.zip"))
