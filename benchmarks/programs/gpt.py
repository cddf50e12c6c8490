"""A full training step of a GPT with AdamW: 4 layers (d=128, 4 heads, sequence 64, batch 8, vocabulary 256) by default."""

import dataclasses

TITLE = "4-layer GPT, d=128, sequence 64, batch 8, AdamW"


@dataclasses.dataclass(frozen=True)
class Size:
    """Shapes of the model and of its batch."""

    depth: int = 4
    width: int = 128
    heads: int = 4
    length: int = 64
    batch: int = 8
    vocabulary: int = 256
    tied: bool = False  # the head is the table of tokens
    autocast: bool = False  # products in bfloat16
    checkpoint: bool = False  # the inside of each block is computed again for its gradients
    forced: bool = False  # the loss is read before the gradients are computed

    @property
    def items(self) -> int:
        """Tokens of a step."""
        return self.batch * self.length

    @property
    def flops(self) -> int:
        """Of the products of a step: six for each weight and token, and those of attention, forward and both gradients."""
        weights = self.depth * 12 * self.width ** 2 + self.vocabulary * self.width
        return self.items * (6 * weights + 12 * self.depth * self.length * self.width)


DEFAULT = Size()


def _block_class(torch, size):
    nn = torch.nn
    wide, heads = size.width, size.heads

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(wide), nn.LayerNorm(wide)
            self.qkv, self.out = nn.Linear(wide, 3 * wide), nn.Linear(wide, wide)
            self.up, self.down = nn.Linear(wide, 4 * wide), nn.Linear(4 * wide, wide)

        def forward(self, x):
            batch, length, _ = x.shape
            parts = self.qkv(self.norm1(x)).split(wide, dim=2)
            q, k, v = (part.view(batch, length, heads, wide // heads).transpose(1, 2) for part in parts)
            y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(y.transpose(1, 2).reshape(batch, length, wide))
            return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))

    return Block


def _model(torch, size):
    nn = torch.nn
    block = _block_class(torch, size)

    class GPT(nn.Module):
        def __init__(self):
            super().__init__()
            self.token, self.position = nn.Embedding(size.vocabulary, size.width), nn.Embedding(size.length, size.width)
            self.blocks = nn.ModuleList([block() for _ in range(size.depth)])
            self.norm, self.head = nn.LayerNorm(size.width), nn.Linear(size.width, size.vocabulary, bias=False)
            if size.tied:
                nn.init.normal_(self.token.weight, std=0.02)
                self.head.weight = self.token.weight

        def forward(self, tokens):
            x = self.token(tokens) + self.position.weight[:tokens.shape[1]]
            for layer in self.blocks:
                x = torch.utils.checkpoint.checkpoint(layer, x, use_reentrant=False) if size.checkpoint else layer(x)
            return self.head(self.norm(x))

    return GPT()


def _trainer(torch, wrap, size):
    """(a step on tokens and targets, data that have one token more than the longest sequence)."""
    torch.manual_seed(0)
    model = wrap(_model(torch, size))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    data = torch.randint(0, size.vocabulary, (size.batch, size.length + 1))

    def loss_of(tokens, targets):
        logits = model(tokens)
        return torch.nn.functional.cross_entropy(logits.view(-1, size.vocabulary), targets.view(-1))

    def loss_in_bfloat16(tokens, targets):
        with torch.autocast(data.device.type, torch.bfloat16):
            return loss_of(tokens, targets)

    forward = loss_in_bfloat16 if size.autocast else loss_of

    def train(tokens, targets):
        optimizer.zero_grad()
        loss = forward(tokens, targets)
        if size.forced:
            loss.item()
        loss.backward()
        optimizer.step()
        return loss

    return train, data


def make_step(torch, wrap, size=DEFAULT):
    """One step of the program in PyTorch's API; `wrap` compiles what a user would compile. Its result is the loss."""
    train, data = _trainer(torch, wrap, size)
    tokens, targets = data[:, :-1].contiguous(), data[:, 1:].contiguous()
    return lambda: train(tokens, targets)


def make_step_of_length(torch, wrap, depth=DEFAULT.depth):
    """A step that takes the length of its sequences, that of `DEFAULT` at most. Its result is the loss."""
    train, data = _trainer(torch, wrap, dataclasses.replace(DEFAULT, depth=depth))
    return lambda length: train(data[:, :length].contiguous(), data[:, 1:length + 1].contiguous())
