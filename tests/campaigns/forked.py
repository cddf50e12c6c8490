"""A program whose processes compute: `python -m tests.campaigns.forked ROUNDS`, as `forks` starts it.

It prints, for each round, what its children have computed and what it computes itself afterwards, as JSON.
"""

import concurrent.futures
import contextlib
import dataclasses
import functools
import io
import json
import multiprocessing
import os
import random
import socket
import sys
import tempfile
import threading
import time

ENDINGS = {"return": 0, "sys.exit": 3, "os._exit": 4, "exception": 1}
PATIENCE = 20  # seconds


class Planned(Exception):
    """How some children end."""


# -- what is computed

class State:
    """A model, its data, and what a program has lying about as it forks."""

    def __init__(self, torch, preparations):
        self.torch = torch
        self.model = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
        with torch.no_grad():
            for p in self.model.parameters():
                p.copy_(torch.linspace(-0.5, 0.5, p.numel()).reshape(p.shape))
        self.x = torch.linspace(-1, 1, 60).reshape(10, 6)
        self.leaf = torch.linspace(0.5, 2, 6).requires_grad_()
        self.base = torch.arange(12.0).reshape(3, 4)
        self.view = self.base[1:]
        self.pending = self.x
        self.optimizer = torch.optim.SGD(self.model.parameters(), 0.01, momentum=0.9)
        for preparation in preparations:
            PREPARATIONS[preparation](self)

    def train(self, steps, optimizer=None):
        """The last loss."""
        optimizer, loss = optimizer or self.optimizer, None
        for _ in range(steps):
            optimizer.zero_grad()
            loss = (self.model(self.x) ** 2).mean()
            loss.backward()
            optimizer.step()
            loss.item()
        return loss.item()


def _leave_pending(state):
    state.pending = (state.x.exp() * 2 + 1).softmax(0) + state.pending


def _differentiate(state):
    (state.leaf.sin() * state.leaf).sum().backward()


def _write_into_view(state):
    state.view.mul_(2).add_(1)
    state.base[:, 1] = 7


def _leave_step(state):
    state.optimizer.zero_grad()
    (state.model(state.x) ** 2).mean().backward()
    state.optimizer.step()


PREPARATIONS = {"steps": lambda state: state.train(3), "many steps": lambda state: state.train(25),
                "pending": _leave_pending, "gradient": _differentiate, "views": _write_into_view,
                "pending step": _leave_step,
                "kernel": lambda state: state.torch.linalg.qr(state.x)[1].sum().item()}


def _read(state):
    return [state.x.tolist(), [p.tolist() for p in state.model.parameters()], state.pending.tolist()]


def _computed(state):
    torch, x = state.torch, state.x
    values, order = (x @ x.T).sort(1)
    chosen = torch.where(x > 0, x.sqrt(), x.abs())
    return [x.cumsum(1).tolist(), values.tolist(), order.tolist(), chosen[:, 1::2].tolist(), x.var(0).tolist(),
            torch.cat([x, x * 2], 1).argmax(1).tolist(), (x + state.base.sum()).softmax(1).tolist()]


def _backward(state):
    found = (state.leaf.exp() * state.leaf.cos()).sum()
    gradient, = state.torch.autograd.grad(found, state.leaf, create_graph=True)
    again, = state.torch.autograd.grad(gradient.sum(), state.leaf)
    (state.leaf * 3).sum().backward()
    return [gradient.tolist(), again.tolist(), state.leaf.grad.tolist()]


def _convolved(state):
    functional = state.torch.nn.functional
    image = state.x.reshape(1, 1, 10, 6).clone().requires_grad_()
    found = functional.max_pool2d(functional.conv2d(image, state.torch.ones(2, 1, 3, 3) / 9), 2)
    found.square().sum().backward()
    return [found.tolist(), image.grad.tolist()]


def _random(state):
    torch = state.torch
    torch.manual_seed(5)
    found = [torch.rand(3).tolist(), torch.randn(2, 2).tolist(), torch.randperm(6).tolist()]
    kept = torch.get_rng_state()
    first = torch.rand(2).tolist()
    torch.set_rng_state(kept)
    return [found, first == torch.rand(2).tolist(), torch.rand(3, generator=torch.Generator().manual_seed(2)).tolist()]


def _saved(state):
    file = io.BytesIO()
    state.torch.save({"model": state.model.state_dict(), "base": state.base, "view": state.view}, file)
    file.seek(0)
    found = state.torch.load(file)
    found["view"].zero_()
    with tempfile.TemporaryDirectory() as folder:
        state.torch.save(state.x * 2, f"{folder}/x.pt")
        again = state.torch.load(f"{folder}/x.pt")
    return [found["base"].tolist(), found["model"]["0.weight"].tolist(), again.tolist()]


def _viewed(state):
    state.view.add_(1)
    state.base.t()[0].mul_(3)
    state.base[state.base > 9] = -1
    return [state.base.tolist(), state.view.tolist()]


def _in_threads(state):
    found = [0.0] * 3

    def compute(k):
        found[k] = (state.x * k).tanh().sum().item()

    threads = [threading.Thread(target=compute, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def _loaded(state, workers=0):
    data = state.torch.utils.data
    found = data.DataLoader(data.TensorDataset(state.x, state.x.sum(1)), batch_size=4, num_workers=workers)
    return [[part.tolist() for part in batch] for batch in found]


def _of_numpy(state):
    array = state.x.numpy()
    return [(array * 2).tolist(), state.torch.from_numpy(array.copy()).exp().tolist()]


def _with_matrices(state):
    torch = state.torch
    square = state.x.T @ state.x + torch.eye(6)
    return [torch.linalg.solve(square, state.x.T).tolist(), torch.linalg.inv(square).tolist(), torch.det(square).item(),
            torch.linalg.cholesky(square).tolist(), torch.linalg.eigvalsh(square).tolist(),
            torch.linalg.svdvals(state.x).tolist()]


def _recurrent(state):
    torch = state.torch
    layer = torch.nn.LSTM(6, 4, batch_first=True)
    for p in layer.parameters():
        torch.nn.init.constant_(p, 0.1)
    found = layer(state.x.reshape(2, 5, 6))[0]
    found.sum().backward()
    return [found.tolist(), layer.weight_hh_l0.grad.tolist()]


def _of_functions(state):
    torch = state.torch
    return [torch.func.grad(lambda x: x.sin().sum())(state.x[0]).tolist(),
            torch.func.vmap(lambda row: row.cumsum(0))(state.x).tolist()]


ACTIONS = {
    "read": _read, "compute": _computed, "backward": _backward, "convolve": _convolved, "random": _random, "save": _saved,
    "view": _viewed, "threads": _in_threads, "load": _loaded, "numpy": _of_numpy, "recurrent": _recurrent,
    "matrices": _with_matrices, "func": _of_functions,
    "step": lambda state: [state.train(2), [p.tolist() for p in state.model.parameters()]],
    "Adam": lambda state: state.train(3, state.torch.optim.Adam(state.model.parameters(), 0.01)),
}
# What raises so in forked processes, see compat/gaps.toml.
REFUSED = {"matrices": "UnsupportedError", "func": "UnsupportedError"}


def outcome(state, actions) -> list:
    """What each action gives, in JSON's types; an exception as its text."""
    found: list = []
    with state.torch.enable_grad():
        for action in actions:
            try:
                found.append(ACTIONS[action](state))
            except Exception as error:  # noqa: BLE001 - reported
                found.append(f"{type(error).__name__}: {error}")
    return found


# -- the processes

@dataclasses.dataclass
class Round:
    """What the parent has done before, what it is doing meanwhile, where and how it makes processes, and what those do."""

    preparations: list
    meanwhile: str
    place: str
    method: str
    actions: list
    ending: str


def _fresh(preparations, actions) -> list:
    import torchlike as torch

    return outcome(State(torch, preparations), actions)


def _end(ending):
    if ending == "sys.exit":
        sys.exit(ENDINGS[ending])
    if ending == "os._exit":
        os._exit(ENDINGS[ending])
    if ending == "exception":
        raise Planned


def _reporting(link, ending, compute):
    link.send(compute())
    link.close()
    _end(ending)


def _of_processes(context, round_, compute):
    receivers, processes = [], []
    for _ in range(2):
        receiver, sender = context.Pipe(duplex=False)
        processes.append(context.Process(target=_reporting, args=(sender, round_.ending, compute)))
        processes[-1].start()
        sender.close()
        receivers.append(receiver)
    found = [receiver.recv() for receiver in receivers]
    for process in processes:
        process.join(PATIENCE)
    return found, [process.exitcode for process in processes]


def _put(queue, compute):
    queue.put(compute())


def _by_queue(context, compute):
    queue = context.Queue()
    process = context.Process(target=_put, args=(queue, compute))
    process.start()
    found = queue.get(timeout=2 * PATIENCE)
    process.join(PATIENCE)
    return [found], [process.exitcode]


def _called(compute, _):
    return compute()


def _by_pool(context, compute):
    with context.Pool(2) as pool:
        return pool.map(functools.partial(_called, compute), range(3), 1), []


_TASK: list = []  # what forked workers compute: it cannot be pickled


@functools.cache  # a worker that is asked twice has changed its tensors
def _task(_):
    return _TASK[-1]()


def _with_initializer(context, compute):
    with context.Pool(2, initializer=json.dumps, initargs=(0,), maxtasksperchild=1) as pool:
        return [pool.apply_async(functools.partial(_called, compute), (k,)).get(2 * PATIENCE) for k in range(2)], []


def _by_executor(context, compute):
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        return [*pool.map(functools.partial(_called, compute), range(3))], []


def _serve(state, link, ending):
    """Answer requests until there are none."""
    with link, link.makefile("rw") as file:
        for line in file:
            print(json.dumps(outcome(state, json.loads(line))), file=file, flush=True)
    _end(ending)
    os._exit(0)


def _by_servers(state, round_):
    children = []
    for _ in range(2):
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if not pid:
            ours.close()
            for _, other in children:
                other.close()
            _serve(state, theirs, round_.ending)
        theirs.close()
        children.append((pid, ours))
    found: list = [[], []]
    for action in round_.actions:
        for _, link in children:
            link.sendall(json.dumps([action]).encode() + b"\n")
        for (_, link), answers in zip(children, found, strict=True):
            with link.makefile() as file:
                answers += json.loads(file.readline() or '["no answer"]')
    for _, link in children:
        link.close()
    return found, [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid, _ in children]


def _by_grandchildren(context, round_, state):
    """A child computes, and so does its child."""
    def compute():
        inner, codes = _of_processes(context, round_, functools.partial(outcome, state, round_.actions))
        return inner[0] if codes == [ENDINGS[round_.ending]] * 2 and inner[0] == inner[1] else [f"ended with {codes}"]

    return _of_processes(context, round_, compute)


class _Data:
    def __init__(self, state, actions):
        self.state, self.actions = state, actions

    def __len__(self):
        return 4

    def __getitem__(self, k):
        return self.state.torch.full((2,), k) + 1, json.dumps(outcome(self.state, self.actions) if k in (0, 2) else None)


def _by_loader(state, round_):
    loader = state.torch.utils.data.DataLoader(_Data(state, round_.actions), batch_size=2, num_workers=2)
    found = [(batch.tolist(), json.loads(texts[0])) for batch, texts in loader]
    assert [batch for batch, _ in found] == [[[1, 1], [2, 2]], [[3, 3], [4, 4]]], found
    return [answer for _, answer in found], []


def children(state, round_) -> tuple:
    """What each child has computed, and their exit codes, where they can be seen."""
    method, _, start = round_.method.partition(" by ")
    if method == "server":
        return _by_servers(state, round_)
    if method == "loader":
        return _by_loader(state, round_)
    context = multiprocessing.get_context(start)
    compute = functools.partial(outcome, state, round_.actions)
    if start != "fork":
        compute = functools.partial(_fresh, round_.preparations, round_.actions)
    elif method in ("pool", "initialized pool", "executor"):
        _TASK.append(compute)
        compute = functools.partial(_task, len(_TASK))
    if method == "grandchildren":
        return _by_grandchildren(context, round_, state)
    if method == "processes":
        return _of_processes(context, round_, compute)
    by = {"queue": _by_queue, "pool": _by_pool, "initialized pool": _with_initializer, "executor": _by_executor}
    return by[method](context, compute)


FORKING = ("processes by fork", "queue by fork", "pool by fork", "initialized pool by fork", "executor by fork", "server",
           "grandchildren by fork", "loader")
ANEW = ("processes by spawn", "queue by forkserver", "pool by spawn", "executor by forkserver")
WITH_ENDING = ("processes by fork", "server", "grandchildren by fork", "processes by spawn")


# -- where they are made

def _in_hook(state, run):
    leaf, found = state.torch.ones(2, requires_grad=True), []
    middle = leaf * 2
    middle.register_hook(lambda _: found.append(run()))
    (middle * 3).sum().backward()
    return found[0]


def _in_thread(_, run):
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result()


def _without_gradient(state, run):
    with state.torch.no_grad():
        return run()


def _in_forward(state, run):
    found: list = []

    def hook(*_):
        handle.remove()  # what is run calls the model
        found.append(run())

    handle = state.model[1].register_forward_hook(hook)
    state.model(state.x)
    return found[0]


PLACES = {"plain": lambda _, run: run(), "hook": _in_hook, "thread": _in_thread, "no_grad": _without_gradient,
          "forward": _in_forward}


def _busy(torch, stop, k):
    """Compute what is compiled again and again, until told to stop."""
    i = 0
    while not stop.is_set():
        x = torch.linspace(0, 1, 3 * (2 + (i + k) % 41), requires_grad=True)
        ((x * 2).exp().softmax(0).sum() + x.reshape(3, -1).cumsum(1).mean()).backward()
        x.grad.sum().item()
        i += 1


@contextlib.contextmanager
def meanwhile(torch, kind):
    """Inside, other threads compute ("threads"), or many programs wait to be compiled ("compiling")."""
    stop, threads = threading.Event(), []
    if kind == "threads":
        threads = [threading.Thread(target=_busy, args=(torch, stop, 7 * k)) for k in range(2)]
    elif kind == "compiling":
        for k in range(8):
            for _ in range(2):
                (torch.linspace(0, 1, 17 + k).cos().tanh() * k).reshape(-1, 1).softmax(0).sum().item()
    for thread in threads:
        thread.start()
    if threads:
        time.sleep(random.random() / 20)
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def run(torch, round_: Round) -> dict:
    """What its children have computed, their exit codes, and what this process computes once they have."""
    state = State(torch, round_.preparations)
    with meanwhile(torch, round_.meanwhile):
        found, codes = PLACES[round_.place](state, functools.partial(children, state, round_))
    return {"children": found, "codes": codes, "here": outcome(state, round_.actions)}


def main() -> None:
    """Run the rounds of the first argument."""
    import torchlike as torch

    given = json.loads(sys.argv[1])
    random.seed(given["seed"])
    torch.configure(**given["settings"])
    for fields in given["rounds"]:
        print(json.dumps(run(torch, Round(**fields))), flush=True)


if __name__ == "__main__":
    main()
