# SPDX-License-Identifier: GPL-3.0-or-later
# torch.nn.Module and its containers.
import operator
import torch
import torch.nn.functional as F
from torch import Tensor
from collections import OrderedDict
from typing import NamedTuple

class _IncompatibleKeys(NamedTuple):
    __module__ = 'torch.nn.modules.module'
    missing_keys: list
    unexpected_keys: list
    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return '<All keys matched successfully>'
        return f'_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})'
    __str__ = __repr__

class RemovableHandle:
    __module__ = 'torch.utils.hooks'
    def __init__(self, hooks, with_kwargs, key):
        self._hooks, self._with_kwargs, self.id = hooks, with_kwargs, key
    def remove(self):
        self._hooks.pop(self.id, None)
        self._with_kwargs.pop(self.id, None)
    def __enter__(self): return self
    def __exit__(self, *args): self.remove()
_next_hook = [0]
def _keep_hook(hooks, with_kwargs, hook, prepend, gets_kwargs):
    key = _next_hook[0]
    _next_hook[0] = key + 1
    hooks[key] = hook
    if gets_kwargs:
        with_kwargs[key] = True
    if prepend:
        hooks.move_to_end(key, last=False)
    return RemovableHandle(hooks, with_kwargs, key)
def _keep_plain(hooks, hook, prepend=False):
    return _keep_hook(hooks, {}, hook, prepend, False)
class _WrappedHook:
    def __init__(self, hook, module):
        self.hook, self.module = hook, module
    def __call__(self, *args, **kwargs):
        return self.hook(self.module, *args, **kwargs)
def _hooked_call(module, forward, args, kwargs):
    for key, hook in list(module._forward_pre_hooks.items()):
        if key in module._forward_pre_hooks_with_kwargs:
            given = hook(module, args, kwargs)
            if given is not None:
                args, kwargs = given
        else:
            given = hook(module, args)
            if given is not None:
                args = given if isinstance(given, tuple) else (given,)
    result = forward(*args, **kwargs)
    for key, hook in list(module._forward_hooks.items()):
        gets_kwargs = key in module._forward_hooks_with_kwargs
        given = hook(module, args, kwargs, result) if gets_kwargs else hook(module, args, result)
        if given is not None:
            result = given
    return result

def _moved(module, device):
    isMeta = torch.device(device).type == 'meta'
    for tensor in list(module.parameters()) + list(module.buffers()):
        if tensor.device.type == 'meta' and not isMeta:
            raise NotImplementedError('Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() '
                                      'instead of torch.nn.Module.to() when moving module from meta to a different '
                                      'device.')
        if isMeta:
            __set_device__(tensor, device)
def _hide_strides(module):
    for tensor in list(module.parameters()) + list(module.buffers()):
        if tensor.dim() in (4, 5): # Lancet keeps the elements in rows
            tensor.stride = tensor.is_contiguous = __opaque__('torch.channels_last')
class Module:
    _version = 1
    def __init__(self, *args, **kwargs):
        pass
    def _require_free(self, kind, name):
        what = {'_modules': 'module', '_buffers': 'buffer', '_parameters': 'parameter'}[kind]
        if not isinstance(name, str):
            raise TypeError(f'{what} name should be a string. Got {torch.typename(name)}')
        if '.' in name:
            raise KeyError(f'{what} name can\'t contain "."' + (f', got: {name}' if kind == '_modules' else ''))
        if name == '':
            raise KeyError(f'{what} name can\'t be empty string ""')
        if hasattr(self, name) and name not in getattr(self, kind):
            raise KeyError(f"attribute '{name}' already exists")
    def add_module(self, name, module):
        if module is not None and not isinstance(module, Module):
            raise TypeError(f'{torch.typename(module)} is not a Module subclass')
        self._require_free('_modules', name)
        __module_child__(self, name, module)
    register_module = add_module
    def register_buffer(self, name, tensor, persistent=True):
        self._require_free('_buffers', name)
        if not (tensor is None or __is_proxy__(tensor) or isinstance(tensor, Tensor) or
                hasattr(tensor, '__torch_function__')):
            raise TypeError(f"cannot assign '{torch.typename(tensor)}' object to buffer '{name}' "
                            '(torch Tensor or None required)')
        __module_buffer__(self, name, tensor, persistent)
    def register_parameter(self, name, param):
        self._require_free('_parameters', name)
        if param is not None and not isinstance(param, torch.nn.Parameter):
            raise TypeError(f"cannot assign '{torch.typename(param)}' object to parameter '{name}' "
                            '(torch.nn.Parameter or None required)')
        __module_parameter__(self, name, param)
    def _all_children(self):
        return [(name, module) for name, module in self._modules.items() if module is not None]
    def named_children(self):
        memo, out = set(), []
        for name, module in self._all_children():
            if module not in memo:
                memo.add(module)
                out.append((name, module))
        return iter(out)
    def children(self):
        return iter([module for name, module in self.named_children()])
    def named_modules(self, memo=None, prefix='', remove_duplicate=True):
        memo = set() if memo is None else memo
        if self in memo:
            return iter([])
        if remove_duplicate:
            memo.add(self)
        out = [(prefix, self)]
        for name, module in self._all_children():
            out.extend(module.named_modules(memo, prefix + ('.' if prefix else '') + name, remove_duplicate))
        return iter(out)
    def modules(self):
        return iter([module for name, module in self.named_modules()])
    def _named_tensors(self, kind, prefix, recurse, remove_duplicate):
        out, seen = [], set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, tensor in getattr(module, kind).items():
                if tensor is not None and tensor not in seen:
                    if remove_duplicate:
                        seen.add(tensor)
                    out.append((path + ('.' if path else '') + name, tensor))
        return iter(out)
    def named_parameters(self, prefix='', recurse=True, remove_duplicate=True):
        return self._named_tensors('_parameters', prefix, recurse, remove_duplicate)
    def named_buffers(self, prefix='', recurse=True, remove_duplicate=True):
        return self._named_tensors('_buffers', prefix, recurse, remove_duplicate)
    def parameters(self, recurse=True):
        return iter([tensor for name, tensor in self.named_parameters('', recurse)])
    def buffers(self, recurse=True):
        return iter([tensor for name, tensor in self.named_buffers('', recurse)])
    def apply(self, fn):
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self
    def train(self, mode=True):
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self
    def eval(self):
        return self.train(False)
    def requires_grad_(self, requires_grad=True):
        for parameter in self.parameters():
            parameter.requires_grad = requires_grad
        return self
    def to(self, *args, **kwargs):
        dtype, device = kwargs.get('dtype'), kwargs.get('device')
        for each in args:
            if isinstance(each, torch.dtype):
                dtype = each
            elif isinstance(each, (str, torch.device)):
                device = each
        if str(kwargs.get('memory_format')).startswith('torch.channels_last'):
            _hide_strides(self)
        if device is not None:
            _moved(self, device)
        if dtype is not None and __computes__():
            for tensor in list(self.parameters()) + list(self.buffers()):
                if tensor.is_floating_point() and tensor.dtype != dtype:
                    tensor.data = tensor.data.to(dtype)
        return self
    def to_empty(self, *, device, recurse=True):
        for tensor in list(self.parameters(recurse)) + list(self.buffers(recurse)):
            __set_device__(tensor, device)
        return self
    def cuda(self, *args):
        return self
    cpu = cuda
    def half(self):
        return self.to(torch.float16)
    def float(self):
        return self.to(torch.float32)
    def double(self):
        return self.to(torch.float64)
    def bfloat16(self):
        return self.to(torch.bfloat16)
    def type(self, dst_type):
        for tensor in list(self.parameters()) + list(self.buffers()):
            if __computes__() and tensor.dtype != dst_type:
                tensor.data = tensor.data.to(dst_type)
        return self
    def zero_grad(self, set_to_none=True):
        return None
    def get_submodule(self, target):
        module = self
        for name in target.split('.') if target else []:
            if not hasattr(module, name):
                raise AttributeError(f'{module._get_name()} has no attribute `{name}`')
            module = getattr(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f'`{name}` is not an nn.Module')
        return module
    def set_submodule(self, target, module, strict=False):
        if target == '':
            raise ValueError('Cannot set the submodule without a target name!')
        path, _, name = target.rpartition('.')
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f'{type(parent).__name__} has no attribute `{name}`')
        setattr(parent, name, module)
    def _get_tensor(self, target):
        path, _, name = target.rpartition('.')
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(module._get_name() + ' has no attribute `' + name + '`')
        return module, name, getattr(module, name)
    def get_parameter(self, target):
        module, name, found = self._get_tensor(target)
        if not isinstance(found, torch.nn.Parameter):
            raise AttributeError('`' + name + '` is not an nn.Parameter')
        return found
    def get_buffer(self, target):
        module, name, found = self._get_tensor(target)
        if name not in module._buffers:
            raise AttributeError('`' + name + '` is not a buffer')
        return found
    def _saved_tensors(self):
        passing = self._non_persistent_buffers_set
        saved = list(self._parameters.items()) + [each for each in self._buffers.items() if each[0] not in passing]
        return {name: tensor for name, tensor in saved if tensor is not None}
    def _save_to_state_dict(self, destination, prefix, keep_vars):
        for name, tensor in self._saved_tensors().items():
            destination[prefix + name] = tensor if keep_vars else tensor.data
    def state_dict(self, *args, destination=None, prefix='', keep_vars=False):
        given = list(args) + [destination, prefix, keep_vars][len(args):]
        destination, prefix, keep_vars = given
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {'version': self._version}
        if hasattr(destination, '_metadata'):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._all_children():
            module.state_dict(destination=destination, prefix=prefix + name + '.', keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            given = hook(self, destination, prefix, metadata)
            if given is not None and getattr(hook, '_from_public_api', False):
                raise RuntimeError('state_dict post-hook must return None')
            destination = destination if given is None else given
        return destination
    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                              error_msgs):
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        saved = self._saved_tensors()
        for name, tensor in saved.items():
            key = prefix + name
            if key not in state_dict:
                if strict:
                    missing_keys.append(key)
                continue
            given = state_dict[key]
            if not isinstance(given, torch.Tensor):
                error_msgs.append(f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like '
                                  f'object from checkpoint but received {type(given)}')
                continue
            if len(tensor.shape) == 0 and len(given.shape) == 1 and given.shape[0] == 1:
                given = given[0]
            if given.shape != tensor.shape:
                error_msgs.append(f'size mismatch for {key}: copying a param with shape {given.shape} from '
                                  f'checkpoint, the shape in current model is {tensor.shape}.')
            elif local_metadata.get('assign_to_params_buffers', False):
                if name in self._parameters:
                    given = torch.nn.Parameter(given, requires_grad=tensor.requires_grad)
                setattr(self, name, given)
            else:
                with torch.no_grad():
                    tensor.copy_(given)
        if not strict:
            return
        for key in state_dict:
            if key.startswith(prefix):
                first, _, rest = key[len(prefix):].partition('.')
                if first not in (self._modules if rest else saved):
                    unexpected_keys.append(key)
    def load_state_dict(self, state_dict, strict=True, assign=False):
        missing, unexpected, errors = [], [], []
        all_metadata = getattr(state_dict, '_metadata', None)
        def load(module, given, prefix):
            metadata = {} if all_metadata is None else all_metadata.get(prefix[:-1], {})
            if assign:
                metadata['assign_to_params_buffers'] = assign
            module._load_from_state_dict(given, prefix, metadata, True, missing, unexpected, errors)
            for name, child in module._all_children():
                below = prefix + name + '.'
                load(child, {key: value for key, value in given.items() if key.startswith(below)}, below)
            for hook in module._load_state_dict_post_hooks.values():
                if hook(module, _IncompatibleKeys(missing, unexpected)) is not None:
                    raise AssertionError(
                        'Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new '
                        'values, if incompatible_keys need to be modified, it should be done inplace.')
        load(self, OrderedDict(state_dict) if isinstance(state_dict, dict) else state_dict, '')
        def listed(keys): return ', '.join([f'"{key}"' for key in keys])
        if strict and unexpected:
            errors.insert(0, f'Unexpected key(s) in state_dict: {listed(unexpected)}. ')
        if strict and missing:
            errors.insert(0, f'Missing key(s) in state_dict: {listed(missing)}. ')
        if errors:
            raise RuntimeError('Error(s) in loading state_dict for ' + type(self).__name__ + ':\n\t' +
                               '\n\t'.join(errors))
        return _IncompatibleKeys(missing, unexpected)
    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        return _keep_hook(self._forward_hooks, self._forward_hooks_with_kwargs, hook, prepend, with_kwargs)
    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        return _keep_hook(self._forward_pre_hooks, self._forward_pre_hooks_with_kwargs, hook, prepend, with_kwargs)
    def register_full_backward_hook(self, hook, prepend=False):
        return _keep_plain(self._backward_hooks, hook, prepend)
    def register_full_backward_pre_hook(self, hook, prepend=False):
        return _keep_plain(self._backward_pre_hooks, hook, prepend)
    def register_load_state_dict_post_hook(self, hook):
        return _keep_plain(self._load_state_dict_post_hooks, hook)
    def register_load_state_dict_pre_hook(self, hook):
        return self._register_load_state_dict_pre_hook(hook, with_module=True)
    def _register_load_state_dict_pre_hook(self, hook, with_module=False):
        return _keep_plain(self._load_state_dict_pre_hooks, _WrappedHook(hook, self) if with_module else hook)
    def _register_state_dict_hook(self, hook):
        if getattr(hook, '_from_public_api', False):
            raise RuntimeError('Cannot register the same function as the state dict post hook that was previously '
                               'registered via register_state_dict_post_hook')
        return _keep_plain(self._state_dict_hooks, hook)
    def register_state_dict_post_hook(self, hook):
        hook._from_public_api = True
        return _keep_plain(self._state_dict_hooks, hook)
    def register_state_dict_pre_hook(self, hook):
        return _keep_plain(self._state_dict_pre_hooks, hook)
    def _get_name(self):
        return type(self).__name__
    def extra_repr(self):
        return __extra_repr__(self)
    def __repr__(self):
        extra = self.extra_repr()
        lines = extra.split('\n') if extra else []
        rows = self._shown_children([(name, repr(module)) for name, module in self._modules.items()])
        if not rows and len(lines) < 2:
            return self._get_name() + '(' + extra + ')'
        return self._get_name() + '(\n  ' + '\n  '.join(lines + rows) + '\n)'
    def _shown_children(self, children):
        return ['(' + name + '): ' + shown.replace('\n', '\n  ') for name, shown in children]
    def _get_no_batch_dim(self):
        return {'1d': 2, '2d': 3, '3d': 4}.get(type(self).__name__[-2:], 3)
    def forward(self, *args):
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

class Container(Module): pass

class Sequential(Module):
    def __init__(self, *args):
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            __module_extend__(self, args)
    def _key(self, at):
        names = list(self._modules.keys())
        at = operator.index(at)
        if not -len(names) <= at < len(names):
            raise IndexError(f'index {at} is out of range')
        return names[at]
    def __getitem__(self, at):
        if isinstance(at, slice):
            return type(self)(OrderedDict(list(self._modules.items())[at]))
        return self._modules[self._key(at)]
    def __setitem__(self, at, module):
        setattr(self, self._key(at), module)
    def __delitem__(self, at):
        for name in list(self._modules.keys())[at] if isinstance(at, slice) else [self._key(at)]:
            delattr(self, name)
        __module_number__(self)
    def __len__(self):
        return len(self._modules)
    def __iter__(self):
        return __module_iterator__(self)
    def _require_sequential(self, other):
        if not isinstance(other, Sequential):
            raise ValueError('add operator supports only objects of Sequential class, but '
                             f'{str(type(other))} is given.')
    def __add__(self, other):
        self._require_sequential(other)
        return Sequential(*self, *other)
    def __iadd__(self, other):
        self._require_sequential(other)
        __module_extend__(self, other)
        return self
    def _require_factor(self, other):
        if not isinstance(other, int):
            raise TypeError(f'unsupported operand type(s) for *: {type(self)} and {type(other)}')
        if other <= 0:
            raise ValueError(f'Non-positive multiplication factor {other} for {type(self)}')
    def __mul__(self, other):
        self._require_factor(other)
        return Sequential(*(list(self) * other))
    def __rmul__(self, other):
        return self.__mul__(other)
    def __imul__(self, other):
        self._require_factor(other)
        own = self._modules
        __module_extend__(self, [own[str(at)] for at in range(len(own))] * (other - 1))
        return self
    def append(self, module):
        self.add_module(str(len(self)), module)
        return self
    def extend(self, modules):
        __module_extend__(self, modules)
        return self
    def insert(self, at, module):
        if not isinstance(module, Module):
            raise AssertionError(f'module should be of type: {Module}')
        count = len(self)
        if not -count <= at <= count:
            raise IndexError(f'Index out of range: {at}')
        _insert(self, at + count if at < 0 else at, module)
        return self
    def pop(self, at):
        module = self[at]
        del self[at]
        return module
    def forward(self, input):
        for module in self:
            input = module(input)
        return input

def _insert(container, at, module):
    modules = container._modules
    for place in range(len(modules), at, -1):
        modules[str(place)] = modules[str(place - 1)]
    modules[str(at)] = module
def _place(container, at):
    at = operator.index(at)
    if not -len(container) <= at < len(container):
        raise IndexError(f'index {at} is out of range')
    return str(at + len(container) if at < 0 else at)
def _require_iterable(values, where, what='an iterable'):
    try:
        iter(values)
    except TypeError:
        raise TypeError(f'{where} should be called with {what}, but got {type(values).__name__}') from None
def _pairs(values, owner):
    for at, each in enumerate(values):
        try:
            iter(each)
        except TypeError:
            raise TypeError(f'{owner} update sequence element #{at} should be Iterable; is{type(each).__name__}')
        if not len(each) == 2:
            raise ValueError(f'{owner} update sequence element #{at} has length {len(each)}; 2 is required')
        yield each[0], each[1]

class ModuleList(Module):
    def _shown_children(self, children):
        rows, first = [], 0
        for at, (name, shown) in enumerate(children):
            if at + 1 < len(children) and children[at + 1][1] == shown:
                continue
            row = f'({first}): {shown}' if first == at else f'({first}-{at}): {at - first + 1} x {shown}'
            rows.append(row.replace('\n', '\n  '))
            first = at + 1
        return rows
    def __init__(self, modules=None):
        if modules is not None:
            self.extend(modules)
    def __getitem__(self, at):
        if isinstance(at, slice):
            return type(self)(list(self._modules.values())[at])
        return self._modules[_place(self, at)]
    def __setitem__(self, at, module):
        setattr(self, _place(self, at), module)
    def __delitem__(self, at):
        for place in range(len(self))[at] if isinstance(at, slice) else [_place(self, at)]:
            delattr(self, str(place))
        __module_number__(self)
    def __len__(self):
        return len(self._modules)
    def __iter__(self):
        return __module_iterator__(self)
    def __add__(self, other):
        return ModuleList(list(self) + list(other))
    def append(self, module):
        self.add_module(str(len(self)), module)
        return self
    def extend(self, modules):
        _require_iterable(modules, 'ModuleList.extend')
        __module_extend__(self, modules)
        return self
    def __iadd__(self, modules):
        return self.extend(modules)
    def insert(self, at, module):
        _insert(self, at, module)
    def pop(self, at):
        module = self[at]
        del self[at]
        return module

class ModuleDict(Module):
    def __init__(self, modules=None):
        if modules is not None:
            self.update(modules)
    def __getitem__(self, key):
        return self._modules[key]
    def __setitem__(self, key, module):
        self.add_module(key, module)
    def __delitem__(self, key):
        del self._modules[key]
    def __contains__(self, key):
        return key in self._modules
    def __len__(self):
        return len(self._modules)
    def __iter__(self):
        return iter(list(self._modules.keys()))
    def clear(self):
        self._modules.clear()
    def keys(self):
        return self._modules.keys()
    def values(self):
        return self._modules.values()
    def items(self):
        return self._modules.items()
    def update(self, modules):
        _require_iterable(modules, 'ModuleDict.update', 'an iterable of key/value pairs')
        for key, module in (modules.items() if hasattr(modules, 'items') else _pairs(modules, 'ModuleDict')):
            self[key] = module
    def pop(self, key):
        module = self[key]
        del self[key]
        return module

def _shown_values(items, typeOf):
    lines = []
    for name, value in items:
        if isinstance(value, torch.Tensor):
            kind = 'Parameter' if isinstance(value, torch.nn.Parameter) else 'Tensor'
            size = 'x'.join([str(each) for each in value.shape])
            lines.append(f'  ({name}): {kind} containing: [{typeOf(value)} of size {size}]')
        else:
            lines.append(f'  ({name}): Object of type: {type(value).__name__}')
    return '\n'.join(lines)
def _as_parameter(value):
    isPlain = isinstance(value, torch.Tensor) and not isinstance(value, torch.nn.Parameter)
    return torch.nn.Parameter(value) if isPlain else value

class ParameterList(Module):
    def __init__(self, values=None):
        self._size = 0
        if values is not None:
            self.extend(values)
    def __getitem__(self, at):
        if isinstance(at, slice):
            out = type(self)()
            for place in range(len(self))[at]:
                out.append(self[place])
            return out
        return getattr(self, _place(self, at))
    def __setitem__(self, at, value):
        setattr(self, _place(self, at), _as_parameter(value))
    def __len__(self):
        return self._size
    def __iter__(self):
        return (self[at] for at in range(self._size))
    def append(self, value):
        self._size += 1
        self[self._size - 1] = value
        return self
    def extend(self, values):
        if isinstance(values, torch.Tensor):
            raise TypeError('ParameterList.extend should be called with an iterable, but got ' +
                            type(values).__name__)
        _require_iterable(values, 'ParameterList.extend')
        for value in values:
            self.append(value)
        return self
    def __iadd__(self, values):
        return self.extend(values)
    def extra_repr(self):
        return _shown_values(enumerate(self), lambda value: value.dtype)

class ParameterDict(Module):
    def __init__(self, values=None):
        self._keys = {}
        if values is not None:
            self.update(values)
    def _key_to_attr(self, key):
        if not isinstance(key, str):
            raise TypeError('Index given to ParameterDict cannot be used as a key as it is not a string (type is '
                            f"'{type(key).__name__}'). Open an issue on github if you need non-string keys.")
        return key
    def __getitem__(self, key):
        return getattr(self, self._key_to_attr(key))
    def __setitem__(self, key, value):
        self._keys[key] = None
        setattr(self, self._key_to_attr(key), _as_parameter(value))
    def __delitem__(self, key):
        del self._keys[key]
        delattr(self, self._key_to_attr(key))
    def __contains__(self, key):
        return key in self._keys
    def __len__(self):
        return len(self._keys)
    def __iter__(self):
        return iter(self._keys)
    def __reversed__(self):
        return reversed(self._keys)
    def copy(self):
        return ParameterDict(OrderedDict([(key, self[key]) for key in self._keys]))
    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]
    def clear(self):
        for key in list(self._keys):
            del self[key]
    def keys(self):
        return self._keys.keys()
    def values(self):
        return (self[key] for key in self._keys)
    def items(self):
        return ((key, self[key]) for key in self._keys)
    def get(self, key, default=None):
        return self[key] if key in self else default
    def pop(self, key):
        value = self[key]
        del self[key]
        return value
    def popitem(self):
        key = list(self._keys)[-1] if self._keys else self._keys.popitem()
        return key, self.pop(key)
    def fromkeys(self, keys, default=None):
        return ParameterDict([(key, default) for key in keys])
    def update(self, values):
        _require_iterable(values, 'ParametersDict.update', 'an iterable of key/value pairs')
        if isinstance(values, (OrderedDict, ParameterDict)):
            items = values.items()
        elif hasattr(values, 'items'):
            items = sorted(values.items())
        else:
            items = _pairs(values, 'ParameterDict')
        for key, value in items:
            self[key] = value
    def __or__(self, other):
        made = self.copy()
        made.update(other)
        return made
    def __ror__(self, other):
        made = other.copy()
        made.update(self)
        return made
    def __ior__(self, other):
        self.update(other)
        return self
    def extra_repr(self):
        return _shown_values(self.items(), lambda value: value.type())
