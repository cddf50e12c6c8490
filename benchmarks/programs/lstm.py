"""A full training step of a 2-layer LSTM over 64 time steps (batch 16, 32 features, 64 hidden) with Adam."""

from benchmarks.programs.training import classifier_step

TITLE = "2-layer LSTM over 64 steps, batch 16, 32 features, 64 hidden, Adam"
FEATURES, HIDDEN, STEPS, BATCH, CLASSES = 32, 64, 64, 16, 10


def make_step(torch, wrap):
    """One step of the program in PyTorch's API; `wrap` compiles what a user would compile. Its result is the loss."""
    nn = torch.nn
    torch.manual_seed(0)

    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm, self.head = nn.LSTM(FEATURES, HIDDEN, 2), nn.Linear(HIDDEN, CLASSES)

        def forward(self, x):
            return self.head(self.lstm(x)[0][-1])

    model = wrap(Classifier())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    inputs, targets = torch.randn(STEPS, BATCH, FEATURES), torch.randint(0, CLASSES, (BATCH,))
    return classifier_step(torch, model, optimizer, inputs, targets)
