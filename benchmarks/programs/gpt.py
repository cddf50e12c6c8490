"""A full training step of a 4-layer GPT (d=128, 4 heads, sequence 64, batch 8, vocabulary 256) with AdamW."""

TITLE = "4-layer GPT, d=128, sequence 64, batch 8, AdamW"
DEPTH, WIDTH, HEADS, LENGTH, BATCH, VOCABULARY = 4, 128, 4, 64, 8, 256


def _block_class(torch):
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
            self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

        def forward(self, x):
            batch, length, _ = x.shape
            parts = self.qkv(self.norm1(x)).split(WIDTH, dim=2)
            q, k, v = (part.view(batch, length, HEADS, WIDTH // HEADS).transpose(1, 2) for part in parts)
            y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(y.transpose(1, 2).reshape(batch, length, WIDTH))
            return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))

    return Block


def _model(torch, depth):
    nn = torch.nn
    block = _block_class(torch)

    class GPT(nn.Module):
        def __init__(self):
            super().__init__()
            self.token, self.position = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(LENGTH, WIDTH)
            self.blocks = nn.ModuleList([block() for _ in range(depth)])
            self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY, bias=False)

        def forward(self, tokens):
            x = self.token(tokens) + self.position.weight[:tokens.shape[1]]
            for layer in self.blocks:
                x = layer(x)
            return self.head(self.norm(x))

    return GPT()


def _trainer(torch, wrap, depth):
    """(a step on tokens and targets, data that have one token more than the longest sequence)."""
    torch.manual_seed(0)
    model = wrap(_model(torch, depth))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    data = torch.randint(0, VOCABULARY, (BATCH, LENGTH + 1))

    def train(tokens, targets):
        optimizer.zero_grad()
        logits = model(tokens)
        loss = torch.nn.functional.cross_entropy(logits.view(-1, VOCABULARY), targets.view(-1))
        loss.backward()
        optimizer.step()
        return loss

    return train, data


def make_step(torch, wrap):
    """One step of the program in PyTorch's API; `wrap` compiles what a user would compile."""
    train, data = _trainer(torch, wrap, DEPTH)
    tokens, targets = data[:, :-1].contiguous(), data[:, 1:].contiguous()
    return lambda: train(tokens, targets)


def make_step_of_length(torch, depth=DEPTH):
    """A step that takes the length of its sequences, LENGTH at most."""
    train, data = _trainer(torch, lambda model: model, depth)
    return lambda length: train(data[:, :length].contiguous(), data[:, 1:length + 1].contiguous())
