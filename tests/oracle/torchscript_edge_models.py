# SPDX-License-Identifier: GPL-3.0-or-later
"""What TorchScript has beyond the models of torchscript_models.py: objects of its own in loops, changed attributes, weights that a layer packs
and the graph reads, packed sequences, numbers and dtypes that Python and JSON lack."""

import math
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


@torch.jit.script
class Pair:
    def __init__(self, a: Tensor, b: Tensor):
        self.a = a
        self.b = b

    def swap(self):
        c = self.a
        self.a = self.b
        self.b = c


class ObjectInLoop(nn.Module):
    def forward(self, x, times: int):
        pair = Pair(x, x * 2)
        for _ in range(times):
            pair.swap()
            x = x + pair.a
        return x


@torch.jit.interface
class Layer(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        pass


class Doubles(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * 2


class Scales(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.weight


class ChosenLayer(nn.Module):
    """Only a run knows which module is called."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Doubles(), Scales(), Doubles()])

    def forward(self, x, place: int):
        layer: Layer = self.layers[place]
        return layer.forward(x)


class AnyInput(nn.Module):
    def forward(self, x: Any):
        if isinstance(x, Tensor):
            return x * 2
        if isinstance(x, List[Tensor]):
            return x[0]
        return torch.zeros(1)


class Counts(nn.Module):
    """`+=` of a buffer assigns the tensor that it has changed."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros((), dtype=torch.long))
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x):
        self.count += 1
        self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        return x - self.mean + self.count


class ReplacesBuffer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x):
        self.mean = self.mean * 0.9 + x.mean(0)
        return x - self.mean


class ReadsPackedLinear(nn.Module):
    """A layer that is called and whose packed weight the graph reads."""

    def __init__(self):
        super().__init__()
        self.fc = torch.ao.quantization.quantize_dynamic(nn.Sequential(nn.Linear(4, 5)).eval(), {nn.Linear})[0]

    def forward(self, x):
        return self.fc(x) + torch.ops.quantized.linear_dynamic(x, self.fc._packed_params._packed_params)


class Convolves(nn.Module):
    def __init__(self):
        super().__init__()
        self.quant, self.conv, self.dequant = torch.ao.quantization.QuantStub(), nn.Conv2d(3, 4, 3), torch.ao.quantization.DeQuantStub()

    def forward(self, x):
        return self.dequant(self.conv(self.quant(x)))


class ReadsPackedConv(nn.Module):
    def __init__(self):
        super().__init__()
        model = Convolves().eval()
        model.qconfig = torch.ao.quantization.get_default_qconfig("fbgemm")
        torch.ao.quantization.prepare(model, inplace=True)(torch.randn(2, 3, 6, 6))
        model = torch.ao.quantization.convert(model)
        self.quant, self.conv, self.dequant = model.quant, model.conv, model.dequant

    def forward(self, x):
        weight, bias = torch.ops.quantized.conv2d_unpack(self.conv._packed_params)
        return self.dequant(self.conv(self.quant(x))), weight.dequantize().sum()


class PackedSequences(nn.Module):
    def __init__(self, kind, **more):
        super().__init__()
        self.rnn = kind(4, 6, **more)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        out, _ = self.rnn(packed)
        return pad_packed_sequence(out, batch_first=True)


class ComplexNumbers(nn.Module):
    def __init__(self):
        super().__init__()
        self.factor = 2 + 3j

    def forward(self, x):
        y = torch.fft.fft(x) * self.factor + 1j
        return torch.view_as_real(y), y.abs()


class Dtypes(nn.Module):
    def __init__(self):
        super().__init__()
        for name in ("float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int8", "uint8", "uint16", "uint32", "uint64", "bool", "complex64"):
            self.register_buffer(f"as_{name}", torch.tensor([[1, 0, 2], [3, 1, 4]]).to(getattr(torch, name)))

    def forward(self, x):
        y = x + self.as_float16 + self.as_bfloat16.float() + self.as_float8_e4m3fn.float() + self.as_float8_e5m2.float() + self.as_int8 + self.as_uint8
        return y, self.as_uint16.int() + self.as_uint32.int(), self.as_uint64.long(), self.as_bool & (x > 0), self.as_complex64 * x


class ComparesDtypes(nn.Module):
    """Dtypes and layouts are numbers in a script, and objects in Python."""

    def forward(self, x, y):
        if x.dtype == torch.float32:
            x = x * 3
        else:
            x = x * 5
        same = x.dtype == y.dtype, y.dtype != torch.int64, y.dtype in [torch.int32, torch.int64], x.layout == torch.strided
        wide = torch.result_type(x, y) == torch.float32, torch.promote_types(x.dtype, torch.float64) == torch.float64
        return x, same, wide, str(x.dtype), x.dtype > 6, torch.arange(3, dtype=torch.long if x.dtype == torch.float32 else torch.int)


class SizesAsLists(nn.Module):
    """What is a list in a script is a tuple in Python, which equals no list."""

    def forward(self, x):
        return x * 2, x.shape, {"strides": [x.stride()]}, x.shape == [2, 3], x.shape != [2, 3], x.shape + [1], x.size() == x.shape


class ComputedKeys(nn.Module):
    """Dicts whose keys only a run knows: nodes cannot be keys in a graph."""

    def forward(self, tables: Dict[int, Tensor], key: int):
        found: Dict[int, Tensor] = {}
        found[key] = tables[key] * 2
        found[-1] = tables[key].sum()
        return tables[1] * 3, found, {key: tables[key] + 1, 100: tables[key]}, {str(key): key}


class BranchOfLayers(nn.Module):
    """Layers that only blocks call keep their types in files that Lancet writes."""

    def __init__(self):
        super().__init__()
        self.fc, self.norm, self.drop = nn.Linear(3, 3), nn.LayerNorm(3), nn.Dropout1d(0.3)

    def forward(self, x):
        while bool(x.norm() > 1):
            x = self.drop(self.norm(self.fc(x)).unsqueeze(1)).squeeze(1) * 0.2
        return self.drop(x)


class Contexts(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        with torch.no_grad():
            y = self.fc(x)
        with torch.autograd.profiler.record_function("head"):
            return self.fc(y) + y.detach()


class SeveralInputs(nn.Module):
    """Losses, and a transposed convolution that is told the size of its result."""

    def __init__(self):
        super().__init__()
        self.losses = nn.ModuleList([nn.MSELoss(), nn.L1Loss(reduction="sum"), nn.SmoothL1Loss(beta=0.5), nn.HuberLoss(), nn.BCELoss(), nn.KLDivLoss(reduction="batchmean")])
        self.up = nn.ConvTranspose1d(2, 2, 3, stride=2, padding=1)

    def forward(self, x, y):
        total = self.up(x, [12]).sum()
        for loss in self.losses:
            total = total + loss(x.sigmoid(), y.sigmoid())
        return total, self.up(x, [2, 2, 11])


class EitherInput(nn.Module):
    def forward(self, x: Union[Tensor, Dict[str, Tensor]], by: Union[int, float]) -> Union[Tensor, List[Tensor]]:
        if isinstance(x, Tensor):
            y = x
        else:
            y = x["a"]
        if isinstance(by, int):
            return y * by
        return [y, y * 2]


class InputKinds(nn.Module):
    def forward(self, x, dtype: torch.dtype, device: torch.device, by: complex):
        return torch.zeros([2], dtype=dtype, device=device) + x.sum(), x * by


class Experts(nn.Module):
    """Blocks without results, which change their inputs."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 2)
        self.experts = nn.ModuleList([nn.Linear(4, 4) for _ in range(2)])

    def forward(self, x):
        chosen = self.gate(x).argmax(-1)
        out = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            rows = torch.where(chosen == i)[0]
            if rows.numel() > 0:
                out[rows] += expert(x[rows])
        return out


def quantised_by_script():
    """Packed weights are attributes with a dot in their names."""
    model = torch.jit.script(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).eval())
    return torch.ao.quantization.quantize_dynamic_jit(model, {"": torch.ao.quantization.per_channel_dynamic_qconfig}), (torch.randn(2, 4),)


def quantised_convolution():
    model = nn.Sequential(torch.ao.quantization.QuantStub(), nn.Conv2d(3, 4, 3), nn.ReLU(), torch.ao.quantization.DeQuantStub()).eval()
    model = torch.ao.quantization.fuse_modules(model, ["1", "2"])
    model.qconfig = torch.ao.quantization.get_default_qconfig("x86")
    prepared = torch.ao.quantization.prepare(model)
    prepared(torch.randn(2, 3, 6, 6))
    return torch.ao.quantization.convert(prepared), (torch.randn(2, 3, 6, 6),)


class Concatenates(nn.Module):
    def forward(self, x):
        none: List[Tensor] = []
        return torch.cat([x, x * 2] + none), len([1, 2] + [3])


class Powers(nn.Module):
    """A script's power of integers is a float."""

    def forward(self, x, n: int):
        return x * 2**3, n**2, 3**2 + n


class Point(NamedTuple):
    at: Tensor
    weight: Optional[Tensor]
    others: List[Tensor]


class NamedInput(nn.Module):
    def forward(self, point: Point):
        y = point.at
        weight = point.weight
        if weight is not None:
            y = y * weight
        return y + point.others[0]


class Bags(nn.Module):
    def __init__(self, **more):
        super().__init__()
        self.bag = nn.EmbeddingBag(10, 4, **more)

    def forward(self, ids, offsets):
        return self.bag(ids, offsets)


class RowBags(nn.Module):
    def __init__(self, **more):
        super().__init__()
        self.bag = nn.EmbeddingBag(10, 4, **more)

    def forward(self, ids):
        return self.bag(ids)


class WeightedBags(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(10, 4, mode="sum")

    def forward(self, ids, offsets, weights):
        return self.bag(ids, offsets, weights)


class PlainCells(nn.Module):
    """Cells without biases, of both kinds of RNNs, and one of whose results is not used."""

    def __init__(self):
        super().__init__()
        self.lstm, self.gru = nn.LSTMCell(4, 3, bias=False), nn.GRUCell(4, 3, bias=False)
        self.tanh, self.relu = nn.RNNCell(4, 3), nn.RNNCell(4, 3, bias=False, nonlinearity="relu")

    def forward(self, x, h):
        return self.lstm(x, (h, h + 1))[1] + self.gru(x, h), self.relu(x, self.tanh(x, h))


class OptionalLiterals(nn.Module):
    """A branch on values that passes None or True on."""

    def forward(self, x, mode: str):
        return F.interpolate(x, size=(6, 4), mode=mode, align_corners=True)


class Hooked(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

        def before(self, given: Tuple[Tensor]) -> Tuple[Tensor]:
            return (given[0] * 2,)

        def after(self, given: Tuple[Tensor], result: Tensor) -> Tensor:
            return result + given[0]

        self.fc.register_forward_pre_hook(before)
        self.fc.register_forward_hook(after)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(x)


class Sparse(nn.Module):
    def __init__(self, layout):
        super().__init__()
        weight = torch.randn(4, 6).relu()
        self.register_buffer("w", weight.to_sparse() if layout == "coo" else weight.to_sparse_csr())
        self.fc = nn.Linear(4, 3)

    def forward(self, x):
        return self.fc(torch.matmul(self.w, x.t()).t())


class ChangedLists(nn.Module):
    """A list and a dict that loops of unknown length change, one after the other, and that all their names see."""

    def forward(self, xs: List[Tensor]):
        sizes: List[Tuple[int, int]] = []
        for x in xs:
            sizes.append((x.size(0), x.size(1)))
        same = sizes
        sizes.append((1, 2))
        sums: Dict[str, Tensor] = {}
        for i, x in enumerate(xs):
            sums["even" if i % 2 == 0 else "odd"] = x.sum() * same[i][1]
            sizes[i] = (0, len(same))
        halves = [x[:1] for x in xs]
        halves.extend([x * 2 for x in xs])
        return torch.cat(halves).relu(), sums, sizes, same


class ListsOfLists(nn.Module):
    def forward(self, x, n: int):
        rows = [[x], [x + 1]]
        first = rows[0]
        for i in range(n):
            rows[i % 2].append(x * i)
        return torch.cat(rows[0]) - torch.cat(first).sum(), torch.cat(rows[1])


class Boxes(nn.Module):
    """Objects of a class that hold lists which a loop fills, as detection models have."""

    def __init__(self):
        super().__init__()
        self.head = nn.Conv2d(3, 4, 1)

    def forward(self, images: List[Tensor]) -> List[Dict[str, Tensor]]:
        shapes: List[Tuple[int, int]] = []
        for image in images:
            shapes.append((image.shape[-2], image.shape[-1]))
        batch = Pair(torch.stack(images), torch.stack(images) * 2)
        found = self.head(batch.a + batch.b).flatten(2).transpose(1, 2)
        results: List[Dict[str, Tensor]] = []
        for boxes, shape in zip(found, shapes):
            kept = boxes[boxes[:, 0] > 0]
            results.append({"boxes": kept * shape[0], "scores": kept[:, 0].sigmoid()})
        return results


def total(parts: Union[Tensor, List[Tensor]]):
    if isinstance(parts, Tensor):
        return parts.sum()
    return torch.cat(parts).sum()


def ratio(feature: Tensor, size: List[int]) -> float:
    ratios: List[float] = []
    for mine, whole in zip(feature.shape[-2:], size):
        ratios.append(float(torch.tensor(float(mine) / float(whole)).log2().round()))
    return ratios[0]


class Levels:
    def __init__(self, least: int, most: int):
        self.least = least
        self.most = most

    def __call__(self, boxes: List[Tensor]) -> Tensor:
        sizes = torch.cat([total(each).reshape(1) for each in boxes])
        return torch.clamp(sizes.round(), min=self.least, max=self.most)


def levels_of(features: List[Tensor], sizes: List[Tuple[int, int]]):
    height, width = 0, 0
    for size in sizes:
        height, width = max(size[0], height), max(size[1], width)
    scales = [ratio(feature, (height, width)) for feature in features]
    return scales, Levels(int(-torch.tensor(scales[0]).item()), int(-torch.tensor(scales[-1]).item()) + 2)


class Pooled(nn.Module):
    """Keeps an object that it makes from sizes of the data, and asks for types in loops, as R-CNNs do."""

    __annotations__ = {"scales": Optional[List[float]], "levels": Optional[Levels]}

    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(3, 3, 2, 2)
        self.scales = None
        self.levels = None

    def forward(self, images: List[Tensor]) -> Tuple[Tensor, Dict[str, Tensor]]:
        sizes: List[Tuple[int, int]] = []
        for image in images:
            sizes.append((image.shape[-2], image.shape[-1]))
        features = [torch.stack(images), self.down(torch.stack(images))]
        if self.scales is None or self.levels is None:
            self.scales, self.levels = levels_of(features, sizes)
        scales, levels = self.scales, self.levels
        assert scales is not None and levels is not None
        found: Dict[str, Tensor] = {}
        found.update({"sum": total(images)})
        return levels(images) + scales[1], found


class Pyramid(nn.Module):
    """Lists of a known length that are copied, walked backwards and rearranged, as in a feature pyramid."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])

    def layer(self, x: Tensor, index: int) -> Tensor:
        out = x
        for i, layer in enumerate(self.layers):
            if i == index:
                out = layer(x)
        return out

    def forward(self, x: Tensor) -> Dict[str, Tensor]:
        features = {"a": x, "b": x * 2, "c": x * 3}
        names = list(features.keys())
        parts = list(features.values())
        last = parts[-1]
        results = [self.layer(last, len(parts) - 1)]
        for i in range(len(parts) - 2, -1, -1):
            last = last + parts[i]
            results.insert(0, self.layer(last, i))
        gone = results.pop(1)
        names.reverse()
        out: Dict[str, Tensor] = {}
        for name, result in zip(names, results):
            out[name] = result + gone
        return out


def sequences():
    return torch.randn(3, 5, 4), torch.tensor([5, 2, 4])


def bags():
    return torch.tensor([1, 2, 4, 5]), torch.tensor([0, 2])


class TiedDecoder(nn.Module):
    """An exported method gives the layers of a trace constants, too; a tied weight is an input of the second layer."""

    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = nn.Linear(4, 4), nn.Linear(4, 4)
        self.decoder.weight = self.encoder.weight

    def forward(self, x):
        return self.decoder(self.encoder(x))

    @torch.jit.export
    def decode(self, x):
        return self.decoder(x)


class TensorsOfLists(nn.Module):
    """LibTorch knows the type of a list without elements."""

    def forward(self, x):
        rows: List[int] = []
        flags: List[bool] = []
        for i in range(x.size(0)):
            if bool(x[i].sum() > 1e3):
                rows.append(i)
                flags.append(True)
        return torch.tensor(rows), torch.tensor(flags), torch.tensor([x.size(0)])


class LongRows(nn.Module):
    """A script does not scale rows down, whatever its constants say."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(5, 4, max_norm=0.5)

    def forward(self, i):
        return self.table(i)


class SizeOperators(nn.Module):
    """Each operator of a size and a number, whose result the script holds as a tensor."""

    def forward(self, x):
        n, m, out = x.shape[1], x.shape[0], []
        for number in (2, 3, 2.5, 0.5, -0.5, -3, -1.5):
            out += [n + number, number + n, n - number, number - n, n * number, number * n, n / number, number / n, n // number, n % number, number % n]
            out += [n > number, n <= number, n == number, number != n, n < number, n >= number]
            if number != -3:
                out.append(n**number)
            if number > 0:
                out.append(number**n)
        out += [n + m, n - m, n * m, n / m, n // m, n % m, n**m, n == m, n > m, n < m, -n, n & m, n | 1, n ^ m]
        return tuple(out)


class SizeChains(nn.Module):
    """What models do with sizes: scales, means, steps, with several roundings, beside tensors of any dtype and rank."""

    def forward(self, x):
        n, m = x.shape[1], x.shape[0]
        whole, half, scalar = (x * 3).long(), x.half(), x.sum()
        results = []
        for value in (n, n**-0.5, n**0.5 * 2, (n / 3) * 1.5, n / m / 3, (n * 0.3) % 1, (n // 2) * 0.1, 1 - 1 / n, (1 / n) * (1 / m), (n > 3) * 2.5, (n > 3) * 2 + (m > 1), x.numel() ** -0.5, 2 - n, n * m * 0.25):
            results += [x * value, value - x, half / value, whole * value, scalar * value, scalar.half() * value, whole.sum() + value]
        results += [whole * 0.5, half.sum() * 0.5, whole.sum() - 1.5, whole / 2, (1 - whole) * -1e4, whole.int().sum() * 2, x.double().sum() / 3, whole.bool() * 2, whole.bool().sum() + 0.5]
        return tuple(results)


class SizeNumbers(nn.Module):
    """Sizes that operators take as numbers, after arithmetic."""

    def forward(self, x):
        n, m = x.shape[1], x.shape[0]
        return (x[:, : n // 2], x.view(n * m), x.reshape(m * 1, -1), torch.zeros(m * 2, n - 1), torch.arange(n) * n**-0.5, torch.arange(0, n * 2, 2), torch.full((2,), n**2), torch.full((2,), n / 2),
                torch.full_like(x, n**-0.5), x.new_full((n,), n > 3), torch.clamp(x, max=n * 0.1), x.pow(n * 0.5), torch.linspace(0, n, n), x.repeat(m // 2 + 1, 1), F.pad(x, (0, n % 4)),
                torch.as_tensor(n).float().sqrt() * x, torch.where(x > 0, x, n * 0.5), x.std() * (m - 1) ** 0.5, torch.stack([torch.as_tensor(n), torch.as_tensor(m * 2)]))


class ScriptedNumbers(nn.Module):
    """Numbers of a script are integers and floats, never tensors."""

    def forward(self, x):
        n, m = x.size(1), x.size(0)
        a, b, c = n * 0.5, n / m, float(n) ** -0.5
        flags = [n > 2.5, a == 3.0, n != m, b <= n]
        least, most, mixed = min(n, m), max(a, b), max(float(n), 2.5)
        whole = [n // m, n % m, -n, abs(m - n), n // 4, -n // 4, -n % 4, int(a), least]
        real = [n - 0.5, 0.5 - n, n % 2.5, n // 2.5, -a, a % 2, b * m, n / 4, n**2.0, 2.0**n, most, mixed, abs(0.5 - a), math.sqrt(n), math.floor(a) * 0.5, float(n) / 3]
        return x * a * b, x + c, whole, real, flags, x + n**-0.5, x * (n**2)


class Observed(nn.Module):
    """Layers that have modules and buffers beside those of their class: observers, and what a hook calls."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(4, 3), nn.Conv1d(2, 3, 1), nn.ReLU()
        self.a.register_buffer("steps", torch.ones(3))
        self.a.register_forward_hook(lambda module, inputs, result: result + module.steps)
        self.b.watch = torch.ao.quantization.MinMaxObserver()
        self.b.register_forward_hook(lambda module, inputs, result: module.watch(result))
        self.c.after = nn.Sequential(nn.Tanh(), nn.Linear(3, 3))
        self.c.register_forward_hook(lambda module, inputs, result: module.after(result))

    def forward(self, x):
        return self.c(self.a(self.b(x.unsqueeze(0).expand(1, 2, 4)).sum(1)))


def prepared():
    """As torch.ao observes layers of an eager model."""
    model = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2)).eval()
    model.qconfig = torch.ao.quantization.get_default_qconfig("x86")
    return torch.ao.quantization.prepare(model), (torch.randn(2, 4),)


MODELS = [
    ("observed", "t", lambda: (Observed(), (torch.randn(4),))),
    ("prepared", "t", prepared),
    ("size_operators", "t", lambda: (SizeOperators(), (torch.randn(3, 7),))),
    ("size_chains", "t", lambda: (SizeChains(), (torch.randn(3, 7),))),
    ("size_numbers", "t", lambda: (SizeNumbers(), (torch.randn(3, 7),))),
    ("scripted_numbers", "s", lambda: (ScriptedNumbers(), (torch.randn(3, 7),))),
    ("object_in_loop", "s", lambda: (ObjectInLoop(), (torch.randn(3), 3))),
    ("chosen_layer", "s", lambda: (ChosenLayer(), (torch.randn(3), 1))),
    ("any_input", "s", lambda: (AnyInput(), (torch.randn(3),))),
    ("counts", "ts", lambda: (Counts(), (torch.randn(2, 3),))),
    ("replaces_buffer", "s", lambda: (ReplacesBuffer(), (torch.randn(2, 3),))),
    ("reads_packed_linear", "ts", lambda: (ReadsPackedLinear(), (torch.randn(3, 4),))),
    ("reads_packed_conv", "s", lambda: (ReadsPackedConv(), (torch.randn(2, 3, 6, 6),))),
    ("packed_lstm", "ts", lambda: (PackedSequences(nn.LSTM, num_layers=2, bidirectional=True), sequences())),
    ("packed_gru", "ts", lambda: (PackedSequences(nn.GRU), sequences())),
    ("complex_numbers", "s", lambda: (ComplexNumbers(), (torch.randn(2, 3),))),
    ("dtypes", "t", lambda: (Dtypes(), (torch.randn(2, 3),))),
    ("compares_dtypes", "s", lambda: (ComparesDtypes(), (torch.randn(2, 3), torch.arange(3)))),
    ("sizes_as_lists", "s", lambda: (SizesAsLists(), (torch.randn(2, 3),))),
    ("computed_keys", "s", lambda: (ComputedKeys(), ({3: torch.randn(2), 1: torch.randn(2)}, 3))),
    ("branch_of_layers", "s", lambda: (BranchOfLayers(), (torch.randn(2, 3) * 9,))),
    ("contexts", "s", lambda: (Contexts(), (torch.randn(2, 3),))),
    ("several_inputs", "s", lambda: (SeveralInputs(), (torch.randn(2, 2, 6), torch.randn(2, 2, 6)))),
    ("either_input", "s", lambda: (EitherInput(), ({"a": torch.randn(3)}, 2.5))),
    ("input_kinds", "s", lambda: (InputKinds(), (torch.randn(3), torch.float64, torch.device("cpu"), 1 + 2j))),
    ("experts", "s", lambda: (Experts(), (torch.randn(6, 4),))),
    ("quantised_by_script", "s", quantised_by_script),
    ("reads_no_packed_conv", "s", quantised_convolution),
    ("concatenates", "s", lambda: (Concatenates(), (torch.randn(3),))),
    ("powers", "s", lambda: (Powers(), (torch.randn(3), 7))),
    ("named_input", "s", lambda: (NamedInput(), ((torch.randn(2), torch.randn(2), [torch.randn(1)]),))),
    ("bags", "ts", lambda: (Bags(mode="sum"), bags())),
    ("bags_padded", "ts", lambda: (Bags(mode="max", padding_idx=1), bags())),
    ("row_bags", "ts", lambda: (RowBags(), (torch.tensor([[1, 2], [4, 5]]),))),
    ("weighted_bags", "ts", lambda: (WeightedBags(), (*bags(), torch.rand(len(bags()[0]))))),
    ("plain_cells", "ts", lambda: (PlainCells(), (torch.randn(2, 4), torch.randn(2, 3)))),
    ("optional_literals", "s", lambda: (OptionalLiterals(), (torch.randn(1, 2, 3, 4), "bilinear"))),
    ("sparse_coo", "ts", lambda: (Sparse("coo"), (torch.randn(5, 6),))),
    ("sparse_csr", "ts", lambda: (Sparse("csr"), (torch.randn(5, 6),))),
    ("changed_lists", "s", lambda: (ChangedLists(), ([torch.randn(2, 3), torch.randn(4, 3), torch.randn(1, 3)],))),
    ("lists_of_lists", "s", lambda: (ListsOfLists(), (torch.randn(2, 3), 5))),
    ("boxes", "s", lambda: (Boxes(), ([torch.randn(3, 5, 6), torch.randn(3, 5, 6)],))),
    ("pooled", "s", lambda: (Pooled(), ([torch.rand(3, 4, 6), torch.rand(3, 4, 6)],))),
    ("pyramid", "s", lambda: (Pyramid(), (torch.randn(2, 4),))),
    ("optional_masks", "s", lambda: (nn.Transformer(16, 2, 1, 1, 32), (torch.randn(5, 2, 16), torch.randn(4, 2, 16)))),
    ("hooked", "s", lambda: (Hooked(), (torch.randn(2, 3),))),
    ("tied_decoder", "t", lambda: (TiedDecoder(), (torch.randn(2, 4),))),
    ("tensors_of_lists", "s", lambda: (TensorsOfLists(), (torch.randn(2, 4),))),
    ("long_rows", "s", lambda: (LongRows(), (torch.tensor([[0, 1], [4, 4]]),))),
]
