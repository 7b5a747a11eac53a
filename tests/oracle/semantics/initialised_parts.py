# torch.nn.init of parts of parameters, and of tensors that do not lie in rows.
# ruff: noqa
import torch
from torch import nn


class _Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(12, 6))
        self.fill(self.w)
        self.after = nn.Linear(2, 2)

    def forward(self, x): return x @ self.w, self.after(x)


class OrthogonalChunks(_Net):
    def fill(self, w):
        for part in w.data.chunk(2): nn.init.orthogonal_(part)


class OrthogonalSlices(_Net):
    def fill(self, w):
        nn.init.orthogonal_(w.data[:6])
        with torch.no_grad(): nn.init.orthogonal_(w[2:8], gain=2)
        nn.init.orthogonal_(w.data.narrow(0, 8, 4))


class OrthogonalViews(_Net):
    def fill(self, w):
        nn.init.orthogonal_(w.data.view(8, 9))
        nn.init.orthogonal_(w.data.reshape(3, 4, 6)[0])
        for part in w.data.split(4)[1:]: nn.init.orthogonal_(part)


class OrthogonalColumns(_Net):
    def fill(self, w):
        for part in w.data.view(3, 4, 6).unbind(0): nn.init.orthogonal_(part)
        for part in w.data.chunk(2, 1): nn.init.orthogonal_(part)


class OrthogonalGates(nn.Module):
    def __init__(self):
        super().__init__()
        self.r = nn.LSTM(4, 3)
        for name, p in self.r.named_parameters():
            if "weight_hh" in name:
                for i in range(4): nn.init.orthogonal_(p.data[i * 3:(i + 1) * 3])
            elif "weight_ih" in name:
                for i in range(4): nn.init.xavier_uniform_(p.data[i * 3:(i + 1) * 3])

    def forward(self, x): return self.r(x)


class EyeAndDirac(_Net):
    def fill(self, w):
        nn.init.eye_(w.data[:2])
        nn.init.eye_(w.data[6:].t()[1:])
        nn.init.dirac_(w.data.view(4, 6, 3)[2:, 1:4])


class SparseParts(_Net):
    def fill(self, w):
        nn.init.sparse_(w.data[:2], .5)
        nn.init.sparse_(w.data[4:8, 1:3], .5)


class NormalColumns(_Net):
    def fill(self, w): nn.init.normal_(w[:, :3])


class NormalTwice(_Net):
    def fill(self, w):
        turned = w.data.t()
        nn.init.normal_(turned, 1, std=3)
        turned.mul_(2)
        nn.init.normal_(turned[2:4])


class UniformColumns(_Net):
    def fill(self, w):
        nn.init.uniform_(w.data.t(), b=3, a=-1)
        for part in w.data[:, 2:].chunk(2, 1): nn.init.uniform_(part)


class XavierTurned(_Net):
    def fill(self, w):
        nn.init.xavier_uniform_(w.data.t(), gain=2)
        nn.init.xavier_normal_(w.data[:, 1:])


class KaimingTurned(_Net):
    def fill(self, w):
        nn.init.kaiming_uniform_(w.data.t(), a=2, nonlinearity="leaky_relu")
        nn.init.kaiming_normal_(w.data[:, 1:], mode="fan_out", nonlinearity="relu")


class TruncatedParts(_Net):
    def fill(self, w):
        nn.init.trunc_normal_(w.data[2:5], std=.2)
        nn.init.trunc_normal_(w.data[:2], 0., 1., 3., 4.)
        nn.init.trunc_normal_(w.data[5:, 1:], std=.02)


class MethodsOfChunks(_Net):
    def fill(self, w):
        for part in w.data.chunk(3): part.normal_(0, 2)


class OwnGenerator(_Net):
    def fill(self, w):
        own = torch.Generator().manual_seed(3)
        nn.init.normal_(w[:, 5].data, generator=own)
        nn.init.orthogonal_(w.data[:4], generator=own)


class Detached(_Net):
    def fill(self, w):
        w.detach_()
        self.scale = 1 if w.requires_grad else 2

    def forward(self, x): return x @ self.w * self.scale


class DetachedView(_Net):
    def fill(self, w): w[0].detach_()


class DetachedViewTried(_Net):
    def fill(self, w):
        try: w.data.view(6, 12).detach_()
        except RuntimeError: w.data.fill_(3)


class TensorArguments(_Net):
    def fill(self, w):
        nn.init.constant_(w.data[:2], torch.tensor(3.))
        nn.init.uniform_(w.data[2:4], torch.tensor(3.), torch.tensor(4.))
        self.v, self.c = nn.Parameter(torch.zeros(3)), nn.Parameter(torch.zeros(3))
        nn.init.normal_(self.v, torch.tensor(3.), torch.tensor(0.5))
        nn.init.constant_(self.c, -torch.log(torch.tensor(4.)))

    def forward(self, x): return x @ self.w, self.after(x) + self.v + self.c


class OldNames(_Net):
    def fill(self, w):
        nn.init.xavier_uniform(w)
        nn.init.kaiming_normal(w.data[:3], mode="FAN_OUT", nonlinearity="relu")


class ReadOfSubmodule(nn.Module):
    class Part(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.ones(3))
            self.n = 2 * torch.arange(-3.0, 0)
            self.register_buffer("b", torch.ones(3), persistent=False)
            self.unread = torch.ones(1)

        def forward(self, x): return x + self.n * self.w + self.b

    def __init__(self):
        super().__init__()
        self.part, self.called = self.Part(), nn.Linear(3, 3)
        self.called.register_buffer("passing", torch.ones(3), persistent=False)

    def forward(self, x): return self.called(self.part(x))
