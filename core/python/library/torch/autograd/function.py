# SPDX-License-Identifier: GPL-3.0-or-later
class FunctionCtx:
    def save_for_backward(self, *tensors): self.saved_tensors = tensors
    def save_for_forward(self, *tensors): pass
    def mark_dirty(self, *tensors): pass
    def mark_non_differentiable(self, *tensors): pass
    def set_materialize_grads(self, value): pass
class Function(FunctionCtx):
    @classmethod
    def apply(cls, *args, **kwargs):
        context = FunctionCtx()
        if hasattr(cls, 'setup_context'):
            result = cls.forward(*args, **kwargs)
            cls.setup_context(context, args, result)
            return result
        return cls.forward(context, *args, **kwargs)
class InplaceFunction(Function): pass
def once_differentiable(function): return function
