"""Errors of operations on tensors in constructors, which `except` catches, and sizes that decide them."""

import torch
from torch import nn


class _Told(nn.Module):
    def __init__(self):
        super().__init__()
        self.told = []

    def tries(self, call):
        try:
            self.told.append(tuple(call().shape))
        except (RuntimeError, IndexError) as error:
            self.told.append(type(error).__name__)

    def forward(self, x):
        return x, self.told


class StridesOfViews(_Told):
    def __init__(self):
        super().__init__()
        a = torch.zeros(2, 3, 4)
        self.tries(lambda: a.transpose(1, 2).view(2, 12))
        self.tries(lambda: a.permute(1, 0, 2).view(6, 4))
        self.tries(lambda: a[:, ::2].view(2, 8))
        self.tries(lambda: a[:1, :2].view(8))
        self.tries(lambda: torch.zeros(1, 3).expand(4, 3).view(12))
        self.tries(lambda: torch.zeros(2, 3).t().contiguous().view(6))


class WritesThatFit(_Told):
    def __init__(self):
        super().__init__()
        self.register_buffer("m", torch.zeros(3, 4))

        def put(at, value):
            self.m[at] = value
            return self.m

        self.tries(lambda: put((slice(None), slice(None, 2)), torch.ones(3, 4)))
        self.tries(lambda: put((slice(None), 0), torch.ones(2)))
        self.tries(lambda: put((slice(None), 0), torch.ones(1, 3)))
        self.tries(lambda: put(3, 1.0))
        self.tries(lambda: put(2, torch.ones(4)))
        self.tries(lambda: self.m.add_(torch.ones(2, 3, 4)))
        self.tries(lambda: self.m.add_(torch.ones(3, 1)))


class UntilTheEnd(nn.Module):
    def __init__(self):
        super().__init__()
        t, self.out, i = torch.arange(3), [], 0
        try:
            while True:
                self.out.append(int(t[i]))
                i += 1
        except IndexError:
            pass

    def forward(self, x):
        return x, self.out


class SizesAfterWrites(nn.Module):
    def __init__(self):
        super().__init__()
        pe = torch.zeros(5, 4)
        pe.unsqueeze_(0)
        pe[0, :, 1::2] = 1
        pe.transpose_(1, 2)
        self.sizes = tuple(pe.shape), tuple(torch.zeros(2, 3).resize_(3, 3).shape), tuple(torch.ones(2, 3).t_().shape)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe, self.sizes


class OddPositions(nn.Module):
    """Has one column less of cosines."""

    def __init__(self):
        super().__init__()
        pe = torch.zeros(10, 7)
        angle = torch.arange(0, 10).unsqueeze(1) * torch.exp(torch.arange(0, 7, 2).float())
        pe[:, 0::2] = torch.sin(angle)
        pe[:, 1::2] = torch.cos(angle)

    def forward(self, x):
        return x


class MaximaOfRows(nn.Module):
    def __init__(self):
        super().__init__()
        best, at = torch.arange(6).view(2, 3).max(1)
        kept = torch.arange(6.0).view(2, 3).min(0, keepdim=True)
        self.told = [tuple(best.shape), str(best.dtype), tuple(kept[0].shape), str(kept[1].dtype)]
        self.told.append(str(torch.max(best, at).dtype))
        self.register_buffer("best", best)

    def forward(self, x):
        return x + self.best, self.told
