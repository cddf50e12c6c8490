import torch
import geoopt

torch.manual_seed(0)
ball = geoopt.PoincareBall(c=1.0)
points = geoopt.ManifoldParameter(ball.random_normal(6, 3, std=0.3), manifold=ball)
print(type(points).__name__, isinstance(points, torch.nn.Parameter), points.requires_grad, points.manifold.name)
target = ball.expmap0(torch.randn(6, 3) * 0.2)
optimizer = geoopt.optim.RiemannianAdam([points], lr=0.1)
for i in range(5):
    loss = ball.dist(points, target).pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(i, loss)
print(points)
sphere = geoopt.Sphere()
x = geoopt.ManifoldTensor(torch.randn(4, 3), manifold=sphere).proj_()
print(type(x).__name__, type(x * 2).__name__, x.norm(dim=-1))
q = geoopt.ManifoldParameter(torch.linalg.qr(torch.randn(4, 2)).Q, manifold=geoopt.Stiefel())
sgd = geoopt.optim.RiemannianSGD([q], lr=0.1, momentum=0.9)
a = torch.randn(4, 4)
a = a @ a.T
for i in range(5):
    loss = -(q.T @ a @ q).trace()
    sgd.zero_grad()
    loss.backward()
    sgd.step()
    print(i, loss, (q.T @ q - torch.eye(2)).abs().max() < 1e-5)
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = geoopt.ManifoldParameter(torch.zeros(3), manifold=ball)
        self.b = torch.nn.Parameter(torch.zeros(1))
    def forward(self, x):
        return ball.dist(self.w, x) + self.b
net = Net()
print([(n, type(p).__name__) for n, p in net.named_parameters()])
net(target).sum().backward()
print(net.w.grad, net.state_dict())
