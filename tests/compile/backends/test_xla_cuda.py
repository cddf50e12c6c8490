"""Numbers on a GPU, with a second CPU device in its place."""

from tests.cuda.standin import printed

NUMBERS = """
from torchlike._compile.backends.registry import backend_of
backend = backend_of(torch.device("cuda", 0))
placed = []
place = backend.place
backend.place = lambda array: placed.append(array) or place(array)
x = torch.ones(3, device="cuda")
def shown(*numbers):
    before = len(placed)
    found = [(x * number).tolist()[0] for number in numbers]
    print(found, len(placed) - before)
with torch.configure(compile="off"):
    shown(2.0, 3.0)
    shown(3.0, 2.0, 2.0)
    shown(0.0, -0.0)
    shown(float("nan"), float("nan"))
    shown(1, True, 1.0, 1j)
sys.modules["torchlike._compile.backends.xla_cuda"]._NUMBERS = 3
backend._numbers.clear()
with torch.configure(compile="off"):
    shown(*range(8))
print(len(backend._numbers))
"""


def test_a_number_is_sent_once():
    lines = printed(NUMBERS)
    assert lines[:4] == ["[2.0, 3.0] 2", "[3.0, 2.0, 2.0] 0", "[0.0, -0.0] 2", "[nan, nan] 1"]
    assert lines[4].endswith(" 4") and lines[4].startswith("[1.0, 1.0, 1.0, 1j]")
    assert lines[5:] == ["[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0] 8", "2"]
