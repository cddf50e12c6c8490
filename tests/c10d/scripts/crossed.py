"""Two ranks whose threads connect two groups, each in another order. Run by torchlike alone: it is about its channels."""

import os
import threading
import time

import torch.distributed as dist

from torchlike._c10d.channel import Channel

rank = int(os.environ["RANK"])
store = dist.TCPStore("127.0.0.1", int(os.environ["MASTER_PORT"]), 2, rank == 0)
made = []


class Slow(Channel):
    def _meet(self, client):
        time.sleep(0.5)
        super()._meet(client)


def connect(name, kind):
    made.append((name, kind(dist.PrefixStore(name, store), rank, 2, 20.0)))


threads = [threading.Thread(target=connect, args=(name, Slow if late == rank else Channel))
           for late, name in enumerate("ab")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sorted(name for name, _ in made))
