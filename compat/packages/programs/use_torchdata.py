import torch
from torchdata.stateful_dataloader import StatefulDataLoader
from torchdata.stateful_dataloader.sampler import StatefulDistributedSampler, RandomSampler
import torchdata.nodes as tn

class Squares(torch.utils.data.Dataset):
    def __len__(self): return 20
    def __getitem__(self, i): return torch.tensor(float(i * i))

class Counting(torch.utils.data.IterableDataset):
    def __init__(self): self.at = 0
    def __iter__(self):
        while self.at < 12:
            self.at += 1
            yield self.at
        self.at = 0
    def state_dict(self): return {"at": self.at}
    def load_state_dict(self, state): self.at = state["at"]

def rest(make, steps):
    loader = make(); it = iter(loader)
    first = [next(it).tolist() for _ in range(steps)]
    state = loader.state_dict()
    other = make(); other.load_state_dict(state)
    print(first, [b.tolist() for b in other], [b.tolist() for b in it], sorted(state)[:4])

if __name__ == "__main__":
    for workers in (0, 2):
        torch.manual_seed(0); rest(lambda: StatefulDataLoader(Squares(), 4, num_workers=workers), 2)
        torch.manual_seed(0); rest(lambda: StatefulDataLoader(Squares(), 4, shuffle=True, num_workers=workers, generator=torch.Generator().manual_seed(3)), 2)
        rest(lambda: StatefulDataLoader(Counting(), 3, num_workers=min(workers, 1)), 2)
    sampler = StatefulDistributedSampler(Squares(), num_replicas=2, rank=1, shuffle=True, seed=3)
    rest(lambda: StatefulDataLoader(Squares(), 2, sampler=sampler), 2)
    node = tn.Loader(tn.Batcher(tn.ParallelMapper(tn.IterableWrapper(range(10)), map_fn=lambda x: x * 2, num_workers=2, method="thread"), batch_size=3, drop_last=False))
    print(list(node)); it = iter(node); next(it); state = node.state_dict(); node.load_state_dict(state); print(list(node))
