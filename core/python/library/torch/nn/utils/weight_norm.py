# SPDX-License-Identifier: GPL-3.0-or-later
# Names that models, state dicts and messages show are PyTorch's; values are computed by the same operators, so that
# weights are equal bit for bit.
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
