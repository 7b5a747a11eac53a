import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("w", torch.from_file("reached_by_a_model", True, 64))

    def forward(self, x):
        return torch.relu(x) + self.w.sum()
