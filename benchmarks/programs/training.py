"""What the programs that train a classifier have in common."""


def classifier_step(torch, model, optimizer, inputs, targets):
    """A training step: cross entropy, gradients, the optimizer's update. Its result is the loss, which the step does not
    read."""
    def step():
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(inputs), targets)
        loss.backward()
        optimizer.step()
        return loss

    return step
