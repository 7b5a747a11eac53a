# SPDX-License-Identifier: GPL-3.0-or-later
function = __space__('torch.autograd.function')
from torch.autograd.function import Function
class _VariableMeta(type):
    def __instancecheck__(cls, value): return isinstance(value, Tensor)
# Makes a tensor with the same memory.
class Variable(metaclass=_VariableMeta):
    def __new__(cls, data=None, requires_grad=False, volatile=False):
        if data is None:
            data = __table__('torch.empty')(0)
        if not isinstance(data, Tensor):
            raise TypeError(f'Variable data has to be a tensor, but got {type(data).__name__}')
        made = data.detach()
        if requires_grad and not made.is_floating_point() and not made.is_complex():
            raise RuntimeError('Only Tensors of floating point and complex dtype can require gradients')
        return made.requires_grad_() if requires_grad else made
def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True,
         allow_unused=None, is_grads_batched=False, materialize_grads=False):
    if materialize_grads and allow_unused is False:
        raise ValueError('Expected allow_unused to be True or not passed when materialize_grads=True, '
                         'but got: allow_unused=False.')
    if allow_unused is None:
        allow_unused = materialize_grads
    def listed(given): return (given,) if isinstance(given, Tensor) or __is_proxy__(given) else tuple(given)
    outputs = listed(outputs)
    wanted = tuple(inputs.values()) if type(inputs) is dict else listed(inputs)
    if not wanted:
        raise RuntimeError('`inputs` argument to `grad()` cannot be empty.')
    result = __table__('torch.autograd.grad')(
        outputs, wanted, grad_outputs=grad_outputs, retain_graph=retain_graph, create_graph=create_graph,
        only_inputs=only_inputs, allow_unused=allow_unused, is_grads_batched=is_grads_batched,
        materialize_grads=materialize_grads)
    return dict(zip(inputs.keys(), result)) if type(inputs) is dict else result
