"""The classes of torch: their bases, what they say of themselves, their settings."""

import inspect
import typing

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.modules.activation import MultiheadAttention
from torch.nn.modules.batchnorm import _BatchNorm, _NormBase
from torch.nn.modules.conv import _ConvNd, _ConvTransposeNd
from torch.nn.modules.dropout import _DropoutNd
from torch.nn.modules.instancenorm import _InstanceNorm
from torch.nn.modules.loss import _Loss, _WeightedLoss
from torch.nn.modules.pooling import _AvgPoolNd, _MaxPoolNd
from torch.nn.modules.rnn import RNNBase, RNNCellBase


_CLASSES = """
AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveLogSoftmaxWithLoss AdaptiveMaxPool1d AdaptiveMaxPool2d
AdaptiveMaxPool3d AlphaDropout AvgPool1d AvgPool2d AvgPool3d BCELoss BCEWithLogitsLoss BatchNorm1d BatchNorm2d
BatchNorm3d Bilinear CELU CTCLoss ChannelShuffle CircularPad1d CircularPad2d CircularPad3d ConstantPad1d
ConstantPad2d ConstantPad3d Container Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d
CosineEmbeddingLoss CosineSimilarity CrossEntropyLoss CrossMapLRN2d Dropout Dropout1d Dropout2d Dropout3d ELU
Embedding EmbeddingBag FeatureAlphaDropout Flatten Fold FractionalMaxPool2d FractionalMaxPool3d GELU GLU GRU GRUCell
GaussianNLLLoss GroupNorm Hardshrink Hardsigmoid Hardswish Hardtanh HingeEmbeddingLoss HuberLoss Identity
InstanceNorm1d InstanceNorm2d InstanceNorm3d KLDivLoss L1Loss LPPool1d LPPool2d LPPool3d LSTM LSTMCell LayerNorm
LeakyReLU Linear LinearCrossEntropyLoss LocalResponseNorm LogSigmoid LogSoftmax MSELoss MarginRankingLoss MaxPool1d
MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d Mish Module ModuleDict ModuleList MultiLabelMarginLoss
MultiLabelSoftMarginLoss MultiMarginLoss MultiheadAttention NLLLoss NLLLoss2d PReLU PairwiseDistance ParameterDict
ParameterList PixelShuffle PixelUnshuffle PoissonNLLLoss RMSNorm RNN RNNBase RNNCell RNNCellBase RReLU ReLU ReLU6
ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d SELU Sequential
SiLU Sigmoid SmoothL1Loss SoftMarginLoss Softmax Softmax2d Softmin Softplus Softshrink Softsign SyncBatchNorm Tanh
Tanhshrink Threshold Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder
TransformerEncoderLayer TripletMarginLoss TripletMarginWithDistanceLoss Unflatten Unfold Upsample
UpsamplingBilinear2d UpsamplingNearest2d ZeroPad1d ZeroPad2d ZeroPad3d
""".split()


def _raised(function):
    try:
        return repr(function())
    except Exception as error:
        return type(error).__name__


def _of(value, *kinds):
    return [isinstance(value, kind) for kind in kinds]


class BatchNormIs(nn.Module):
    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList([nn.BatchNorm1d(2), nn.BatchNorm2d(2), nn.BatchNorm3d(2), nn.SyncBatchNorm(2)])

    def forward(self, x):
        kinds = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.SyncBatchNorm, _BatchNorm, _NormBase)
        return x, [_of(each, *kinds) for each in self.norms]


class BatchNormFollows(nn.Module):
    def __init__(self):
        super().__init__()

        class Own(nn.BatchNorm2d):
            def forward(self, x):
                return super().forward(x) + 1

        self.norm = Own(3).eval()

    def forward(self, x):
        return self.norm(x)


def conv_is(x):
    kinds = (nn.Conv1d, nn.Conv2d, _ConvNd, _ConvTransposeNd, nn.Module)
    made = [nn.Conv1d(1, 1, 1), nn.Conv2d(1, 1, 1), nn.Conv3d(1, 1, 1), nn.ConvTranspose2d(1, 1, 1), nn.LazyConv2d(1, 1)]
    return x, [_of(each, *kinds) for each in made]


def instance_norm_is(x):
    kinds = (_InstanceNorm, _NormBase, _BatchNorm, nn.InstanceNorm1d, nn.InstanceNorm2d)
    return x, [_of(each, *kinds) for each in (nn.InstanceNorm1d(1), nn.InstanceNorm2d(1), nn.InstanceNorm3d(1))]


def recurrent_is(x):
    kinds = (nn.RNNBase, RNNBase, nn.RNN, nn.LSTM, nn.GRU)
    made = [_of(each, *kinds) for each in (nn.RNN(1, 1), nn.LSTM(1, 1), nn.GRU(1, 1))]
    cells = [_of(each, nn.RNNCellBase, RNNCellBase, nn.LSTMCell) for each in (nn.RNNCell(1, 1), nn.LSTMCell(1, 1))]
    return x, made, cells


def pools_and_dropouts(x):
    made = [nn.MaxPool1d(2), nn.MaxPool2d(2), nn.AvgPool2d(2), nn.Dropout(), nn.Dropout2d(), nn.AlphaDropout()]
    return x, [_of(each, _MaxPoolNd, _AvgPoolNd, _DropoutNd, nn.Dropout) for each in made]


def activations_is(x):
    made = [nn.ReLU(), nn.ReLU6(), nn.Hardtanh(), nn.LeakyReLU(), nn.Softmax(), nn.Softmax2d(), nn.GELU()]
    return x, [_of(each, nn.ReLU, nn.Hardtanh, nn.Softmax, nn.Module) for each in made]


def losses_is(x):
    made = [nn.MSELoss(), nn.CrossEntropyLoss(), nn.NLLLoss(), nn.NLLLoss2d(), nn.BCELoss(), nn.L1Loss()]
    return x, [_of(each, _Loss, _WeightedLoss, nn.NLLLoss) for each in made]


def paddings_is(x):
    made = [nn.ZeroPad2d(1), nn.ConstantPad2d(1, 0), nn.ReflectionPad2d(1), nn.ZeroPad1d(1), nn.CircularPad1d(1)]
    return x, [_of(each, nn.ConstantPad2d, nn.ZeroPad2d, nn.ConstantPad1d, nn.ReflectionPad2d) for each in made]


def containers_is(x):
    made = [nn.Sequential(), nn.ModuleList(), nn.ModuleDict(), nn.ParameterList(), nn.ParameterDict()]
    return x, [_of(each, nn.Sequential, nn.ModuleList, nn.ModuleDict, nn.ParameterList, list, dict) for each in made]


def transformer_is(x):
    layer = nn.TransformerEncoderLayer(4, 2, 8)
    return x, _of(layer, nn.TransformerEncoderLayer, nn.TransformerDecoderLayer), type(layer.self_attn).__name__, _of(
        layer.self_attn, MultiheadAttention, nn.MultiheadAttention
    )


def subclasses(x):
    pairs = [(nn.BatchNorm2d, _BatchNorm), (nn.BatchNorm2d, nn.BatchNorm1d), (nn.LSTM, nn.RNNBase), (nn.LSTM, nn.RNN)]
    pairs += [(nn.Conv2d, _ConvNd), (nn.ReLU6, nn.Hardtanh), (nn.Identity, nn.Module), (nn.Parameter, torch.Tensor)]
    pairs += [(nn.SiLU, nn.Module), (nn.LPPool2d, nn.Module), (nn.Unfold, nn.Module), (nn.Fold, nn.Unfold)]
    return x, [issubclass(*pair) for pair in pairs]


def orders_of_all(x):
    return x, [(name, [each.__name__ for each in getattr(nn, name).__mro__]) for name in _CLASSES]


def modules_of_all(x):
    return x, [(getattr(nn, name).__module__, getattr(nn, name).__name__) for name in _CLASSES]


def constants_of_all(x):
    return x, [(name, list(getattr(getattr(nn, name), "__constants__", []))) for name in _CLASSES]


def signatures_of_all(x):
    return x, [(name, list(inspect.signature(getattr(nn, name)).parameters)) for name in _CLASSES]


def subclasses_of_all(x):
    kinds = [getattr(nn, name) for name in _CLASSES]
    return x, [[at for at, kind in enumerate(kinds) if issubclass(each, kind)] for each in kinds]


def orders(x):
    made = []
    for kind in (nn.BatchNorm2d, nn.SyncBatchNorm, nn.LSTM, nn.ConvTranspose1d, nn.ReLU6, nn.ZeroPad2d, nn.Softmin):
        made.append([each.__name__ for each in kind.__mro__])
    return x, made


def bases(x):
    kinds = (nn.BatchNorm1d, nn.GRU, nn.Conv3d, nn.EmbeddingBag, nn.Bilinear, nn.CosineSimilarity)
    return x, [[each.__name__ for each in kind.__bases__] for kind in kinds]


def constants_of(x):
    kinds = (nn.Linear, nn.Conv2d, nn.BatchNorm1d, nn.LayerNorm, nn.GroupNorm, nn.MaxPool2d, nn.Dropout, nn.ReLU, nn.LSTM)
    return x, [getattr(kind, "__constants__", None) for kind in kinds]


def modules_of(x):
    kinds = (nn.Linear, nn.BatchNorm2d, nn.LSTM, nn.Conv2d, nn.TransformerEncoder, nn.Sequential, nn.Module)
    return x, [(kind.__module__, kind.__qualname__, str(kind)) for kind in kinds]


def signature_of_linear(x):
    made = inspect.signature(nn.Linear)
    return x, list(made.parameters), [each.default is inspect.Parameter.empty for each in made.parameters.values()]


def signature_of_many(x):
    kinds = (nn.Conv2d, nn.BatchNorm2d, nn.LSTM, nn.MultiheadAttention, nn.Dropout, nn.Embedding, nn.GELU, nn.Upsample)
    return x, [list(inspect.signature(kind).parameters) for kind in kinds]


def signature_defaults(x):
    made = inspect.signature(nn.Conv2d).parameters
    return x, made["stride"].default, made["bias"].default, made["padding_mode"].default, made["dtype"].default


def signature_filters_settings(x):
    given = {"in_features": 3, "out_features": 4, "kernel_size": 3}
    kept = {k: v for k, v in given.items() if k in inspect.signature(nn.Linear.__init__).parameters}
    return x, sorted(kept)


def signature_of_forward(x):
    own = inspect.signature(nn.Linear(1, 1).forward).parameters
    unbound = inspect.signature(nn.Linear.forward).parameters
    return x, list(own), list(unbound), list(inspect.signature(F.conv2d).parameters) if False else None


def signature_of_function(x):
    def made(a, b, *c, d=3, **e):
        return a

    own = inspect.signature(made)
    return x, [(each.name, int(each.kind)) for each in own.parameters.values()], str(own)


def signature_binds(x):
    def made(a, b=2, *c, d=3):
        return a

    own = inspect.signature(made).bind(1, d=5)
    own.apply_defaults()
    return x, dict(own.arguments)


def full_arg_spec(x):
    spec = inspect.getfullargspec(nn.Linear.__init__)
    return x, spec.args, spec.defaults


def varnames_of_code(x):
    def made(a, b=2):
        c = a
        return c

    return x, made.__code__.co_varnames[: made.__code__.co_argcount], made.__defaults__


def settings_as_attributes(x):
    conv = nn.Conv2d(3, 4, 3, stride=2, padding="valid", bias=False)
    lstm = nn.LSTM(3, 4, 2, batch_first=True, bidirectional=True, dropout=0.5)
    made = [conv.kernel_size, conv.stride, conv.padding, conv.dilation, conv.groups, conv.transposed, conv.output_padding]
    return x, made, [lstm.mode, lstm.input_size, lstm.num_layers, lstm.bias, lstm.batch_first, lstm.dropout, lstm.proj_size]


def state_of_modules(x):
    kinds = [nn.BatchNorm1d(2), nn.BatchNorm1d(2, affine=False, track_running_stats=False), nn.LSTM(1, 1), nn.PReLU()]
    kinds += [nn.MultiheadAttention(4, 2), nn.Bilinear(1, 2, 3), nn.EmbeddingBag(3, 2), nn.GRUCell(1, 2)]
    return x, [list(each.state_dict()) for each in kinds]


def shown_modules(x):
    kinds = [nn.Conv2d(1, 2, 3, bias=False), nn.LSTM(1, 2, 2), nn.BatchNorm1d(3), nn.Embedding(3, 4, 0), nn.GELU("tanh")]
    kinds += [nn.MultiheadAttention(4, 2), nn.Upsample(scale_factor=2), nn.AdaptiveAvgPool2d((1, None)), nn.Flatten()]
    return x, [str(each) for each in kinds]


def types_of_modules(x):
    made = nn.BatchNorm2d(3)
    return x, type(made) is nn.BatchNorm2d, type(made) == nn.BatchNorm1d, made.__class__.__name__, type(made) in {_BatchNorm}


def module_has(x):
    made = nn.Linear(2, 3)
    names = ["weight", "bias", "in_features", "kernel_size", "forward", "reset_parameters", "training", "_buffers", "extra_repr"]
    return x, [hasattr(made, name) for name in names], [hasattr(nn.ReLU(), name) for name in names]


def class_has(x):
    names = ["forward", "reset_parameters", "__constants__", "from_pretrained", "_check_input_dim", "_conv_forward"]
    kinds = (nn.Linear, nn.Embedding, nn.BatchNorm2d, nn.Conv2d, nn.ReLU)
    return x, [[hasattr(kind, name) for name in names] for kind in kinds]


def functional_is_callable(x):
    return x, callable(F.relu), callable(nn.ReLU), F.relu.__name__, callable(torch.add), hasattr(F, "no_such"), hasattr(nn, "ReLU7")


def tensor_is(x):
    t = torch.zeros(2)
    p = nn.Parameter(t)
    kinds = (torch.Tensor, nn.Parameter, torch.FloatTensor, torch.LongTensor)
    return x, _of(t, *kinds), _of(p, *kinds), _of(torch.zeros(1, dtype=torch.long), *kinds), type(t).__name__, type(p).__name__


def dtype_and_device_are(x):
    t = torch.zeros(2)
    made = [isinstance(t.dtype, torch.dtype), isinstance(t.device, torch.device), isinstance("cpu", torch.device)]
    return x, made, isinstance(t.shape, torch.Size), isinstance(t.shape, tuple), isinstance((1,), torch.Size)


class OwnSubclass(nn.Module):
    def __init__(self):
        super().__init__()

        class Norm(nn.BatchNorm1d):
            pass

        class Norm2(nn.BatchNorm2d, Norm):
            pass

        self.made = Norm2(3)
        self.seen = [isinstance(self.made, nn.BatchNorm1d), [each.__name__ for each in Norm2.__mro__]]

    def forward(self, x):
        return x, self.seen


class Rnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.RNNBase("LSTM", 3, 4)
        self.count = sum(p.numel() for p in self.base.parameters())

    def forward(self, x):
        return x * self.count, self.base.mode


def flat_weights(x):
    lstm = nn.LSTM(3, 4)
    return x, [len(row) for row in lstm.all_weights], lstm._flat_weights_names, len(lstm._flat_weights)


def named_parameters_order(x):
    net = nn.Sequential(nn.LSTM(2, 3, 1, bidirectional=True), nn.LayerNorm(3))
    return x, [(name, tuple(p.shape)) for name, p in net.named_parameters()]


def annotations_of(x):
    hints = typing.get_type_hints(nn.Linear)
    return x, sorted(hints)[:3]


class UnusedRecurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.r = nn.LSTM(2, 3, bidirectional=True)
        self.l = nn.Linear(2, 2)

    def forward(self, x): return self.l(x)
