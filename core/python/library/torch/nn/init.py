# SPDX-License-Identifier: GPL-3.0-or-later
import math
import torch
def zeros_(tensor): return __tensor_init__('zeros_', tensor)
def ones_(tensor): return __tensor_init__('ones_', tensor)
def constant_(tensor, val):
    if val is None or isinstance(val, (str, list, tuple, dict)):
        given = type(val).__name__
        held = ', '.join([type(each).__name__ for each in val]) if isinstance(val, (list, tuple)) else ''
        held = f' of [{held}]' if isinstance(val, list) else f' of ({held})' if isinstance(val, tuple) else ''
        wrong = f"\n      didn't match because some of the arguments have invalid types: (!{given}{held}!)\n"
        raise TypeError(f'fill_() received an invalid combination of arguments - got ({given}), but expected one of:\n'
                        f' * (Tensor value){wrong} * (Number value){wrong}')
    return __tensor_init__('constant_', tensor, _number(val))
def _number(value):
    return value.item() if isinstance(value, torch.Tensor) and value.dim() == 0 else value
def _require_floats(method, **given):
    for at, (name, value) in enumerate(given.items()):
        if value is None or isinstance(value, (str, list, tuple, dict)):
            raise TypeError(f"{method}(): argument '{name}' (position {at + 1}) must be float, not "
                            f'{type(value).__name__}')
def _drawn(generator, *args):
    args = [*args[:2], *[_number(each) for each in args[2:]]]
    return __tensor_init__(*args) if generator is None else generator._draw(lambda: __tensor_init__(*args))
def uniform_(tensor, a=0.0, b=1.0, generator=None):
    _require_floats('uniform_', **{'from': a, 'to': b})
    return _drawn(generator, 'uniform_', tensor, a, b)
def normal_(tensor, mean=0.0, std=1.0, generator=None):
    _require_floats('normal_', mean=mean, std=std)
    return _drawn(generator, 'normal_', tensor, mean, std)
def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    if tensor.device.type != 'meta' and (isinstance(std, str) or (isinstance(std, (int, float)) and std == 0)):
        return (b - mean) / std
    return _drawn(generator, 'trunc_normal_', tensor, mean, std, a, b)
def _require_fans(tensor):
    return 2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor)))
def xavier_uniform_(tensor, gain=1.0, generator=None):
    _require_fans(tensor)
    return _drawn(generator, 'xavier_uniform_', tensor, gain)
def xavier_normal_(tensor, gain=1.0, generator=None):
    _require_fans(tensor)
    return _drawn(generator, 'xavier_normal_', tensor, gain)
def sparse_(tensor, sparsity, std=0.01, generator=None):
    if tensor.dim() != 2:
        raise ValueError('Only tensors with 2 dimensions are supported')
    rows, cols = tensor.shape
    num_zeros = int(math.ceil(sparsity * rows))
    _drawn(generator, 'normal_', tensor, 0, std)
    for col_idx in range(cols):
        row_indices = torch.randperm(rows)
        zero_indices = row_indices[:num_zeros]
        with torch.no_grad():
            tensor[zero_indices, col_idx] = 0
    return tensor
_linear = ('linear', 'conv1d', 'conv2d', 'conv3d', 'conv_transpose1d', 'conv_transpose2d', 'conv_transpose3d',
           'sigmoid')
def calculate_gain(nonlinearity, param=None):
    if nonlinearity in _linear:
        return 1
    if nonlinearity == 'tanh':
        return 5.0 / 3
    if nonlinearity == 'relu':
        return math.sqrt(2.0)
    if nonlinearity == 'leaky_relu':
        if param is not None and (isinstance(param, bool) or not isinstance(param, (int, float))):
            raise ValueError(f'negative_slope {param} not a valid number')
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity == 'selu':
        return 3.0 / 4
    raise ValueError(f'Unsupported nonlinearity {nonlinearity}')
def _calculate_fan_in_and_fan_out(tensor):
    sizes = list(tensor.shape)
    if len(sizes) < 2:
        raise ValueError('Fan in and fan out can not be computed for tensor with fewer than 2 dimensions')
    field = 1
    for size in sizes[2:]:
        field *= size
    return sizes[1] * field, sizes[0] * field
def _calculate_correct_fan(tensor, mode):
    mode = mode.lower()
    if mode not in ('fan_in', 'fan_out'):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return fan_in if mode == 'fan_in' else fan_out
def _deviation(tensor, a, mode, nonlinearity):
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)
def kaiming_uniform_(tensor, a=0, mode='fan_in', nonlinearity='leaky_relu', generator=None):
    if 0 in tensor.shape:
        return tensor
    bound = math.sqrt(3.0) * _deviation(tensor, a, mode, nonlinearity)
    return _drawn(generator, 'uniform_', tensor, -bound, bound)
def kaiming_normal_(tensor, a=0, mode='fan_in', nonlinearity='leaky_relu', generator=None):
    if 0 in tensor.shape:
        return tensor
    return _drawn(generator, 'normal_', tensor, 0, _deviation(tensor, a, mode, nonlinearity))
def dirac_(tensor, groups=1):
    if tensor.dim() not in (3, 4, 5):
        raise ValueError('Only tensors with 3, 4, or 5 dimensions are supported')
    if tensor.shape[0] % groups != 0:
        raise ValueError('dim 0 must be divisible by groups')
    return __tensor_init__('dirac_', tensor, groups)
def orthogonal_(tensor, gain=1, generator=None):
    if tensor.dim() < 2:
        raise ValueError('Only tensors with 2 or more dimensions are supported')
    return _drawn(generator, 'orthogonal_', tensor, gain)
def eye_(tensor):
    if tensor.dim() != 2:
        raise ValueError('Only tensors with 2 dimensions are supported')
    return __tensor_init__('eye_', tensor)
def _old(method):
    def deprecated_init(*args, **kwargs):
        return method(*args, **kwargs)
    deprecated_init.__name__ = method.__name__[:-1]
    return deprecated_init
uniform, normal, constant, eye, dirac = [_old(each) for each in (uniform_, normal_, constant_, eye_, dirac_)]
xavier_uniform, xavier_normal = _old(xavier_uniform_), _old(xavier_normal_)
kaiming_uniform, kaiming_normal = _old(kaiming_uniform_), _old(kaiming_normal_)
orthogonal, sparse = _old(orthogonal_), _old(sparse_)
# What needs more than random numbers, for a worker that computes with tensors.
def _computed_zeros_(tensor): return tensor.zero_()
def _computed_ones_(tensor): return tensor.fill_(1.0)
def _computed_constant_(tensor, val): return tensor.fill_(val)
def _computed_uniform_(tensor, a=0.0, b=1.0): return tensor.uniform_(a, b)
def _computed_normal_(tensor, mean=0.0, std=1.0): return tensor.normal_(mean, std)
def _xavier_deviation(tensor, gain):
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return gain * math.sqrt(2.0 / float(fan_in + fan_out))
def _computed_xavier_uniform_(tensor, gain=1.0):
    bound = math.sqrt(3.0) * _xavier_deviation(tensor, gain)
    return tensor.uniform_(-bound, bound)
def _computed_xavier_normal_(tensor, gain=1.0): return tensor.normal_(0.0, _xavier_deviation(tensor, gain))
def _computed_orthogonal_(tensor, gain=1):
    if tensor.dim() < 2:
        raise ValueError('Only tensors with 2 or more dimensions are supported')
    rows = tensor.size(0)
    columns = tensor.numel() // rows if rows else 0
    if rows * columns == 0:
        return tensor
    drawn = __tensor_init__('normal_', torch.zeros(rows, columns, dtype=tensor.dtype))
    q, r = torch.linalg.qr(drawn.t() if rows < columns else drawn)
    q = q * torch.diag(r, 0).sign()
    tensor.copy_(((q.t() if rows < columns else q).contiguous() * gain).view(tensor.shape))
    return tensor
# Of other types than float32, and of parts that do not lie in rows.
def _computed_trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0):
    def below(x): return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0
    if below((b - mean) / std) - below((a - mean) / std) > 0.3:
        low, high = torch.tensor(a, dtype=tensor.dtype).item(), torch.tensor(b, dtype=tensor.dtype).item()
        result, is_right = tensor.normal_(mean, std), True
        while True:
            mask = (result < low) | (result > high)
            if not mask.any():
                break
            result, is_right = torch.where(mask, torch.empty_like(result).normal_(mean, std), result), False
        return tensor if is_right else tensor.copy_(result.detach())
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    def density(values): return values.clone().sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(peak)
    result, is_right = tensor.uniform_(a, b), True
    pending = torch.empty_like(tensor).uniform_().log_().gt(density(result))
    while pending.any():
        candidates = torch.empty_like(tensor).uniform_(a, b)
        result, is_right = torch.where(pending, candidates, result), False
        accepted = torch.empty_like(tensor).uniform_().log_().gt(density(candidates))
        pending = torch.where(pending, accepted, pending)
    return tensor if is_right else tensor.copy_(result)
def _computed_dirac_(tensor, groups=1):
    sizes = list(tensor.shape)
    if len(sizes) not in (3, 4, 5):
        raise ValueError('Only tensors with 3, 4, or 5 dimensions are supported')
    if sizes[0] % groups != 0:
        raise ValueError('dim 0 must be divisible by groups')
    out, made = sizes[0] // groups, torch.zeros(*sizes)
    for group in range(groups):
        for at in range(min(out, sizes[1])):
            made[tuple([group * out + at, at] + [each // 2 for each in sizes[2:]])] = 1
    tensor.copy_(made)
    return tensor
def _computed_eye_(tensor):
    if tensor.dim() != 2:
        raise ValueError('Only tensors with 2 dimensions are supported')
    tensor.copy_(torch.eye(tensor.size(0), tensor.size(1)))
    return tensor
