"""Constants that forward computes of tensors of the model: torch.fx keeps what they come to, not what they are of."""

import torch
from torch import nn


class OfBuffer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hamming_window(5))
        self.register_buffer("mask", torch.tril(torch.ones(4, 4)))

    def forward(self, x):
        return x + self.window * 2 + self.mask[:1, :1].sum()


class OfAttribute(nn.Module):
    def __init__(self):
        super().__init__()
        self.grid = torch.arange(4.0) * 2

    def forward(self, x):
        self.grid = self.grid
        return x + self.grid / 2


class Replaced(nn.Module):
    def __init__(self):
        super().__init__()
        self.grid = torch.arange(4.0) * 2

    def forward(self, x):
        grid = self.grid / 2
        self.grid = grid
        return x + grid + self.grid


class ReadAsWell(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.rand(3))

    def forward(self, x):
        return x * self.scale + self.scale[1]


class Losses(nn.Module):
    """A sum that grows in place requires gradients, and is no leaf."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        total = torch.zeros((1,))
        for weight in self.linear.parameters():
            total += torch.sum(0.1 * torch.square(weight))
        return self.linear(x) + total


class Forgetting(nn.Module):
    """Weights of an LSTM by its tables of them."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 4, 2)
        self.gru = nn.GRU(4, 4)
        self.gru.reset_parameters()
        for names in self.lstm._all_weights:
            for name in filter(lambda each: "bias" in each, names):
                getattr(self.lstm, name).data[4:8].fill_(1.0)
        for weights in self.lstm.all_weights:
            nn.init.orthogonal_(weights[1])

    def forward(self, x):
        self.lstm.flatten_parameters()
        return self.gru(self.lstm(x)[0])


TRACE = {name: {} for name, each in list(globals().items()) if isinstance(each, type) and issubclass(each, nn.Module)}
