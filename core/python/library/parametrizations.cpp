// SPDX-License-Identifier: GPL-3.0-or-later
// torch.nn.utils: weight and spectral normalisation, parametrisations, written in Python. Names that models, state
// dicts and messages show are PyTorch's; values are computed by the same operators, so that weights are equal bit for
// bit.
#include <string_view>

namespace fx::python {

extern const std::string_view kParametrizations;
const std::string_view kParametrizations = R"(
# module torch.nn.utils.weight_norm
from torch import _weight_norm, norm_except_dim
from torch.nn import Parameter
# A hook that computes a tensor of its module from others before each call. A module has one of a kind for each tensor.
class _TensorHook:
    made_by = ''
    def __call__(self, module, inputs):
        setattr(module, self.name, self._current(module))
    @classmethod
    def _key(cls, module, name):
        for key, hook in module._forward_pre_hooks.items():
            if isinstance(hook, cls) and hook.name == name:
                return key
        return None
    @classmethod
    def _refuse_second(cls, module, name):
        if cls._key(module, name) is not None:
            raise RuntimeError(f'Cannot register two {cls.made_by} hooks on the same parameter {name}')
    @classmethod
    def _take_from(cls, module, name):
        key = cls._key(module, name)
        if key is None:
            raise ValueError(f"{cls.made_by} of '{name}' not found in {module}")
        module._forward_pre_hooks.pop(key).remove(module)
        return module
class WeightNorm(_TensorHook):
    made_by = 'weight_norm'
    def __init__(self, name, dim):
        self.name = name
        self.dim = dim if dim is not None else -1
    def compute_weight(self, module):
        length, direction = getattr(module, self.name + '_g'), getattr(module, self.name + '_v')
        return _weight_norm(direction, length, self.dim)
    _current = compute_weight
    @classmethod
    def apply(cls, module, name, dim):
        cls._refuse_second(module, name)
        hook, whole = cls(name, dim), getattr(module, name)
        del module._parameters[name]
        for suffix, values in (('_g', norm_except_dim(whole, 2, hook.dim)), ('_v', whole)):
            module.register_parameter(name + suffix, Parameter(values.data))
        hook(module, None)
        module.register_forward_pre_hook(hook)
        return hook
    def remove(self, module):
        whole = self.compute_weight(module)
        for suffix in ('', '_g', '_v'):
            delattr(module, self.name + suffix)
        setattr(module, self.name, Parameter(whole.data))
def weight_norm(module, name='weight', dim=0):
    WeightNorm.apply(module, name, dim)
    return module
def remove_weight_norm(module, name='weight'): return WeightNorm._take_from(module, name)
# module torch.nn.utils.spectral_norm
import torch
import torch.nn.functional as F
from torch.nn.utils.weight_norm import _TensorHook
# The dimension that becomes the rows: transposed convolutions have their outputs second.
def _rows_at(module, dim):
    transposed = torch.nn.ConvTranspose1d, torch.nn.ConvTranspose2d, torch.nn.ConvTranspose3d
    return dim if dim is not None else int(isinstance(module, transposed))
def _rows_first(weight, dim):
    return weight if dim == 0 else weight.permute(dim, *[each for each in range(weight.dim()) if each != dim])
def _drawn(matrix, at, eps): return F.normalize(matrix.new_empty(matrix.size(at)).normal_(0, 1), dim=0, eps=eps)
def _check_iterations(count):
    if count <= 0:
        raise ValueError(f'Expected n_power_iterations to be positive, but got n_power_iterations={count}')
class SpectralNorm(_TensorHook):
    made_by = 'spectral_norm'
    def __init__(self, name='weight', n_power_iterations=1, dim=0, eps=1e-12):
        _check_iterations(n_power_iterations)
        self.name, self.dim, self.n_power_iterations, self.eps = name, dim, n_power_iterations, eps
    def reshape_weight_to_matrix(self, weight):
        weight = _rows_first(weight, self.dim)
        return weight.reshape(weight.size(0), -1)
    def compute_weight(self, module, do_power_iteration):
        weight, u, v = [getattr(module, self.name + suffix) for suffix in ('_orig', '_u', '_v')]
        matrix = self.reshape_weight_to_matrix(weight)
        for _ in range(self.n_power_iterations if do_power_iteration else 0):
            v = F.normalize(torch.mv(matrix.t(), u), dim=0, eps=self.eps, out=v)
            u = F.normalize(torch.mv(matrix, v), dim=0, eps=self.eps, out=u)
        if do_power_iteration:
            u, v = [each.clone(memory_format=torch.contiguous_format) for each in (u, v)]
        return weight / torch.dot(u, torch.mv(matrix, v))
    def _current(self, module): return self.compute_weight(module, do_power_iteration=module.training)
    @classmethod
    def apply(cls, module, name, n_power_iterations, dim, eps):
        cls._refuse_second(module, name)
        hook, weight = cls(name, n_power_iterations, dim, eps), module._parameters[name]
        if weight is None:
            raise ValueError(f'`SpectralNorm` cannot be applied as parameter `{name}` is None')
        matrix = hook.reshape_weight_to_matrix(weight)
        u, v = _drawn(matrix, 0, eps), _drawn(matrix, 1, eps)
        delattr(module, name)
        module.register_parameter(name + '_orig', weight)
        setattr(module, name, weight.detach())
        module.register_buffer(name + '_u', u)
        module.register_buffer(name + '_v', v)
        module.register_forward_pre_hook(hook)
        return hook
    def remove(self, module):
        weight = self.compute_weight(module, do_power_iteration=False)
        for suffix in ('', '_u', '_v', '_orig'):
            delattr(module, self.name + suffix)
        module.register_parameter(self.name, torch.nn.Parameter(weight.detach()))
def spectral_norm(module, name='weight', n_power_iterations=1, eps=1e-12, dim=None):
    SpectralNorm.apply(module, name, n_power_iterations, _rows_at(module, dim), eps)
    return module
def remove_spectral_norm(module, name='weight'): return SpectralNorm._take_from(module, name)
# module torch.nn.utils.parametrize
from torch import Tensor
from torch.nn import ModuleDict, ModuleList, Parameter
# Inside of it each parametrised tensor is computed once.
class cached:
    depth, tensors = 0, {}
    def __enter__(self): cached.depth += 1
    def __exit__(self, *error):
        cached.depth -= 1
        if cached.depth == 0:
            cached.tensors.clear()
def _hold(owner, name, tensor):
    hold = owner.register_parameter if isinstance(tensor, Parameter) else owner.register_buffer
    hold(name, tensor)
def _overwrite(tensor, values):
    if tensor is not values:
        tensor.data = values
_texts = {
    'first': 'Registering a parametrization may not change the {0} of the tensor, unless `unsafe` flag is enabled.\n'
             'unparametrized {0}: {1}\nparametrized {0}: {2}',
    'more': 'Registering a parametrization may not change the {0} of the tensor, unless the `unsafe` flag is '
            'enabled.\nmodule.{3}.{0}: {1}\nparametrization(module.{3}).{0}: {2}',
    'back': 'The tensor returned by parametrization.right_inverse must have the same {0} as module.{3}, unless the '
            '`unsafe` flag is enabled.\nmodule.{3}.{0}: {1}\nreturned {0}: {2}',
    'no tensors': "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got {}",
}
# A tensor like the one before: `kept` is its type and shape.
def _check_alike(kept, made, text, name=None):
    for what, before, after in zip(('dtype', 'shape'), kept, _kind(made)):
        if before != after:
            raise ValueError(_texts[text].format(what, before, after, name))
def _kind(tensor): return tensor.dtype, tensor.shape
def _check_tensor(made):
    if not isinstance(made, Tensor):
        raise ValueError(f'A parametrization must return a tensor. Got {type(made).__name__}.')
# The parametrisations of one tensor, in the order of their registration, and the tensors that the first one reads.
class ParametrizationList(ModuleList):
    def __init__(self, modules, original, unsafe=False):
        if len(modules) == 0:
            raise ValueError('ParametrizationList requires one or more modules.')
        super().__init__(modules)
        self.unsafe = unsafe
        kept, source = _kind(original), self._inverted(original, False)
        self.is_tensor = isinstance(source, Tensor)
        if not self.is_tensor and not isinstance(source, (list, tuple)):
            raise ValueError(_texts['no tensors'].format(type(source).__name__))
        self.ntensors = 1 if self.is_tensor else len(source)
        if self.is_tensor:
            self._hold_one(original, source)
        else:
            self._hold_many(original, source)
        if not unsafe:
            made = self()
            _check_tensor(made)
            _check_alike(kept, made, 'first')
    def _hold_one(self, original, source):
        if original.dtype != source.dtype:
            raise ValueError('When `right_inverse` outputs one tensor, it may not change the dtype.\n'
                             f'original.dtype: {original.dtype}\nright_inverse(original).dtype: {source.dtype}')
        _overwrite(original, source)
        _hold(self, 'original', original)
    def _hold_many(self, original, source):
        for name, each in zip(self._names(), source):
            if not isinstance(each, Tensor):
                place = f'element {name[8:]} of the sequence with type {type(each).__name__}.'
                raise ValueError(_texts['no tensors'].format(place))
            if isinstance(original, Parameter):
                each = Parameter(each, original.requires_grad)
            _hold(self, name, each)
    def _names(self): return ['original'] if self.is_tensor else [f'original{at}' for at in range(self.ntensors)]
    def _inverted(self, value, strictly):
        for each in reversed(self):
            if not hasattr(each, 'right_inverse'):
                if strictly:
                    raise RuntimeError(f'parametrization {type(each).__name__} does not implement right_inverse.')
                continue
            try:
                value = each.right_inverse(value)
            except NotImplementedError:
                if strictly:
                    raise
        return value
    def right_inverse(self, value):
        source = self._inverted(value, True)
        if self.is_tensor:
            if not isinstance(source, Tensor):
                raise ValueError(f'`right_inverse` should return a tensor. Got {type(source).__name__}')
            self._write('The tensor', 'original', source)
            return
        if not isinstance(source, (list, tuple)):
            raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(source).__name__}.")
        if len(source) != self.ntensors:
            raise ValueError(f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. "
                             f'Got a sequence of length {len(source)}.')
        for at, each in enumerate(source):
            if not isinstance(each, Tensor):
                raise ValueError("'right_inverse' must return a sequence of tensors or reference-type opaques. "
                                 f'Got element {at} of type {type(each).__name__}.')
            self._write(f'Tensor {at}', f'original{at}', each)
    def _write(self, called, name, values):
        kept = getattr(self, name)
        if kept.dtype != values.dtype:
            raise ValueError(f'{called} returned by `right_inverse` has dtype {values.dtype} '
                             f'while `{name}` has dtype {kept.dtype}')
        _overwrite(kept, values)
    def forward(self):
        first, *others = self
        value = first(*[getattr(self, name) for name in self._names()])
        for each in others:
            value = each(value)
        return value
def _computed(module, name):
    if not cached.depth:
        return module.parametrizations[name]()
    key = id(module), name
    if key not in cached.tensors:
        cached.tensors[key] = module.parametrizations[name]()
    return cached.tensors[key]
# The class of a parametrised module is its own, so that properties can stand for its tensors.
def _own_class(module):
    base = type(module)
    module.__class__ = type('Parametrized' + base.__name__, (base,), {})
    module.parametrizations = ModuleDict()
def _add_first(module, name, parametrization, unsafe):
    original = getattr(module, name)
    made = ParametrizationList([parametrization], original, unsafe=unsafe)
    delattr(module, name)
    if not is_parametrized(module):
        _own_class(module)
    setattr(type(module), name, property(lambda self: _computed(self, name),
                                         lambda self, value: self.parametrizations[name].right_inverse(value)))
    module.parametrizations[name] = made
def _check_next(module, name, parametrization):
    now = getattr(module, name)
    made = parametrization(now)
    _check_tensor(made)
    _check_alike(_kind(now), made, 'more', name)
    if not hasattr(parametrization, 'right_inverse'):
        return
    try:
        back = parametrization.right_inverse(made)
    except NotImplementedError:
        return
    if not isinstance(back, Tensor):
        raise ValueError(f'parametrization.right_inverse must return a tensor. Got: {type(back).__name__}')
    _check_alike(_kind(now), back, 'back', name)
def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_next(module, tensor_name, parametrization)
        others = module.parametrizations[tensor_name]
        others.append(parametrization)
        others.unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        _add_first(module, tensor_name, parametrization, unsafe)
    else:
        raise ValueError(f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with "
                         f"name '{tensor_name}'")
    return module
def is_parametrized(module, tensor_name=None):
    lists = getattr(module, 'parametrizations', None)
    return isinstance(lists, ModuleDict) and (len(lists) > 0 if tensor_name is None else tensor_name in lists)
def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    if not is_parametrized(module, tensor_name):
        raise ValueError(f'Module {module} does not have a parametrization on {tensor_name}')
    removed = module.parametrizations[tensor_name]
    if not removed.is_tensor and not leave_parametrized:
        raise ValueError('Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in '
                         'terms of a sequence of tensors.')
    sources = [getattr(removed, name) for name in removed._names()]
    left = sources[0]
    if leave_parametrized:
        now = getattr(module, tensor_name)
        if removed.is_tensor:
            _overwrite(left, now)
        else:
            left = Parameter(now) if any(each.requires_grad for each in sources) else now
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _hold(module, tensor_name, left)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type_before(module)
    return module
def type_before(module): return type(module).__bases__[0]
def type_before_parametrizations(module): return type_before(module) if is_parametrized(module) else type(module)
def transfer_parametrizations_and_params(from_module, to_module, tensor_name=None):
    if not is_parametrized(from_module):
        return to_module
    for name in from_module.parametrizations if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        given = from_module.parametrizations[name]
        for each in given:
            register_parametrization(to_module, name, each)
        for source in given._names():
            setattr(to_module.parametrizations[name], source, getattr(given, source))
    return to_module
# module torch.nn.utils.parametrizations
import torch
import torch.nn.functional as F
from enum import Enum, auto
from torch import Tensor
from torch.nn import Module
from torch.nn.utils.parametrize import register_parametrization
from torch.nn.utils.spectral_norm import _check_iterations, _drawn, _rows_at, _rows_first
def _weight_of(module, name):
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight
def _diagonal(matrix): return matrix.diagonal(dim1=-2, dim2=-1)
def _with_diagonal(matrix, values): return torch.diagonal_scatter(matrix, values, 0, -2, -1)
def _one_like(matrix): return torch.eye(matrix.size(-1), dtype=matrix.dtype)
def _is_orthogonal(matrix):
    slack = 10.0 * matrix.size(-2) * torch.finfo(matrix.dtype).eps
    return bool(torch.allclose(matrix.mH @ matrix, _one_like(matrix), atol=slack))
# The orthogonal part of a matrix, such that the triangular one has a positive diagonal.
def _orthogonal_part(matrix):
    packed, scales = torch.geqrf(matrix)
    return torch.linalg.householder_product(packed, scales) * _diagonal(packed).sgn().unsqueeze(-2)
class _OrthMaps(Enum):
    matrix_exp = auto()
    cayley = auto()
    householder = auto()
class _Orthogonal(Module):
    def __init__(self, weight, orthogonal_map, *, use_trivialization=True):
        super().__init__()
        if weight.is_complex() and orthogonal_map == _OrthMaps.householder:
            raise ValueError('The householder parametrization does not support complex tensors.')
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        self._map = orthogonal_map.name  # what runs the model reads numbers and text only
        if use_trivialization:
            self.register_buffer('base', None)
    # The maps make columns: a wide matrix is turned before and after.
    def forward(self, X):
        wide = X.size(-2) < X.size(-1)
        tall = X.mT if wide else X
        made = self._reflected(tall) if self.orthogonal_map == _OrthMaps.householder else self._rotated(tall)
        if hasattr(self, 'base'):
            made = self.base @ made
        return made.mT if wide else made
    def _reflected(self, tall):
        reflectors = tall.tril(diagonal=-1)
        scales = 2.0 / (1.0 + (reflectors * reflectors).sum(dim=-2))
        return torch.linalg.householder_product(reflectors, scales) * _diagonal(tall).int().unsqueeze(-2)
    def _rotated(self, tall):
        columns, missing = tall.size(-1), tall.size(-2) - tall.size(-1)
        lower = tall.tril()
        if missing:
            lower = F.pad(lower, (0, missing))
        skew = lower - lower.mH
        if self.orthogonal_map == _OrthMaps.matrix_exp:
            turn = torch.matrix_exp(skew)
        else:
            one = _one_like(skew)
            turn = torch.linalg.solve(torch.add(one, skew, alpha=-0.5), torch.add(one, skew, alpha=0.5))
        return turn[..., :columns] if missing else turn
    def right_inverse(self, Q):
        if Q.shape != self.shape:
            raise ValueError(f'Expected a matrix or batch of matrices of shape {self.shape}. '
                             f'Got a tensor of shape {Q.shape}.')
        wide = Q.size(-2) < Q.size(-1)
        tall = Q.mT if wide else Q
        if hasattr(self, 'base'):
            self.base = self._square(tall)
            return _with_diagonal(torch.zeros_like(Q), torch.full_like(_diagonal(Q), -1.0))
        if self.orthogonal_map != _OrthMaps.householder:
            raise NotImplementedError('It is not possible to assign to the matrix exponential or the Cayley '
                                      'parametrizations when use_trivialization=False.')
        packed, scales = torch.geqrf(tall)
        signs = _diagonal(packed).sign()
        packed = _with_diagonal(packed, torch.where(scales == 0.0, -signs, signs))
        return packed.mT if wide else packed
    # An orthogonal matrix that begins with these columns.
    def _square(self, tall):
        rows, columns = tall.size(-2), tall.size(-1)
        if rows == columns:
            return tall.clone() if _is_orthogonal(tall) else _orthogonal_part(tall)
        others = torch.randn(*(tall.size()[:-2] + (rows, rows - columns)), dtype=tall.dtype)
        return _orthogonal_part(torch.cat([tall, others], dim=-1))
def orthogonal(module, name='weight', orthogonal_map=None, *, use_trivialization=True):
    weight = _weight_of(module, name)
    if weight.ndim < 2:
        raise ValueError(f'Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.')
    if orthogonal_map is None:
        exact = weight.size(-2) == weight.size(-1) or weight.is_complex()
        orthogonal_map = 'matrix_exp' if exact else 'householder'
    if orthogonal_map not in [each.name for each in _OrthMaps]:
        raise ValueError('orthogonal_map has to be one of "matrix_exp", "cayley", "householder". '
                         f'Got: {orthogonal_map}')
    made = _Orthogonal(weight, _OrthMaps[orthogonal_map], use_trivialization=use_trivialization)
    return register_parametrization(module, name, made, unsafe=True)
class _WeightNorm(Module):
    def __init__(self, dim=0):
        super().__init__()
        self.dim = dim if dim is not None else -1
    def forward(self, weight_g, weight_v): return torch._weight_norm(weight_v, weight_g, self.dim)
    def right_inverse(self, weight): return torch.norm_except_dim(weight, 2, self.dim), weight
def weight_norm(module, name='weight', dim=0):
    return register_parametrization(module, name, _WeightNorm(dim), unsafe=True)
class _SpectralNorm(Module):
    def __init__(self, weight, n_power_iterations=1, dim=0, eps=1e-12):
        super().__init__()
        rank = weight.ndim
        if not -rank <= dim < rank:
            raise IndexError(f'Dimension out of range (expected to be in range of [-{rank}, {rank - 1}] but got {dim})')
        _check_iterations(n_power_iterations)
        self.dim, self.eps = dim % rank, eps
        if rank > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._matrix(weight)
            u, v = _drawn(matrix, 0, eps), _drawn(matrix, 1, eps)
            self.register_buffer('_u', u)
            self.register_buffer('_v', v)
            self._iterate(matrix, 15)
    def _matrix(self, weight): return _rows_first(weight, self.dim).flatten(1)
    def _iterate(self, matrix, count):
        for _ in range(count):
            self._u = F.normalize(torch.mv(matrix, self._v), dim=0, eps=self.eps)
            self._v = F.normalize(torch.mv(matrix.H, self._u), dim=0, eps=self.eps)
    def forward(self, weight):
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._matrix(weight)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        u, v = [each.clone(memory_format=torch.contiguous_format) for each in (self._u, self._v)]
        return weight / torch.vdot(u, torch.mv(matrix, v))
    def right_inverse(self, value): return value
def spectral_norm(module, name='weight', n_power_iterations=1, eps=1e-12, dim=None):
    made = _SpectralNorm(_weight_of(module, name), n_power_iterations, _rows_at(module, dim), eps)
    return register_parametrization(module, name, made)
)";

} // namespace fx::python
