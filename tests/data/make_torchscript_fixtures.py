# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the files of tests/data/torchscript with PyTorch 2.13.0."""

import pathlib
import typing
import zipfile

import torch

FOLDER = pathlib.Path(__file__).parent / "torchscript"


class Small(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 2)
        with torch.no_grad():
            self.linear.weight.copy_(torch.arange(6.).reshape(2, 3))
            self.linear.bias.fill_(0.5)
        self.register_buffer("scale", torch.tensor(2.0))

    def forward(self, x, times: int = 2):
        for _ in range(times):
            x = x * self.scale
        if x.sum() > 0:
            x = torch.relu(x)
        return self.linear(x), x


class Raises(torch.nn.Module):
    def forward(self, x):
        assert x.sum() < 0, "too large"
        return x


class State(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.ones(2)

    def forward(self, x):
        return x + self.w

    @torch.jit.export
    def __getstate__(self):
        return self.w, self.training

    @torch.jit.export
    def __setstate__(self, state: tuple[torch.Tensor, bool]):
        self.w = state[0]
        self.training = state[1]


def save(module, name, make=torch.jit.script):
    """Without the places in source files, which differ from machine to machine."""
    path = FOLDER / name
    make(module.eval()).save(path)
    with zipfile.ZipFile(path) as whole:
        members = [(item.filename, whole.read(item)) for item in whole.infolist() if not item.filename.endswith(".debug_pkl")]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as out:
        for member, data in members:
            out.writestr(zipfile.ZipInfo(member), data)


FOLDER.mkdir(exist_ok=True)
save(Small(), "small.ts")


class Methods(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return torch.relu(x)

    @torch.jit.export
    def encode(self, x: torch.Tensor, by: float = 2.0):
        return torch.exp(x) * by


save(Methods(), "methods.ts")
save(Raises(), "raises.ts")
save(State(), "state.ts")
(FOLDER / "damaged.ts").write_bytes((FOLDER / "small.ts").read_bytes().replace(b"torch.relu", b"torch.rely"))


class Branches(torch.nn.Module):
    """Branches on what a caller may leave out: a mask, a flag, a text, and a tensor that has no default."""

    def forward(self, x, bias: typing.Optional[torch.Tensor], mask: typing.Optional[torch.Tensor] = None, double: bool = False, mode: str = "max"):
        if isinstance(mask, torch.Tensor):
            x = x * mask
        if double:
            x = x + x
        if mode == "max":
            x = torch.relu(x)
        if bias is not None:
            x = x + bias
        return x


save(Branches(), "branches.ts")


class Traced(torch.nn.Module):
    """A net that is called with its last module twice, and sizes that depend on the input."""

    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Conv1d(2, 4, 3, padding=1, padding_mode="reflect"), torch.nn.ReLU())

    def forward(self, x):
        y = self.net(x)
        return self.net[1](y.view(y.size(0), -1, y.size(1) // 2))


class Quantised(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.quant, self.dequant = torch.ao.quantization.QuantStub(), torch.ao.quantization.DeQuantStub()
        self.conv, self.relu, self.linear = torch.nn.Conv2d(1, 2, 1), torch.nn.ReLU(), torch.nn.Linear(2, 3)

    def forward(self, x):
        return self.dequant(self.linear(self.relu(self.conv(self.quant(x)))))

    @staticmethod
    def converted():
        model = torch.ao.quantization.fuse_modules(Quantised().eval(), [["conv", "relu"]])
        model.qconfig = torch.ao.quantization.get_default_qconfig("fbgemm")
        torch.ao.quantization.prepare(model, inplace=True)(torch.randn(2, 1, 3, 2))
        return torch.ao.quantization.convert(model)


torch.manual_seed(0)
save(Quantised.converted(), "quantised.ts")
save(Quantised.converted(), "quantised_traced.ts", lambda module: torch.jit.trace(module, torch.randn(2, 1, 3, 2)))
dynamic = torch.ao.quantization.quantize_dynamic(torch.nn.Sequential(torch.nn.Linear(3, 2)), {torch.nn.Linear}, dtype=torch.qint8)
save(dynamic, "dynamic.ts")


class Packed(torch.nn.Module):
    """Layers whose weights are objects of C++ classes."""

    def __init__(self):
        super().__init__()
        self.embedding, self.lstm, self.cell = torch.nn.Embedding(5, 4), torch.nn.LSTM(4, 3, 2), torch.nn.GRUCell(3, 2)

    def forward(self, x: torch.Tensor):
        y, (h, c) = self.lstm(self.embedding(x).unsqueeze(1))
        return self.cell(y[0]), h + c

    @staticmethod
    def converted():
        model = Packed().eval()
        model.embedding.qconfig = torch.ao.quantization.float_qparams_weight_only_qconfig
        torch.ao.quantization.convert(torch.ao.quantization.prepare(model, inplace=True), inplace=True)
        return torch.ao.quantization.quantize_dynamic(model, {torch.nn.LSTM, torch.nn.GRUCell}, dtype=torch.qint8)


torch.manual_seed(0)
save(Packed.converted(), "packed.ts")
save(Packed.converted(), "packed_traced.ts", lambda module: torch.jit.trace(module, torch.tensor([1, 2, 0])))


@torch.jit.script
class Pair:
    def __init__(self, a: torch.Tensor, b: torch.Tensor):
        self.a = a
        self.b = b

    def swap(self):
        self.a, self.b = self.b, self.a

    def difference(self):
        return self.a - self.b


class Objects(torch.nn.Module):
    """An object of a class of the script that a module holds, and one that it makes."""

    def __init__(self):
        super().__init__()
        self.pair = Pair(torch.full((3,), 5.0), torch.ones(3))
        self.table = {"a": [1, 2]}

    def forward(self, x: torch.Tensor):
        made = Pair(x, self.pair.difference())
        made.swap()
        return made.difference() * self.table["a"][0], made.a


save(Objects(), "objects.ts")


@torch.jit.interface
class Scales(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pass


class Doubles(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


class Interface(torch.nn.Module):
    """Only its object says what class the attribute has."""

    scales: Scales

    def __init__(self):
        super().__init__()
        self.scales = Doubles()

    def forward(self, x: torch.Tensor):
        return self.scales.forward(x) + 1


save(Interface(), "interface.ts")


class Early(torch.nn.Module):
    def forward(self, x: torch.Tensor, times: int):
        for _ in range(times):
            x = x * 2
            if bool(x.sum() > 20):
                return x - 1
        return x


save(Early(), "early.ts")



class Sparse(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("w", torch.tensor([[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]]).to_sparse())

    def forward(self, x):
        return torch.matmul(self.w, x.t())


save(Sparse(), "sparse.ts")


class Lists(torch.nn.Module):
    """A loop of unknown length fills a list that another name has, too."""

    def forward(self, x: torch.Tensor, times: int):
        parts = [x]
        same = parts
        for i in range(times):
            parts.append(x * i)
        parts.append(x + 1)
        return torch.cat(same) + len(same)


save(Lists(), "lists.ts")


class Zipped(torch.nn.Module):
    """Lists of known lengths that are walked together, and names that are looked for in a list."""

    def __init__(self):
        super().__init__()
        self.names: typing.List[str] = ["a", "c"]

    def forward(self, x: torch.Tensor):
        parts: typing.Dict[str, torch.Tensor] = {}
        for name, part in zip(["a", "b", "c"], [x, x + 1, x * 2, x * 3]):
            parts[name] = part
        kept: typing.List[torch.Tensor] = []
        for name, part in parts.items():
            if name in self.names:
                kept.append(part)
        return torch.cat(kept)


save(Zipped(), "zipped.ts")


class Pops(torch.nn.Module):
    """Long lists that are changed at their ends, and one that is changed inside until that is too much to keep."""

    def forward(self, x: torch.Tensor):
        numbers: typing.List[int] = []
        for i in range(2000):
            numbers.insert(len(numbers), i)
        total = 0
        while len(numbers) > 0:
            total = total + numbers.pop()
        return x + total

    @torch.jit.export
    def inside(self, x: torch.Tensor):
        numbers: typing.List[int] = []
        for i in range(2000):
            numbers.insert(0, i)
        return x + numbers[0]


class LowRange(torch.nn.Module):
    """Its range begins at the least number that there is."""

    def __init__(self):
        super().__init__()
        self.low = -(2**63)

    def forward(self, x: torch.Tensor):
        for i in range(self.low, self.low + 2):
            x = x + 1
        return x


save(Pops(), "pops.ts")
save(LowRange(), "low_range.ts")


class ReluRnn(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = torch.nn.RNN(3, 2, nonlinearity="relu")

    def forward(self, x):
        return self.rnn(x)[0]


torch.manual_seed(3)
save(ReluRnn(), "relu_rnn.ts")


class Modes(torch.nn.Module):
    """Modules and functions that train() changes, attributes of many types, another method."""

    tag: torch.jit.Final[str]
    table: typing.Dict[str, typing.List[int]]
    listed: typing.List[torch.Tensor]

    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv1d(2, 2, 3, padding="same")
        self.average = torch.nn.BatchNorm1d(2, momentum=None)
        self.instance = torch.nn.InstanceNorm1d(2, track_running_stats=True)
        self.drop = torch.nn.Sequential(torch.nn.Dropout(0.1), torch.nn.Dropout(0.2))
        self.rnn = torch.nn.GRU(4, 3, 2, dropout=0.5)
        self.tag = "v1"
        self.classes = ["cat", "dog"]
        self.scale = 2.5
        self.nothing = None
        self.sizes = (3, 4)
        self.pairs = [(1, "a"), (2, "b")]
        self.table = {"a": [1, 2], "b": []}
        self.listed = [torch.ones(1)]

    def forward(self, x):
        x = self.drop(self.instance(self.average(self.conv(x))))
        return torch.nn.functional.dropout(self.rnn(x)[0], 0.5, self.training)

    @torch.jit.export
    def second(self, x):
        return self.conv(x) * self.scale


torch.manual_seed(3)
save(Modes(), "modes.ts")
save(torch.nn.Conv1d(2, 2, 3, padding="same"), "conv_root.ts")


class Mixed(torch.nn.Module):
    """Traced, with a scripted method: torch.nn's modules have all settings, and bodies that the trace left."""

    def __init__(self):
        super().__init__()
        self.lstm = torch.nn.LSTM(3, 2)

    def forward(self, x):
        return self.lstm(x)[0]

    @torch.jit.export
    def other(self, x: torch.Tensor):
        return x + 1


save(Mixed(), "mixed.ts", lambda module: torch.jit.trace(module, torch.randn(2, 1, 3)))


class Cell(torch.nn.Module):
    """Of a cell without a state only c is taken: the trace has operators for an h that nothing uses."""

    def __init__(self):
        super().__init__()
        self.cell = torch.nn.LSTMCell(3, 2, bias=False)

    def forward(self, x):
        return self.cell(x)[1]


save(Cell(), "cell.ts", lambda module: torch.jit.trace(module, torch.randn(4, 3)))


class Counter(torch.nn.Module):
    """Each call changes what the next one gives."""

    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.ones(1))
        self.linear = torch.nn.Linear(3, 2)

    def forward(self, x):
        self.seen.mul_(2).add_(x.sum() * 0.5)
        return self.linear(x) * self.seen


class Inside(torch.nn.Module):
    """Layers that only branches call, and an input of another type."""

    def __init__(self):
        super().__init__()
        self.up = torch.nn.Linear(3, 2)
        self.down = torch.nn.Linear(3, 2)

    def forward(self, parts: typing.Dict[str, torch.Tensor]):
        x = parts["x"]
        if x.sum() > 0:
            y = self.up(x)
        else:
            y = self.down(x)
        return y


torch.manual_seed(4)
save(Counter(), "counter.ts")
save(Inside(), "inside.ts")

torch.manual_seed(0)
save(Traced(), "traced.ts", lambda module: torch.jit.trace(module, torch.randn(2, 2, 6)))


class Assigns(torch.nn.Module):
    """Assigns to an attribute, so that its graph is one call of the file."""

    def __init__(self):
        super().__init__()
        self.calls = 0
        self.register_buffer("scale", torch.tensor(2.0))

    def forward(self, x):
        self.calls += 1
        return x * self.scale


class Root(torch.nn.Module):
    def __init__(self, epsilon: float):
        super().__init__()
        self.epsilon = epsilon

    def forward(self, x):
        return torch.sqrt(x * x + self.epsilon)


class Overwrites(torch.nn.Module):
    """Writes into its input."""

    def forward(self, x):
        x.view(-1)[0] = 5.0
        return x


save(Assigns(), "assigns.ts")
save(Root(1e-30), "root.ts")
save(Root(1e-12), "root_epsilon.ts")
save(Overwrites(), "overwrites.ts")


class Prints(torch.nn.Module):
    """A long loop whose turns can be followed, but none of which is of the graph."""

    def forward(self, x):
        for i in range(1000000000):
            print(i)
        return x


save(Prints(), "prints.ts")


class Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.act = torch.nn.Conv1d(1, 4, 3), torch.nn.BatchNorm1d(4), torch.nn.ReLU()

    def forward(self, x):
        return self.act(self.norm(self.conv(x)))


class Streams(torch.nn.Module):
    """Keeps a tensor, a number and a list for its next call, as voice detectors do."""

    rate: int
    seen: list[int]

    def __init__(self):
        super().__init__()
        self.encoder, self.cell, self.out = Encoder(), torch.nn.GRUCell(4, 4), torch.nn.Linear(4, 1)
        self.state, self.rate, self.seen = torch.zeros(0), 0, [0]

    @torch.jit.export
    def reset(self, rate: int = 8000):
        self.state, self.rate = torch.zeros(0), rate

    def forward(self, x, rate: int):
        if rate != self.rate:
            self.reset(rate)
        if self.state.numel() == 0:
            self.state = torch.zeros(x.shape[0], 4)
        if rate == 16000:
            x = x[:, ::2]
        y = self.encoder(x.unsqueeze(1))
        for i in range(y.shape[2]):
            self.state = self.cell(y[:, :, i], self.state)
        self.seen = self.seen + [x.shape[1]]
        return torch.sigmoid(self.out(self.state)) * len(self.seen)


torch.manual_seed(0)
save(Streams(), "streams.ts")


class Counts(torch.nn.Module):
    """Counts its calls, or only the first one."""

    calls: int

    def __init__(self, first_only):
        super().__init__()
        self.calls, self.first_only = 0, first_only

    def forward(self, x, rate: int):
        self.calls = 1 if self.first_only else self.calls + 1
        return x * self.calls


save(Counts(False), "counts.ts")
save(Counts(True), "counts_once.ts")


class OptionalState(torch.nn.Module):
    """Adds what its last call returned, which it keeps in an attribute that is None in the file."""

    state: typing.Optional[torch.Tensor]

    def __init__(self):
        super().__init__()
        self.linear, self.state = torch.nn.Linear(3, 3), None

    def forward(self, x):
        last, y = self.state, self.linear(x)
        if last is not None:
            y = y + last
        self.state = y
        return y


class ListState(torch.nn.Module):
    """Replaces a list of tensors by others: the last result, or one more in each call."""

    last: list[torch.Tensor]

    def __init__(self, counts):
        super().__init__()
        self.last, self.counts = [torch.zeros(3)], counts

    def forward(self, x):
        self.last = [self.last[0] + 1 if self.counts else self.last[0] + x]
        return x * self.last[0]


class ListItem(torch.nn.Module):
    """Counts its calls in a list."""

    calls: list[int]

    def __init__(self):
        super().__init__()
        self.calls = [0]

    def forward(self, x):
        self.calls[0] += 1
        return x * self.calls[0]


class MovedList(torch.nn.Module):
    """Converts its list to the dtype of the input, and makes what is None in the file, as detection models do."""

    anchors: list[torch.Tensor]
    grid: typing.Optional[torch.Tensor]

    def __init__(self):
        super().__init__()
        self.anchors, self.grid = [torch.arange(3.0), torch.ones(3)], None

    def forward(self, x):
        self.anchors = [each.to(dtype=x.dtype) for each in self.anchors]
        if self.grid is None:
            self.grid = torch.arange(x.size(1), dtype=x.dtype)
        grid = self.grid
        assert grid is not None
        return x * self.anchors[0] + self.anchors[1] * grid


save(OptionalState(), "optional_state.ts")
save(ListState(False), "list_state.ts")
save(ListState(True), "list_count.ts")
save(ListItem(), "list_item.ts")
save(MovedList(), "moved_list.ts")
