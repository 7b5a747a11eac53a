# SPDX-License-Identifier: GPL-3.0-or-later
# What constructors of torch.nn refuse, by the name of the class: called with the name of the object's class and the
# settings that were given.
def _require_sizes(*sizes):
    for size in sizes:
        if isinstance(size, int) and size < 0:
            raise RuntimeError(f'Trying to create tensor with negative dimension {size}: {list(sizes)}')
def _tuple(value, count):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * count
def _convolution(count, is_transposed):
    def check(kind, in_channels=None, out_channels=None, kernel_size=None, stride=1, padding=0, groups=1,
              padding_mode='zeros', **rest):
        if in_channels is None or out_channels is None or kernel_size is None:
            return
        if is_transposed and padding_mode != 'zeros':
            raise ValueError(f'Only "zeros" padding mode is supported for {kind}')
        if groups <= 0:
            raise ValueError('groups must be a positive integer')
        if in_channels % groups != 0:
            raise ValueError('in_channels must be divisible by groups')
        if out_channels % groups != 0:
            raise ValueError('out_channels must be divisible by groups')
        if isinstance(padding, str) and not is_transposed:
            if padding not in ('same', 'valid'):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'valid', 'same'}}")
            if padding == 'same' and any([each != 1 for each in _tuple(stride, count)]):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in ('zeros', 'reflect', 'replicate', 'circular'):
            raise ValueError("padding_mode must be one of {'zeros', 'reflect', 'replicate', 'circular'}, but got "
                             f"padding_mode='{padding_mode}'")
        first, second = (in_channels, out_channels) if is_transposed else (out_channels, in_channels)
        _require_sizes(first, second // groups, *_tuple(kernel_size, count))
    return check
Conv1d, Conv2d, Conv3d = [_convolution(count, False) for count in (1, 2, 3)]
ConvTranspose1d, ConvTranspose2d, ConvTranspose3d = [_convolution(count, True) for count in (1, 2, 3)]
def Linear(kind, in_features=None, out_features=None, **rest):
    _require_sizes(out_features, in_features)
def Bilinear(kind, in1_features=None, in2_features=None, out_features=None, **rest):
    _require_sizes(out_features, in1_features, in2_features)
    if in1_features is not None and in1_features <= 0:
        raise ValueError(f'in1_features must be > 0, but got (in1_features={in1_features})')
def _require_features(num_features, affine, track_running_stats):
    if affine:
        _require_sizes(num_features)
    elif track_running_stats and isinstance(num_features, int) and num_features < 0:
        raise RuntimeError('zeros: Dimension size must be non-negative.')
def BatchNorm1d(kind, num_features=None, affine=True, track_running_stats=True, **rest):
    _require_features(num_features, affine, track_running_stats)
BatchNorm2d = BatchNorm3d = SyncBatchNorm = BatchNorm1d
def InstanceNorm1d(kind, num_features=None, affine=False, track_running_stats=False, **rest):
    _require_features(num_features, affine, track_running_stats)
InstanceNorm2d = InstanceNorm3d = InstanceNorm1d
def LayerNorm(kind, normalized_shape=(), elementwise_affine=True, **rest):
    if elementwise_affine:
        _require_sizes(*_tuple(normalized_shape, 1))
RMSNorm = LayerNorm
def GroupNorm(kind, num_groups=None, num_channels=None, affine=True, **rest):
    if num_groups is None or num_channels is None:
        return
    if num_channels % num_groups != 0:
        raise ValueError(f'num_channels ({num_channels}) must be divisible by num_groups ({num_groups})')
    if affine:
        _require_sizes(num_channels)
def _require_index(name, padding_idx, num_embeddings, embedding_dim, weight):
    if None in (num_embeddings, embedding_dim):
        return
    if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings and padding_idx != 0:
        raise AssertionError(f'{name} must be within num_embeddings')
    if weight is None:
        _require_sizes(num_embeddings, embedding_dim)
        if padding_idx is not None and num_embeddings == 0:
            raise IndexError('index 0 is out of bounds for dimension 0 with size 0')
def Embedding(kind, num_embeddings=None, embedding_dim=None, padding_idx=None, _weight=None, **rest):
    _require_index('Padding_idx', padding_idx, num_embeddings, embedding_dim, _weight)
def EmbeddingBag(kind, num_embeddings=None, embedding_dim=None, padding_idx=None, _weight=None, **rest):
    _require_index('padding_idx', padding_idx, num_embeddings, embedding_dim, _weight)
def _require_kind(name, value, kind):
    if not isinstance(value, kind):
        raise TypeError(f'{name} should be of type {kind.__name__}, got: {type(value).__name__}')
def LSTM(kind, input_size=None, hidden_size=None, num_layers=1, bias=True, batch_first=False, dropout=0.0, proj_size=0,
         **rest):
    if input_size is None or hidden_size is None:
        return
    float(dropout)
    if isinstance(dropout, (bool, str)) or not 0 <= dropout <= 1:
        raise ValueError('dropout should be a number in range [0, 1] representing the probability of an element being '
                         'zeroed')
    _require_kind('bias', bias, bool)
    _require_kind('batch_first', batch_first, bool)
    _require_kind('input_size', input_size, int)
    if input_size <= 0:
        raise ValueError('input_size must be greater than zero')
    _require_kind('hidden_size', hidden_size, int)
    if hidden_size <= 0:
        raise ValueError('hidden_size must be greater than zero')
    if num_layers <= 0:
        raise ValueError('num_layers must be greater than zero')
    if proj_size < 0:
        raise ValueError('proj_size should be a positive integer or zero to disable projections')
    if proj_size >= hidden_size:
        raise ValueError('proj_size has to be smaller than hidden_size')
GRU = LSTM
def RNN(kind, nonlinearity='tanh', **rest):
    if nonlinearity not in ('tanh', 'relu'):
        raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
    LSTM(kind, **rest)
def _cell(gates):
    def check(kind, input_size=None, hidden_size=None, **rest):
        if input_size is not None and hidden_size is not None:
            _require_sizes(gates * hidden_size, input_size)
    return check
RNNCell, GRUCell, LSTMCell = _cell(1), _cell(3), _cell(4)
def PReLU(kind, num_parameters=1, **rest):
    _require_sizes(num_parameters)
def Hardtanh(kind, min_val=-1.0, max_val=1.0, min_value=None, max_value=None, **rest):
    if min_value is None and max_value is None and max_val <= min_val:
        raise AssertionError(f'max_val ({max_val}) must be greater than min_val ({min_val})')
def MultiheadAttention(kind, embed_dim=None, num_heads=None, **rest):
    if embed_dim is None or num_heads is None:
        return
    if embed_dim <= 0 or num_heads <= 0:
        raise ValueError(f'embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and '
                         f'num_heads={num_heads} instead')
    if embed_dim % num_heads != 0:
        raise AssertionError('embed_dim must be divisible by num_heads')
def TransformerEncoderLayer(kind, d_model=None, nhead=None, dim_feedforward=2048, dropout=0.1, activation=None, **rest):
    MultiheadAttention(kind, d_model, nhead)
    _require_sizes(dim_feedforward, d_model)
    if dropout < 0 or dropout > 1:
        raise ValueError(f'dropout probability has to be between 0 and 1, but got {dropout}')
    if isinstance(activation, str) and activation not in ('relu', 'gelu'):
        raise RuntimeError(f'activation should be relu/gelu, not {activation}')
TransformerDecoderLayer = TransformerEncoderLayer
def Transformer(kind, d_model=512, nhead=8, custom_encoder=None, custom_decoder=None, **rest):
    if custom_encoder is None or custom_decoder is None:
        TransformerEncoderLayer(kind, d_model, nhead, **rest)
def Unflatten(kind, dim=None, unflattened_size=(), **rest):
    if not isinstance(unflattened_size, (tuple, list)):
        raise TypeError(f'unflattened_size must be a tuple of ints, but found type {type(unflattened_size).__name__}')
    for at, each in enumerate(unflattened_size):
        if not isinstance(each, int):
            raise TypeError('unflattened_size must be tuple of ints, but found element of type '
                            f'{type(each).__name__} at pos {at}')
def HuberLoss(kind, delta=1.0, **rest):
    if not isinstance(delta, (float, int)):
        raise TypeError(f'delta must be a float or int, got: {type(delta)}')
def MultiMarginLoss(kind, p=1, weight=None, **rest):
    if p != 1 and p != 2:
        raise ValueError('only p == 1 and p == 2 supported')
    if weight is not None and weight.dim() != 1:
        raise ValueError(f'MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead')
def _margin(name):
    def check(kind, margin=1.0, **rest):
        if margin <= 0:
            raise ValueError(f'{name}: expected margin to be greater than 0, got {margin} instead')
    return check
TripletMarginLoss = _margin('TripletMarginLoss')
TripletMarginWithDistanceLoss = _margin('TripletMarginWithDistanceLoss')
def AdaptiveLogSoftmaxWithLoss(kind, n_classes=None, cutoffs=None, **rest):
    if n_classes is None or cutoffs is None:
        return
    cutoffs = list(cutoffs)
    if len(cutoffs) == 0:
        raise ValueError('cutoffs should be a sequence of length larger than 0')
    if (cutoffs != sorted(cutoffs) or min(cutoffs) <= 0 or max(cutoffs) > n_classes - 1 or
            len(set(cutoffs)) != len(cutoffs) or any([int(each) != each for each in cutoffs])):
        raise ValueError('cutoffs should be a sequence of unique, positive integers sorted in an increasing order, '
                         'where each value is between 1 and n_classes-1')
def _fractional(name, count):
    def check(kind, kernel_size=None, output_size=None, output_ratio=None, **rest):
        if kernel_size is not None and count == 3 and not all([each > 0 for each in _tuple(kernel_size, 3)]):
            raise ValueError(f'kernel_size must be greater than 0, but got {kernel_size}')
        if output_size is None and output_ratio is None:
            raise ValueError(f'{name} requires specifying either an output size, or a pooling ratio')
        if output_size is not None and output_ratio is not None:
            raise ValueError('only one of output_size and output_ratio may be specified')
        if output_ratio is not None:
            ratios = (output_ratio,) if isinstance(output_ratio, (int, float)) else output_ratio
            if not all([0 < each < 1 for each in ratios]):
                raise ValueError(f'output_ratio must be between 0 and 1 (got {output_ratio})')
    return check
FractionalMaxPool2d, FractionalMaxPool3d = _fractional('FractionalMaxPool2d', 2), _fractional('FractionalMaxPool3d', 3)
