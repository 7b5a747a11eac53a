# SPDX-License-Identifier: GPL-3.0-or-later
# Names that models, state dicts and messages show are PyTorch's; values are computed by the same operators, so that
# weights are equal bit for bit.
from torch import Tensor, no_grad
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
                with no_grad():
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
