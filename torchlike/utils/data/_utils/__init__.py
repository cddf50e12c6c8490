"""What a DataLoader is made of; programs that look below `torch.utils.data` find it under PyTorch's names."""

from torchlike.utils.data._utils import collate as collate
from torchlike.utils.data._utils import fetch as fetch
from torchlike.utils.data._utils import worker as worker
