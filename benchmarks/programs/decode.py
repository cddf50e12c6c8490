"""Decoding with a transformer, 4 layers of d=128, and a cache of keys and values that grows by a token each time.

A step decodes 32 tokens, one at a time, after the last 8 of the step before it. Each token is read, as in a loop that ends
at a certain one.
"""

TITLE = "decoding 32 tokens, 4 layers, d=128, cache of keys and values"
DEPTH, WIDTH, HEADS, VOCABULARY, PROMPT, TOKENS = 4, 128, 4, 256, 8, 32


def _block_class(torch):
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
            self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

        def forward(self, x, kept):
            batch, length, _ = x.shape
            q, k, v = (part.view(batch, length, HEADS, WIDTH // HEADS).transpose(1, 2)
                       for part in self.qkv(self.norm1(x)).split(WIDTH, dim=2))
            if kept is not None:
                k, v = torch.cat([kept[0], k], 2), torch.cat([kept[1], v], 2)
            y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=kept is None)
            x = x + self.out(y.transpose(1, 2).reshape(batch, length, WIDTH))
            return x + self.down(nn.functional.gelu(self.up(self.norm2(x)))), (k, v)

    return Block


def _model(torch):
    nn = torch.nn
    block = _block_class(torch)

    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.token, self.position = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(PROMPT + TOKENS, WIDTH)
            self.blocks = nn.ModuleList([block() for _ in range(DEPTH)])
            self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY, bias=False)

        def forward(self, tokens, caches):
            start = 0 if caches[0] is None else caches[0][0].shape[2]
            x = self.token(tokens) + self.position.weight[start:start + tokens.shape[1]]
            made = []
            for layer, kept in zip(self.blocks, caches, strict=True):
                x, cache = layer(x, kept)
                made.append(cache)
            return self.head(self.norm(x[:, -1])), made

    return Decoder()


def make_step(torch, wrap):
    """The decoding of 32 tokens in PyTorch's API; `wrap` compiles what a user would compile. Its result is the last
    logits."""
    torch.manual_seed(0)
    model = wrap(_model(torch).eval())
    found = torch.randint(0, VOCABULARY, (PROMPT,)).tolist()

    def step():
        tokens, caches = torch.tensor([found[-PROMPT:]]), [None] * DEPTH
        found.clear()
        with torch.no_grad():
            for _ in range(TOKENS):
                logits, caches = model(tokens, caches)
                tokens = logits.argmax(-1, keepdim=True)
                found.append(tokens.item())
        return logits

    return step
