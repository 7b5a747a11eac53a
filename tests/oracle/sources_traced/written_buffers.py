"""What forward writes to buffers, parameters and other tensors while it is traced: PyTorch keeps the new values."""

import torch
from torch import nn
import torch.nn.functional as F


class Count(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(()))
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        self.count += 1
        return self.lin(x) * self.count


class CountUnused(Count):
    def forward(self, x):
        self.count += 1
        return self.lin(x)


class CountAssign(Count):
    def forward(self, x):
        self.count = self.count + 1
        return self.lin(x) * self.count


class SetProxy(Count):
    def forward(self, x):
        self.count = x.mean()
        return self.lin(x) * self.count


class SetProxyUnused(Count):
    def forward(self, x):
        self.count = x.mean()
        return self.lin(x)


class AddProxy(Count):
    def forward(self, x):
        self.count += x.mean()
        return self.lin(x) * self.count


class AddProxyUnused(Count):
    def forward(self, x):
        self.count += x.mean()
        return self.lin(x)


class CopyProxy(Count):
    def forward(self, x):
        self.count.copy_(x.mean())
        return self.lin(x) * self.count


class CopyProxyUnused(Count):
    def forward(self, x):
        self.count.copy_(x.mean())
        return self.lin(x)


class AddMethod(Count):
    def forward(self, x):
        self.count.add_(1)
        return self.lin(x) * self.count


class AddMethodTwice(Count):
    def forward(self, x):
        self.count.add_(1)
        y = self.lin(x) * self.count
        self.count.mul_(3)
        return y + self.count


class Fill(Count):
    def forward(self, x):
        self.count.fill_(2.0)
        self.count.zero_()
        return self.lin(x) * self.count


class Mul(Count):
    def forward(self, x):
        self.count.mul_(0.9).add_(x.mean(), alpha=0.1)
        return self.lin(x) * self.count


class DataSet(Count):
    def forward(self, x):
        self.count.data = self.count.data * 2 + 1
        return self.lin(x) * self.count


class DataProxy(Count):
    def forward(self, x):
        self.count.data = x.mean()
        return self.lin(x) * self.count


class Item(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("buf", torch.zeros(4))

    def forward(self, x):
        self.buf[0] = 1.0
        return x + self.buf


class ItemProxy(Item):
    def forward(self, x):
        self.buf[0] = x.mean()
        return x + self.buf


class ItemAll(Item):
    def forward(self, x):
        self.buf[:] = 3.0
        return x + self.buf


class ItemAug(Item):
    def forward(self, x):
        self.buf[1] += 3.0
        return x + self.buf


class NoGrad(Item):
    def forward(self, x):
        with torch.no_grad():
            self.buf.mul_(0.9)
            self.buf += 0.5
        return x + self.buf


class Lerp(Item):
    def forward(self, x):
        self.buf.lerp_(torch.ones(4), 0.25)
        return x + self.buf


class NewAttr(Item):
    def forward(self, x):
        self.last = x
        self.cache = torch.ones(4)
        return x + self.cache + self.last


class SetNone(Item):
    def forward(self, x):
        self.buf = None
        return x * 2


class SetConst(Item):
    def forward(self, x):
        self.buf = torch.ones(4)
        return x + self.buf


class SetConst2(Item):
    def forward(self, x):
        self.buf = torch.full((4,), 2.0) + self.buf
        return x * self.buf


class RegBuffer(Item):
    def forward(self, x):
        self.register_buffer("late", torch.full((4,), 2.0))
        return x * self.late


class RegBufferProxy(Item):
    def forward(self, x):
        self.register_buffer("late", x)
        return x * self.late


class SetParam(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(4))

    def forward(self, x):
        self.w = x
        return x * 2


class SetParamNew(SetParam):
    def forward(self, x):
        self.w = nn.Parameter(torch.zeros(4))
        return x * self.w


class SetSub(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        self.lin = nn.Linear(4, 4)
        return self.lin(x)


class IntCounter(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = 0
        self.hist = []

    def forward(self, x):
        self.steps += 1
        self.hist.append(x.mean())
        return x * self.steps + self.hist[-1]


class SubBuf(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Count()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        self.inner.count += 1
        y = self.inner(x)
        self.inner.count = self.inner.count * 2
        return y * self.inner.count


class Ema(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))
        self.register_buffer("n", torch.tensor(0, dtype=torch.long))
        self.momentum = 0.1

    def forward(self, x):
        if self.training:
            self.n += 1
            m = x.mean(0)
            self.mean = (1 - self.momentum) * self.mean + self.momentum * m
        return x - self.mean


class EmaDetach(Ema):
    def forward(self, x):
        if self.training:
            self.n.add_(1)
            with torch.no_grad():
                self.mean.mul_(1 - self.momentum)
                self.mean.add_(self.momentum * x.mean(0).detach())
        return x - self.mean


class VQ(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("embed", torch.randn(4, 8))
        self.register_buffer("cluster_size", torch.zeros(8))
        self.decay = 0.99

    def forward(self, x):
        dist = x.pow(2).sum(1, keepdim=True) - 2 * x @ self.embed + self.embed.pow(2).sum(0, keepdim=True)
        _, ind = (-dist).max(1)
        onehot = F.one_hot(ind, 8).type(x.dtype)
        q = F.embedding(ind, self.embed.transpose(0, 1))
        self.cluster_size.data.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
        return x + (q - x).detach()


class Setattr(Item):
    def forward(self, x):
        setattr(self, "buf", x + 1)
        return self.buf * 2


class DelBuf(Item):
    def forward(self, x):
        del self.buf
        return x * 2


class Buffers(Item):
    def forward(self, x):
        self._buffers["buf"] = x * 2
        return x + self.buf


class OutArg(Item):
    def forward(self, x):
        torch.add(x, 1, out=self.buf)
        return x + self.buf


class Swap(Item):
    def forward(self, x):
        old = self.buf
        self.buf = old * 2
        return x + old + self.buf


class Twice(Item):
    def forward(self, x):
        self.buf += 1
        a = x + self.buf
        self.buf += 1
        return a + self.buf


TRACE = {name: {} for name, each in list(globals().items()) if isinstance(each, type) and issubclass(each, nn.Module)}
