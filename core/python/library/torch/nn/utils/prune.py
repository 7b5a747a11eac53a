# SPDX-License-Identifier: GPL-3.0-or-later
# Names that models, state dicts and messages show are PyTorch's; masks are computed by the same operators, so that they
# are equal bit for bit.
import numbers
import torch
from abc import ABC, abstractmethod
from collections.abc import Iterable
# The hook of pruning: the tensor is `<name>_orig` times `<name>_mask`.
class BasePruningMethod(ABC):
    PRUNING_TYPE = None
    _tensor_name = None
    def __call__(self, module, inputs):
        setattr(module, self._tensor_name, self.apply_mask(module))
    @abstractmethod
    def compute_mask(self, t, default_mask): ...
    def apply_mask(self, module):
        if self._tensor_name is None:
            raise AssertionError(f'Module {module} has to be pruned')
        mask, whole = [getattr(module, self._tensor_name + suffix) for suffix in ('_mask', '_orig')]
        return mask.to(dtype=whole.dtype) * whole
    @staticmethod
    def _joined(module, name, method):
        keys = [key for key, hook in module._forward_pre_hooks.items() if _prunes(hook, name)]
        if len(keys) > 1:
            raise AssertionError('Avoid adding multiple pruning hooks to the '
                                 f'same tensor {name} of module {module}. Use a PruningContainer.')
        method._tensor_name = name
        if not keys:
            return method
        before = module._forward_pre_hooks.pop(keys[0])
        container = before if isinstance(before, PruningContainer) else PruningContainer(before)
        container.add_pruning_method(method)
        return container
    @classmethod
    def apply(cls, module, name, *args, importance_scores=None, **kwargs):
        method = cls._joined(module, name, cls(*args, **kwargs))
        whole = getattr(module, name)
        scores = whole if importance_scores is None else importance_scores
        if scores.shape != whole.shape:
            raise AssertionError('importance_scores should have the same shape as parameter '
                                 f'{name} of {module}, got {scores.shape} vs {whole.shape}')
        is_first = not isinstance(method, PruningContainer)
        if is_first:
            module.register_parameter(name + '_orig', whole)
            del module._parameters[name]
            before = torch.ones_like(whole)
        else:
            before = getattr(module, name + '_mask').detach().clone(memory_format=torch.contiguous_format)
        try:
            module.register_buffer(name + '_mask', method.compute_mask(scores, default_mask=before))
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if is_first:
                module.register_parameter(name, getattr(module, name + '_orig'))
                del module._parameters[name + '_orig']
            raise
        return method
    def prune(self, t, default_mask=None, importance_scores=None):
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise AssertionError('importance_scores should have the same shape as tensor t, '
                                 f'got {scores.shape} vs {t.shape}')
        before = torch.ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default_mask=before)
    def remove(self, module):
        if self._tensor_name is None:
            raise AssertionError(f'Module {module} has to be pruned before pruning can be removed')
        values = self.apply_mask(module)
        if hasattr(module, self._tensor_name):
            delattr(module, self._tensor_name)
        whole = module._parameters[self._tensor_name + '_orig']
        whole.data = values.data
        del module._parameters[self._tensor_name + '_orig']
        del module._buffers[self._tensor_name + '_mask']
        setattr(module, self._tensor_name, whole)
def _prunes(hook, name): return isinstance(hook, BasePruningMethod) and hook._tensor_name == name
# Several methods on one tensor: each prunes what those before it have left.
class PruningContainer(BasePruningMethod):
    def __init__(self, *args):
        self._pruning_methods = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)
    def add_pruning_method(self, method):
        if method is not None and not isinstance(method, BasePruningMethod):
            raise TypeError(f'{type(method)} is not a BasePruningMethod subclass')
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to "
                             f"PruningContainer {self}. Found '{method._tensor_name}'")
        self._pruning_methods += (method,)
    def __len__(self): return len(self._pruning_methods)
    def __iter__(self): return iter(self._pruning_methods)
    def __getitem__(self, idx): return self._pruning_methods[idx]
    def compute_mask(self, t, default_mask):
        method = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype)
        if method.PRUNING_TYPE == 'unstructured':
            left = default_mask == 1
        elif method.PRUNING_TYPE == 'structured':
            left = self._channels(method, t, default_mask)
        elif method.PRUNING_TYPE == 'global':
            left = (slice(None),) * t.dim()
        else:
            raise ValueError(f'Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}')
        mask[left] = method.compute_mask(t[left], default_mask=default_mask[left]).to(dtype=mask.dtype)
        return mask
    def _channels(self, method, t, mask):
        if not hasattr(method, 'dim'):
            raise AttributeError('Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` '
                                 'defined.')
        rank = t.dim()
        dim = method.dim if method.dim >= 0 else method.dim + rank
        if dim < 0:
            raise IndexError(f'Index is out of bounds for tensor with dimensions {rank}')
        return _along(rank, dim, mask.sum(dim=[each for each in range(rank) if each != dim]) != 0)
def _along(rank, dim, index):
    key = [slice(None)] * rank
    key[dim] = index
    return tuple(key)
def _check_amount(amount):
    if not isinstance(amount, numbers.Real):
        raise TypeError(f'Invalid type for amount: {amount}. Must be int or float.')
    is_whole = isinstance(amount, numbers.Integral)
    if (is_whole and amount < 0) or (not is_whole and not 0.0 <= float(amount) <= 1.0):
        raise ValueError(f'amount={amount} should either be a float in the range [0, 1] or a non-negative integer')
def _count(amount, size):
    count = amount if isinstance(amount, numbers.Integral) else round(amount * size)
    if count > size:
        raise ValueError(f'amount={count} should be smaller than the number of parameters to prune={size}')
    return count
def _check_structure(t, dim):
    if len(t.shape) <= 1:
        raise ValueError('Structured pruning can only be applied to multidimensional tensors. Found tensor of shape '
                         f'{t.shape} with {len(t.shape)} dims')
    if dim >= t.dim():
        raise IndexError(f'Invalid index {dim} for tensor of size {t.shape}')
class Identity(BasePruningMethod):
    PRUNING_TYPE = 'unstructured'
    def compute_mask(self, t, default_mask): return default_mask
    @classmethod
    def apply(cls, module, name): return super().apply(module, name)
# Without the elements that a score orders first.
class _Unstructured(BasePruningMethod):
    PRUNING_TYPE = 'unstructured'
    def __init__(self, amount):
        _check_amount(amount)
        self.amount = amount
    def compute_mask(self, t, default_mask):
        count = _count(self.amount, t.nelement())
        mask = default_mask.clone(memory_format=torch.contiguous_format)
        if count != 0:
            mask.view(-1)[self._first(t, count)] = 0
        return mask
class RandomUnstructured(_Unstructured):
    def _first(self, t, count): return torch.topk(torch.rand_like(t).view(-1), k=count).indices
    @classmethod
    def apply(cls, module, name, amount): return super().apply(module, name, amount=amount)
class L1Unstructured(_Unstructured):
    def _first(self, t, count): return torch.topk(torch.abs(t).view(-1), k=count, largest=False).indices
    @classmethod
    def apply(cls, module, name, amount, importance_scores=None):
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)
# With whole channels only.
class _Structured(BasePruningMethod):
    PRUNING_TYPE = 'structured'
    def compute_mask(self, t, default_mask):
        _check_structure(t, self.dim)
        size = t.shape[self.dim]
        count = _count(self.amount, size)
        kept = self._kept(t, size, count)
        if count == 0:
            return default_mask
        mask = torch.zeros_like(t)
        mask[_along(len(t.shape), self.dim, kept)] = 1
        mask *= default_mask.to(dtype=mask.dtype)
        return mask
class RandomStructured(_Structured):
    def __init__(self, amount, dim=-1):
        _check_amount(amount)
        self.amount, self.dim = amount, dim
    def _kept(self, t, size, count):
        if count == 0:
            return None
        drawn = torch.rand(size)
        return drawn > torch.kthvalue(drawn, k=count).values
    @classmethod
    def apply(cls, module, name, amount, dim=-1): return super().apply(module, name, amount=amount, dim=dim)
class LnStructured(_Structured):
    def __init__(self, amount, n, dim=-1):
        _check_amount(amount)
        self.amount, self.n, self.dim = amount, n, dim
    def _kept(self, t, size, count):
        own = self.dim % t.dim()
        norm = torch.norm(t, p=self.n, dim=[each for each in range(t.dim()) if each != own])
        return torch.topk(norm, k=size - count, largest=True).indices
    @classmethod
    def apply(cls, module, name, amount, n, dim, importance_scores=None):
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)
class CustomFromMask(BasePruningMethod):
    PRUNING_TYPE = 'global'
    def __init__(self, mask):
        self.mask = mask
    def compute_mask(self, t, default_mask):
        if default_mask.shape != self.mask.shape:
            raise AssertionError(f'default_mask shape {default_mask.shape} must match '
                                 f'self.mask shape {self.mask.shape}')
        return default_mask * self.mask.to(dtype=default_mask.dtype)
    @classmethod
    def apply(cls, module, name, mask): return super().apply(module, name, mask=mask)
def identity(module, name):
    Identity.apply(module, name)
    return module
def random_unstructured(module, name, amount):
    RandomUnstructured.apply(module, name, amount)
    return module
def l1_unstructured(module, name, amount, importance_scores=None):
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module
def random_structured(module, name, amount, dim):
    RandomStructured.apply(module, name, amount, dim)
    return module
def ln_structured(module, name, amount, n, dim, importance_scores=None):
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module
def custom_from_mask(module, name, mask):
    CustomFromMask.apply(module, name, mask)
    return module
def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs):
    if not isinstance(parameters, Iterable):
        raise TypeError('global_unstructured(): parameters is not an Iterable')
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError('global_unstructured(): importance_scores must be of type dict')
    def flat(tensors): return torch.cat([each.view(-1) for each in tensors])
    asked = flat(scores.get((module, name), getattr(module, name)) for module, name in parameters)
    masks = flat(getattr(module, name + '_mask', torch.ones_like(getattr(module, name))) for module, name in parameters)
    container, method = PruningContainer(), pruning_method(**kwargs)
    container._tensor_name = method._tensor_name = 'temp'
    if method.PRUNING_TYPE != 'unstructured':
        raise TypeError('Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. '
                        f'Found method {pruning_method} of type {method.PRUNING_TYPE}')
    container.add_pruning_method(method)
    final, at = container.compute_mask(asked, masks), 0
    for module, name in parameters:
        tensor = getattr(module, name)
        custom_from_mask(module, name, mask=final[at:at + tensor.numel()].view_as(tensor))
        at += tensor.numel()
def remove(module, name):
    for key, hook in module._forward_pre_hooks.items():
        if _prunes(hook, name):
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")
def is_pruned(module):
    return any(isinstance(hook, BasePruningMethod)
               for _, each in module.named_modules() for hook in each._forward_pre_hooks.values())
