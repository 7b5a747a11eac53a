"""What constructors compute, draw and copy, and classes that take calls into their own hands."""
import copy
import types
from collections import ChainMap
from dataclasses import KW_ONLY, InitVar, dataclass, field

import torch
from torch import fx, nn
from torch.nn import init

fx.wrap(len)


class AllOf(nn.Module):
    """Adds up its parameters and buffers."""

    def forward(self, x):
        for each in [*self.parameters(), *self.buffers()]:
            x = x + each
        return x


class Drawn(AllOf):
    """Numbers of all distributions come from one generator."""

    def __init__(self):
        super().__init__()
        self.named = nn.Parameter(torch.empty(2, 8).normal_(std=1e-2))
        self.between = nn.Parameter(torch.empty(20).uniform_(2, to=3))
        keep = self.register_buffer
        keep("coins", torch.empty(100).bernoulli_(0.25))
        keep("doubles", torch.bernoulli(torch.rand(4, 4, dtype=torch.float64)))
        keep("waits", torch.empty(40).exponential_(2))
        keep("log_normal", torch.zeros(6).log_normal_())
        keep("like", torch.randn_like(self.coins))
        keep("around", torch.normal(mean=torch.zeros(3), std=torch.ones(3)))
        keep("chosen", torch.multinomial(torch.ones(5), 8, replacement=True))
        keep("range", torch.zeros(6).random_(0, 5))
        keep("after", torch.rand(4))
        keep("wide_normal", torch.randn(19, dtype=torch.float64))
        self.narrow = nn.Parameter(torch.empty(5, 4, dtype=torch.bfloat16))
        self.wide = nn.Parameter(torch.empty(5, 4, dtype=torch.float64))
        init.trunc_normal_(self.narrow, std=0.02)
        init.trunc_normal_(self.wide, 2.0, 0.5, -1, 1)
        self.sparse = nn.Parameter(torch.empty(6, 5))
        init.sparse_(self.sparse, sparsity=0.3)
        self.last = nn.Parameter(torch.rand(2))


class Generators(AllOf):
    def __init__(self):
        super().__init__()
        own = torch.Generator().manual_seed(7)
        self.register_buffer("a", torch.randn(4, generator=own))
        self.register_buffer("b", torch.rand(4, generator=own))
        self.c = nn.Parameter(torch.empty(4).uniform_(0, 1, generator=own))
        self.register_buffer("d", torch.randperm(5, generator=None))
        state = torch.get_rng_state()
        self.register_buffer("e", torch.rand(2))
        torch.set_rng_state(state)
        self.register_buffer("f", torch.rand(2))


class Sums(nn.Module):
    """Constants of buffers that are not read by their names."""

    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.randn(3, 4))
        self.register_buffer("b", torch.arange(4.0))

    def forward(self, x):
        for each in self.buffers():
            x = x + each.sum()
        return x


class Schedule(AllOf):
    def __init__(self, steps=10):
        super().__init__()
        betas = torch.linspace(1e-4, 0.02, steps, dtype=torch.float64)
        products = torch.cumprod(1.0 - betas, dim=0)
        self.register_buffer("roots", torch.sqrt(products).float())
        self.register_buffer("logs", torch.log(1.0 - products).float())


class Copies(nn.Module):
    """Copies have what was written to their originals."""

    def __init__(self, n=4):
        super().__init__()
        self.a = nn.Linear(n, n)
        with torch.no_grad():
            self.a.weight.copy_(torch.eye(n) * 2 + 0.1)
            self.a.bias += 1
        self.b = copy.deepcopy(self.a)
        self.c = nn.Linear(n, n)
        self.c.load_state_dict(self.b.state_dict())
        init.dirac_(kernel := nn.Parameter(torch.empty(4, 4, 3, 3)), 2)
        self.kernel = kernel
        self.table = nn.Embedding.from_pretrained(torch.arange(8.0).view(2, 4))
        self.loss = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 0.5, 1.0]), label_smoothing=0.1)

    def forward(self, x, y):
        return self.loss(self.c(self.b(self.a(x))) + self.table(y), y) + self.kernel.sum()


class Scaled(nn.Module):
    def __call__(self, x, *, scale):
        return super().__call__(x) * scale

    def forward(self, x):
        return x.relu()


class Calls(nn.Module):
    def __init__(self):
        super().__init__()
        self.scaled, self.linear = Scaled(), nn.Linear(2, 2)
        self.linear.twice = types.MethodType(lambda module, x: module(x) * 2, self.linear)

    def forward(self, x):
        return self.linear.twice(self.scaled(x, scale=3)).view(len(x), -1)


@dataclass
class Settings:
    width: int
    _: KW_ONLY
    factor: InitVar[int] = 3
    extras: list = field(default_factory=list, repr=False)
    size: int = field(init=False, default=9)

    def __post_init__(self, factor):
        self.size = self.width * factor


class Configured(nn.Module):
    def __init__(self):
        super().__init__()
        first, second = Settings(2), Settings(3, factor=4)
        settings = ChainMap({"a": first.size}, {"a": 0, "b": second.size})
        self.numbers = [settings["a"], settings["b"], len(settings), len(repr(first))]
        self.scales = nn.ParameterDict({"a": nn.Parameter(torch.ones(1)), "b": nn.Parameter(torch.zeros(1))})

    def forward(self, x):
        out = [x * each for each in self.numbers]
        return [a + b for a, b in zip(out, self.scales.values())], {key: x - each for key, each in self.scales.items()}


class Gradients(nn.Module):
    def forward(self, x):
        y = (x ** 2).sum()
        slope = torch.autograd.grad(y, x, create_graph=True)[0]
        rows = torch.linspace(-1, 1, x.shape[0])
        return slope, rows, torch.empty(2).new(2, 3).zero_() + x


class Wrapped(AllOf):
    """Parameters of tensors that were written to."""

    def __init__(self):
        super().__init__()
        item, added, part = torch.ones(3), torch.zeros(2), torch.zeros(4, 6)
        item[1] = 2
        added.add_(1)
        part[:, 0::2] = torch.sin(torch.arange(12.0).view(4, 3))
        self.item, self.added = nn.Parameter(item), nn.Parameter(added)
        self.part = nn.Parameter(part, requires_grad=False)
        self.identity = nn.Parameter(init.dirac_(torch.empty(3, 3, 1)))


class Skeleton(nn.Module):
    """Parts that are made on the device "meta", for which nothing is drawn."""

    class Head(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(4, 2, device="meta")
            self.scale = nn.Parameter(torch.rand(2, device="meta"))
            self.name = type(self).__qualname__

        def forward(self, x):
            return self.linear(x) * self.scale * len(self.name)

    def __init__(self):
        super().__init__()
        with torch.device("meta"):
            self.unused = nn.TransformerEncoderLayer(4, 2, 8)
            with torch.device("cpu"):
                self.first = nn.Linear(4, 4)
        init.xavier_uniform_(self.unused.linear1.weight)
        torch.empty(3, device="meta").normal_()
        self.head = self.Head()
        self.head.to_empty(device="cpu")
        for parameter in self.head.parameters():
            init.normal_(parameter)
        self.head.linear.reset_parameters()
        self.last = nn.Linear(2, 2)

    def forward(self, x):
        return self.last(self.head(self.first(x)))


NAMES = "Drawn Generators Sums Schedule Copies Calls Configured Gradients Wrapped Skeleton"
TRACE = {name: {} for name in NAMES.split()}
