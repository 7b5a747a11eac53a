// SPDX-License-Identifier: GPL-3.0-or-later
// torch.nn.utils: weight and spectral normalisation, parametrisations, written in Python.
#include <string_view>

namespace fx::python {

extern const std::string_view kParametrizations;
const std::string_view kParametrizations = R"(
# module torch.nn.utils.weight_norm
from torch import _weight_norm, norm_except_dim
from torch.nn import Parameter
class WeightNorm:
    def __init__(self, name, dim):
        self.name, self.dim = name, -1 if dim is None else dim
    def compute_weight(self, module):
        g = getattr(module, self.name + '_g')
        v = getattr(module, self.name + '_v')
        return _weight_norm(v, g, self.dim)
    @staticmethod
    def apply(module, name, dim):
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, WeightNorm) and hook.name == name:
                raise RuntimeError(f'Cannot register two weight_norm hooks on the same parameter {name}')
        fn = WeightNorm(name, dim)
        weight = getattr(module, name)
        del module._parameters[name]
        module.register_parameter(name + '_g', Parameter(norm_except_dim(weight, 2, fn.dim).data))
        module.register_parameter(name + '_v', Parameter(weight.data))
        setattr(module, name, fn.compute_weight(module))
        module.register_forward_pre_hook(fn)
        return fn
    def remove(self, module):
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[self.name + '_g']
        del module._parameters[self.name + '_v']
        setattr(module, self.name, Parameter(weight.data))
    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module))
def weight_norm(module, name='weight', dim=0):
    WeightNorm.apply(module, name, dim)
    return module
def _without_hook(kind, called, module, name):
    keys = [key for key, hook in module._forward_pre_hooks.items() if isinstance(hook, kind) and hook.name == name]
    if not keys:
        raise ValueError(f"{called} of '{name}' not found in {module}")
    module._forward_pre_hooks.pop(keys[0]).remove(module)
    return module
def remove_weight_norm(module, name='weight'):
    return _without_hook(WeightNorm, 'weight_norm', module, name)
# module torch.nn.utils.spectral_norm
import torch
import torch.nn.functional as F
from torch.nn.utils.weight_norm import _without_hook
class SpectralNorm:
    def __init__(self, name='weight', n_power_iterations=1, dim=0, eps=1e-12):
        if n_power_iterations <= 0:
            raise ValueError('Expected n_power_iterations to be positive, but got '
                             f'n_power_iterations={n_power_iterations}')
        self.name, self.dim, self.n_power_iterations, self.eps = name, dim, n_power_iterations, eps
    def reshape_weight_to_matrix(self, weight):
        if self.dim != 0:
            weight = weight.permute(self.dim, *[d for d in range(weight.dim()) if d != self.dim])
        return weight.reshape(weight.size(0), -1)
    def compute_weight(self, module, do_power_iteration):
        weight = getattr(module, self.name + '_orig')
        u, v = getattr(module, self.name + '_u'), getattr(module, self.name + '_v')
        weight_mat = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            for _ in range(self.n_power_iterations):
                v = F.normalize(torch.mv(weight_mat.t(), u), dim=0, eps=self.eps, out=v)
                u = F.normalize(torch.mv(weight_mat, v), dim=0, eps=self.eps, out=u)
            u = u.clone(memory_format=torch.contiguous_format)
            v = v.clone(memory_format=torch.contiguous_format)
        return weight / torch.dot(u, torch.mv(weight_mat, v))
    def remove(self, module):
        weight = self.compute_weight(module, do_power_iteration=False)
        for suffix in ('', '_u', '_v', '_orig'):
            delattr(module, self.name + suffix)
        module.register_parameter(self.name, torch.nn.Parameter(weight.detach()))
    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))
    @staticmethod
    def apply(module, name, n_power_iterations, dim, eps):
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, SpectralNorm) and hook.name == name:
                raise RuntimeError(f'Cannot register two spectral_norm hooks on the same parameter {name}')
        fn = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f'`SpectralNorm` cannot be applied as parameter `{name}` is None')
        height, width = fn.reshape_weight_to_matrix(weight).size()
        u = F.normalize(weight.new_empty(height).normal_(0, 1), dim=0, eps=fn.eps)
        v = F.normalize(weight.new_empty(width).normal_(0, 1), dim=0, eps=fn.eps)
        delattr(module, fn.name)
        module.register_parameter(fn.name + '_orig', weight)
        setattr(module, fn.name, weight.data)
        module.register_buffer(fn.name + '_u', u)
        module.register_buffer(fn.name + '_v', v)
        module.register_forward_pre_hook(fn)
        return fn
def _usual_dim(module):
    return int(isinstance(module, (torch.nn.ConvTranspose1d, torch.nn.ConvTranspose2d, torch.nn.ConvTranspose3d)))
def spectral_norm(module, name='weight', n_power_iterations=1, eps=1e-12, dim=None):
    SpectralNorm.apply(module, name, n_power_iterations, _usual_dim(module) if dim is None else dim, eps)
    return module
def remove_spectral_norm(module, name='weight'):
    return _without_hook(SpectralNorm, 'spectral_norm', module, name)
# module torch.nn.utils.parametrize
from torch import Tensor
from torch.nn import ModuleDict, ModuleList, Parameter
class cached:
    def __enter__(self): return None
    def __exit__(self, *args): return None
def _put(module, name, tensor):
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)
def _adopt(dest, src):
    if dest is not src:
        dest.data = src
def _check(kept, given, tensor_name):
    if not isinstance(given, Tensor):
        raise ValueError(f'A parametrization must return a tensor. Got {type(given).__name__}.')
    for what in ('dtype', 'shape'):
        before, after = getattr(kept, what), getattr(given, what)
        if before != after:
            raise ValueError(f'Registering a parametrization may not change the {what} of the tensor, unless '
                             f'`unsafe` flag is enabled.\nunparametrized {what}: {before}\n'
                             f'parametrized {what}: {after}')
class ParametrizationList(ModuleList):
    def __init__(self, modules, original, unsafe=False):
        if len(modules) == 0:
            raise ValueError('ParametrizationList requires one or more modules.')
        super().__init__(modules)
        self.unsafe = unsafe
        new = original
        for module in reversed(self):
            if hasattr(module, 'right_inverse'):
                try:
                    new = module.right_inverse(new)
                except NotImplementedError:
                    pass
        if not isinstance(new, (Tensor, list, tuple)):
            raise ValueError("'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                             f'Got {type(new).__name__}')
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            if original.dtype != new.dtype:
                raise ValueError('When `right_inverse` outputs one tensor, it may not change the dtype.\n'
                                 f'original.dtype: {original.dtype}\nright_inverse(original).dtype: {new.dtype}')
            shaped = original.detach()
            _adopt(original, new)
            _put(self, 'original', original)
        else:
            shaped = original
            for at, each in enumerate(new):
                if not isinstance(each, Tensor):
                    raise ValueError("'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                                     f'Got element {at} of the sequence with type {type(each).__name__}.')
                if isinstance(original, Parameter):
                    each = Parameter(each, original.requires_grad)
                _put(self, f'original{at}', each)
        if not self.unsafe:
            _check(shaped, self(), None)
    def right_inverse(self, value):
        for module in reversed(self):
            if not hasattr(module, 'right_inverse'):
                raise RuntimeError(f'parametrization {type(module).__name__} does not implement right_inverse.')
            value = module.right_inverse(value)
        if self.is_tensor:
            _adopt(self.original, value)
            return
        if len(value) != self.ntensors:
            raise ValueError("'right_inverse' must return a sequence of tensors of length "
                             f'{self.ntensors}. Got a sequence of length {len(value)}.')
        for at, tensor in enumerate(value):
            _adopt(getattr(self, f'original{at}'), tensor)
    def forward(self):
        if self.is_tensor:
            x = self[0](self.original)
        else:
            x = self[0](*[getattr(self, f'original{at}') for at in range(self.ntensors)])
        at = 1
        while hasattr(self, str(at)):
            x = self[at](x)
            at += 1
        return x
def _inject_new_class(module):
    cls = module.__class__
    module.__class__ = type(f'Parametrized{cls.__name__}', (cls,), {})
def _inject_property(module, tensor_name):
    def get_parametrized(self):
        return self.parametrizations[tensor_name]()
    def set_original(self, value):
        self.parametrizations[tensor_name].right_inverse(value)
    setattr(module.__class__, tensor_name, property(get_parametrized, set_original))
def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            kept = getattr(module, tensor_name)
            _check(kept, parametrization(kept), tensor_name)
        module.parametrizations[tensor_name].append(parametrization)
        module.parametrizations[tensor_name].unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        parametrizations = ParametrizationList([parametrization], original, unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _inject_new_class(module)
            module.parametrizations = ModuleDict()
        _inject_property(module, tensor_name)
        module.parametrizations[tensor_name] = parametrizations
    else:
        raise ValueError(f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with "
                         f"name '{tensor_name}'")
    return module
def is_parametrized(module, tensor_name=None):
    parametrizations = getattr(module, 'parametrizations', None)
    if not isinstance(parametrizations, ModuleDict):
        return False
    return len(parametrizations) > 0 if tensor_name is None else tensor_name in parametrizations
def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    if not is_parametrized(module, tensor_name):
        raise ValueError(f'Module {module} does not have a parametrization on {tensor_name}')
    parametrizations = module.parametrizations[tensor_name]
    if parametrizations.is_tensor:
        original = parametrizations.original
        if leave_parametrized:
            _adopt(original, getattr(module, tensor_name))
    elif leave_parametrized:
        original = Parameter(getattr(module, tensor_name))
    else:
        raise ValueError('Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in '
                         'terms of a sequence of tensors.')
    delattr(module.__class__, tensor_name)
    del module.parametrizations[tensor_name]
    _put(module, tensor_name, original)
    if not is_parametrized(module):
        delattr(module, 'parametrizations')
        module.__class__ = module.__class__.__bases__[0]
    return module
def type_before_parametrizations(module):
    return module.__class__.__bases__[0] if is_parametrized(module) else type(module)
# module torch.nn.utils.parametrizations
import torch
import torch.nn.functional as F
from enum import Enum, auto
from torch import Tensor
from torch.nn import Module
from torch.nn.utils import parametrize
from torch.nn.utils.spectral_norm import _usual_dim
def _is_orthogonal(Q):
    rows, columns = Q.size(-2), Q.size(-1)
    one = torch.eye(columns, dtype=Q.dtype)
    return bool(torch.allclose(Q.mH @ Q, one, atol=10.0 * rows * torch.finfo(Q.dtype).eps))
def _make_orthogonal(A):
    X, tau = torch.geqrf(A)
    Q = torch.linalg.householder_product(X, tau)
    return Q * X.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)
class _OrthMaps(Enum):
    matrix_exp = auto()
    cayley = auto()
    householder = auto()
class _Orthogonal(Module):
    def __init__(self, weight, orthogonal_map, *, use_trivialization=True):
        super().__init__()
        if weight.is_complex() and orthogonal_map == _OrthMaps.householder:
            raise ValueError('The householder parametrization does not support complex tensors.')
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer('base', None)
    def forward(self, X):
        n, k = X.size(-2), X.size(-1)
        transposed = n < k
        if transposed:
            X, n, k = X.mT, k, n
        if self.orthogonal_map in (_OrthMaps.matrix_exp, _OrthMaps.cayley):
            X = X.tril()
            if n != k:
                X = torch.cat([X, X.new_zeros(n, n - k).expand(*X.shape[:-2], -1, -1)], dim=-1)
            A = X - X.mH
            if self.orthogonal_map == _OrthMaps.matrix_exp:
                Q = torch.matrix_exp(A)
            else:
                one = torch.eye(n, dtype=A.dtype)
                Q = torch.linalg.solve(torch.add(one, A, alpha=-0.5), torch.add(one, A, alpha=0.5))
            if n != k:
                Q = Q[..., :k]
        else:
            A = X.tril(diagonal=-1)
            tau = 2.0 / (1.0 + (A * A).sum(dim=-2))
            Q = torch.linalg.householder_product(A, tau)
            Q = Q * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        if hasattr(self, 'base'):
            Q = self.base @ Q
        return Q.mT if transposed else Q
    def right_inverse(self, Q):
        if Q.shape != self.shape:
            raise ValueError(f'Expected a matrix or batch of matrices of shape {self.shape}. '
                             f'Got a tensor of shape {Q.shape}.')
        given, n, k = Q, Q.size(-2), Q.size(-1)
        transpose = n < k
        if transpose:
            Q, n, k = Q.mT, k, n
        if not hasattr(self, 'base'):
            if self.orthogonal_map in (_OrthMaps.cayley, _OrthMaps.matrix_exp):
                raise NotImplementedError('It is not possible to assign to the matrix exponential or the Cayley '
                                          'parametrizations when use_trivialization=False.')
            A, tau = torch.geqrf(Q)
            signs = A.diagonal(dim1=-2, dim2=-1).sign()
            signs = torch.where(tau == 0.0, -signs, signs)
            A = torch.diagonal_scatter(A, signs, 0, -2, -1)
            return A.mT if transpose else A
        if n != k:
            more = torch.randn(*(Q.size()[:-2] + (n, n - k)), dtype=Q.dtype)
            Q = _make_orthogonal(torch.cat([Q, more], dim=-1))
        elif _is_orthogonal(Q):
            Q = Q.clone()
        else:
            Q = _make_orthogonal(Q)
        self.base = Q
        ones = torch.full_like(given.diagonal(dim1=-2, dim2=-1), -1.0)
        return torch.diagonal_scatter(torch.zeros_like(given), ones, 0, -2, -1)
def _weight_of(module, name):
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight
def orthogonal(module, name='weight', orthogonal_map=None, *, use_trivialization=True):
    weight = _weight_of(module, name)
    if weight.ndim < 2:
        raise ValueError(f'Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.')
    if orthogonal_map is None:
        isSquare = weight.size(-2) == weight.size(-1) or weight.is_complex()
        orthogonal_map = 'matrix_exp' if isSquare else 'householder'
    chosen = getattr(_OrthMaps, orthogonal_map, None)
    if chosen is None:
        raise ValueError('orthogonal_map has to be one of "matrix_exp", "cayley", "householder". '
                         f'Got: {orthogonal_map}')
    made = _Orthogonal(weight, chosen, use_trivialization=use_trivialization)
    parametrize.register_parametrization(module, name, made, unsafe=True)
    return module
class _WeightNorm(Module):
    def __init__(self, dim=0):
        super().__init__()
        self.dim = -1 if dim is None else dim
    def forward(self, weight_g, weight_v):
        return torch._weight_norm(weight_v, weight_g, self.dim)
    def right_inverse(self, weight):
        return torch.norm_except_dim(weight, 2, self.dim), weight
def weight_norm(module, name='weight', dim=0):
    return parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)
class _SpectralNorm(Module):
    def __init__(self, weight, n_power_iterations=1, dim=0, eps=1e-12):
        super().__init__()
        ndim = weight.ndim
        if dim >= ndim or dim < -ndim:
            raise IndexError(f'Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})')
        if n_power_iterations <= 0:
            raise ValueError('Expected n_power_iterations to be positive, but got '
                             f'n_power_iterations={n_power_iterations}')
        self.dim, self.eps = dim if dim >= 0 else dim + ndim, eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            weight_mat = self._reshape_weight_to_matrix(weight)
            height, width = weight_mat.size()
            u = weight_mat.new_empty(height).normal_(0, 1)
            v = weight_mat.new_empty(width).normal_(0, 1)
            self.register_buffer('_u', F.normalize(u, dim=0, eps=self.eps))
            self.register_buffer('_v', F.normalize(v, dim=0, eps=self.eps))
            self._power_method(weight_mat, 15)
    def _reshape_weight_to_matrix(self, weight):
        if self.dim != 0:
            weight = weight.permute(self.dim, *[d for d in range(weight.dim()) if d != self.dim])
        return weight.flatten(1)
    def _power_method(self, weight_mat, n_power_iterations):
        for _ in range(n_power_iterations):
            self._u = F.normalize(torch.mv(weight_mat, self._v), dim=0, eps=self.eps)
            self._v = F.normalize(torch.mv(weight_mat.H, self._u), dim=0, eps=self.eps)
    def forward(self, weight):
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        weight_mat = self._reshape_weight_to_matrix(weight)
        if self.training:
            self._power_method(weight_mat, self.n_power_iterations)
        u = self._u.clone(memory_format=torch.contiguous_format)
        v = self._v.clone(memory_format=torch.contiguous_format)
        return weight / torch.vdot(u, torch.mv(weight_mat, v))
    def right_inverse(self, value):
        return value
def spectral_norm(module, name='weight', n_power_iterations=1, eps=1e-12, dim=None):
    weight = _weight_of(module, name)
    made = _SpectralNorm(weight, n_power_iterations, _usual_dim(module) if dim is None else dim, eps)
    return parametrize.register_parametrization(module, name, made)
)";

} // namespace fx::python
