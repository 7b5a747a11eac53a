# SPDX-License-Identifier: GPL-3.0-or-later
# Names that models, state dicts and messages show are PyTorch's; values are computed by the same operators, so that
# weights are equal bit for bit.
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
        with torch.no_grad():
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
