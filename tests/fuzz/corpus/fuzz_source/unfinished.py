import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, n=3
        super().__init__()
        self.l = nn.Linear(4, 4
    def forward(self, x):
        for i in range(3)
            x = self.l(x
        return torch.cat([x, x.
