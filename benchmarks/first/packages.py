"""Models of transformers and timm, from configurations: no weights are fetched. The packages are imported here and only
when a program runs, by name, since they need not be installed."""

import importlib
import importlib.util
import tempfile
from types import ModuleType

from benchmarks.first.training import seconds

GPT2 = {"vocab_size": 100, "n_positions": 64, "n_embd": 48, "n_layer": 2, "n_head": 4, "bos_token_id": 0,
        "eos_token_id": None, "pad_token_id": None}  # 64 512 parameters
SMALL = {"vocab_size": 100, "hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 96}
TIMM: dict[str, dict] = {
    "vit_tiny_patch16_224": {"img_size": 32, "patch_size": 8}, "resnet18": {}, "convnext_atto": {}, "efficientnet_b0": {}}
NEEDS = {"gpt2": "transformers", "transformers": "transformers", "timm": "timm"}  # programs, and the package of each


def missing(program: str) -> str | None:
    """Why a program cannot run here; None if it can."""
    package = NEEDS.get(program)
    return None if package is None or importlib.util.find_spec(package) else f"{package} is not installed"


class Timer(dict):
    """Seconds by what was done."""

    def run(self, name: str, call):
        """The result of `call`."""
        results = []
        self[name] = seconds(lambda: results.append(call()))
        return results[0]


def gpt2(torch: ModuleType) -> dict:
    """The driver that people write first: build, train, generate, save, load."""
    timer = Timer()
    library = timer.run("import", lambda: importlib.import_module("transformers.models.gpt2.modeling_gpt2"))
    config = library.GPT2Config(**GPT2)
    torch.manual_seed(0)
    model = timer.run("build", lambda: library.GPT2LMHeadModel(config))
    tokens = torch.randint(0, GPT2["vocab_size"], (3, 16))
    timer.run("first_forward", lambda: model(input_ids=tokens, labels=tokens).loss.item())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    timer.run("first_step", lambda: _step(optimizer, lambda: model(input_ids=tokens, labels=tokens).loss))
    timer.run("two_steps", lambda: [_step(optimizer, lambda: model(input_ids=tokens, labels=tokens).loss) for _ in range(2)])
    model.eval()
    mask = torch.ones_like(tokens[:, :4])
    timer.run("generate", lambda: model.generate(tokens[:, :4], attention_mask=mask, max_new_tokens=12, do_sample=False,
                                                 pad_token_id=0).tolist())
    with tempfile.TemporaryDirectory() as folder:
        timer.run("save", lambda: model.save_pretrained(folder))
        timer.run("load", lambda: library.GPT2LMHeadModel.from_pretrained(folder))
    return timer


def transformers(torch: ModuleType) -> dict:
    """BERT as a classifier and a Llama, two steps each."""
    timer = Timer()
    library = timer.run("import", lambda: importlib.import_module("transformers"))
    torch.manual_seed(0)
    tokens, classes = torch.randint(0, SMALL["vocab_size"], (3, 16)), torch.tensor([0, 1, 1])
    models = {"bert": (library.BertConfig, library.BertForSequenceClassification, classes),
              "llama": (library.LlamaConfig, library.LlamaForCausalLM, tokens)}
    for name, (config, cls, labels) in models.items():
        model = cls(config(**SMALL, pad_token_id=0, bos_token_id=1, eos_token_id=2))
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

        def loss(model=model, labels=labels):
            return model(input_ids=tokens, labels=labels).loss

        timer.run(name, lambda optimizer=optimizer, loss=loss: [_step(optimizer, loss) for _ in range(2)])
    return timer


def timm(torch: ModuleType) -> dict:
    """Four image models at 2x3x32x32, two steps each."""
    timer = Timer()
    library = timer.run("import", lambda: importlib.import_module("timm"))
    torch.manual_seed(0)
    images, classes = torch.randn(2, 3, 32, 32), torch.tensor([1, 2])
    for name, options in TIMM.items():
        def steps(name=name, options=options):
            model = library.create_model(name, num_classes=10, **options)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
            for _ in range(2):
                _step(optimizer, lambda: torch.nn.functional.cross_entropy(model(images), classes))

        timer.run(name, steps)
    return timer


def _step(optimizer, loss_of) -> float:
    optimizer.zero_grad()
    loss = loss_of()
    loss.backward()
    optimizer.step()
    return loss.item()
