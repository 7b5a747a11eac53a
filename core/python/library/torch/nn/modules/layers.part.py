# SPDX-License-Identifier: GPL-3.0-or-later
# Layers of torch.nn from which model sources derive; appended to __init__.py. own_modules.cpp makes those whose forward
# is one call from core/ops/nn_modules.tsv, after Identity. The others stand here as the tracer follows them, statement
# by statement; core/engine/modules/module_forms says why it has them once more.
class Identity(Module):
    def __init__(self, *args, **kwargs):
        pass
    def forward(self, input: Tensor) -> Tensor:
        return input
# core/ops/nn_modules.tsv
def _pretrained(cls, embeddings, freeze, options):
    state = __random_state__()  # nothing is drawn
    made = cls(embeddings.shape[0], embeddings.shape[1], **options)
    __random_state__(state)
    made.weight = torch.nn.Parameter(embeddings, not freeze)
    return made
@classmethod
def _from_pretrained(cls, embeddings, freeze=True, **options):
    if embeddings.dim() != 2:
        raise AssertionError('Embeddings parameter is expected to be 2-dimensional')
    return _pretrained(cls, embeddings, freeze, options)
Embedding.from_pretrained = _from_pretrained
def _fill_padding_idx_with_zero(self):
    if self.padding_idx is not None:
        with torch.no_grad():
            self.weight[self.padding_idx].fill_(0)
Embedding._fill_padding_idx_with_zero = _fill_padding_idx_with_zero
class _ConvNd(Module):
    def reset_parameters(self):
        __reset_module__(self)
    def _conv_forward(self, input, weight, bias):
        convolved = getattr(F, self._function)
        if self.padding_mode != 'zeros':
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return convolved(input, weight, bias, self.stride, (0,) * len(self.stride), self.dilation, self.groups)
        return convolved(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)
    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)
class Conv1d(_ConvNd): _function = 'conv1d'
class Conv2d(_ConvNd): _function = 'conv2d'
class Conv3d(_ConvNd): _function = 'conv3d'
def _values_of_channel(size):
    count = 1
    for each in size:
        count *= each
    return count
class RNNBase(Module):
    def reset_parameters(self):
        __reset_module__(self)
    def flatten_parameters(self): pass  # on a processor, weights stay where they are
    @property
    def all_weights(self):
        return [[getattr(self, name) for name in names] for names in self._all_weights]
class RNN(RNNBase): pass
class LSTM(RNNBase): pass
class GRU(RNNBase): pass
class _NormBase(Module):
    _version = 2
    def reset_parameters(self):
        __reset_module__(self)
    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *rest):
        key = prefix + 'num_batches_tracked'
        if local_metadata.get('version', 1) < 2 and self.track_running_stats and key not in state_dict:
            own = self.num_batches_tracked
            isKnown = own is not None and own.device.type != 'meta'
            state_dict[key] = own if isKnown else torch.tensor(0, dtype=torch.long)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)
    def reset_running_stats(self):
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()
class _BatchNorm(_NormBase):
    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        average = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                average = 1.0 / float(self.num_batches_tracked)
        by_batch = True if self.training else self.running_mean is None and self.running_var is None
        kept = not self.training or self.track_running_stats
        if by_batch and isinstance(input, Tensor):  # that a proxy stands for is not known
            size = input.size()
            if size[0] * _values_of_channel(size[2:]) == 1:
                raise ValueError(f'Expected more than 1 value per channel when training, got input size {size}')
        return F.batch_norm(input, self.running_mean if kept else None, self.running_var if kept else None,
                            self.weight, self.bias, by_batch, average, self.eps)
class BatchNorm1d(_BatchNorm):
    def _check_input_dim(self, input):
        if input.dim() != 2 and input.dim() != 3:
            raise ValueError(f'expected 2D or 3D input (got {input.dim()}D input)')
class BatchNorm2d(_BatchNorm):
    def _check_input_dim(self, input):
        if input.dim() != 4:
            raise ValueError(f'expected 4D input (got {input.dim()}D input)')
class BatchNorm3d(_BatchNorm):
    def _check_input_dim(self, input):
        if input.dim() != 5:
            raise ValueError(f'expected 5D input (got {input.dim()}D input)')
class SyncBatchNorm(_BatchNorm):
    def _check_input_dim(self, input):
        if input.dim() < 2:
            raise ValueError(f'expected at least 2D input (got {input.dim()}D input)')
    def _check_non_zero_input_channels(self, input):
        if input.size(1) == 0:
            raise ValueError('SyncBatchNorm number of input channels should be non-zero')
    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        self._check_non_zero_input_channels(input)
        return super().forward(input)
class _InstanceNorm(_NormBase):
    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        feature_dim = input.dim() - self._get_no_batch_dim()
        if input.size(feature_dim) != self.num_features:
            if self.affine:
                raise ValueError(f'expected input size at dim={feature_dim} to match num_features')
        if input.dim() == self._get_no_batch_dim():
            return self._handle_no_batch_input(input)
        return F.instance_norm(input, self.running_mean, self.running_var, self.weight, self.bias,
                               self.training or not self.track_running_stats,
                               self.momentum if self.momentum is not None else 0.0, self.eps)
    def _handle_no_batch_input(self, input):
        return F.instance_norm(input.unsqueeze(0), self.running_mean, self.running_var, self.weight, self.bias,
                               self.training or not self.track_running_stats,
                               self.momentum if self.momentum is not None else 0.0, self.eps).squeeze(0)
class InstanceNorm1d(_InstanceNorm):
    def _get_no_batch_dim(self):
        return 2
    def _check_input_dim(self, input):
        if input.dim() not in (2, 3):
            raise ValueError(f'expected 2D or 3D input (got {input.dim()}D input)')
class InstanceNorm2d(_InstanceNorm):
    def _get_no_batch_dim(self):
        return 3
    def _check_input_dim(self, input):
        if input.dim() not in (3, 4):
            raise ValueError(f'expected 3D or 4D input (got {input.dim()}D input)')
class InstanceNorm3d(_InstanceNorm):
    def _get_no_batch_dim(self):
        return 4
    def _check_input_dim(self, input):
        if input.dim() not in (4, 5):
            raise ValueError(f'expected 4D or 5D input (got {input.dim()}D input)')
class QuantStub(Module):
    __path__ = 'torch.ao.quantization.stubs.QuantStub'
    def forward(self, x):
        return x
class DeQuantStub(Module):
    __path__ = 'torch.ao.quantization.stubs.DeQuantStub'
    def forward(self, x):
        return x
class _FloatOperations(Module):
    def forward(self, x):
        raise RuntimeError("FloatFunctional is not intended to use the 'forward'. Please use the underlying operation")
    def _observed(self, x):
        return x
    def add(self, x, y):
        return self._observed(torch.add(x, y))
    def add_scalar(self, x, y):
        return torch.add(x, y)
    def mul(self, x, y):
        return self._observed(torch.mul(x, y))
    def mul_scalar(self, x, y):
        return torch.mul(x, y)
    def cat(self, x, dim=0):
        return self._observed(torch.cat(x, dim=dim))
    def add_relu(self, x, y):
        return self._observed(F.relu(torch.add(x, y)))
    def matmul(self, x, y):
        return self._observed(torch.matmul(x, y))
class FloatFunctional(_FloatOperations):
    __path__ = 'torch.ao.nn.quantized.modules.functional_modules.FloatFunctional'
    def __init__(self):
        self.activation_post_process = Identity()
    def _observed(self, x):
        return self.activation_post_process(x)
class FXFloatFunctional(_FloatOperations):
    __path__ = 'torch.ao.nn.quantized.modules.functional_modules.FXFloatFunctional'
def _swap_ff_with_fxff(model):
    modules_to_swap = []
    for name, module in model.named_children():
        if isinstance(module, FloatFunctional):
            modules_to_swap.append(name)
        else:
            _swap_ff_with_fxff(module)
    for name in modules_to_swap:
        del model._modules[name]
        model._modules[name] = FXFloatFunctional()
# PyTorch first asks whether it may call one operator, which a proxy cannot answer.
def _asks(tensor, name):
    return tensor.dim() != 3 if __is_proxy__(tensor) else bool(__opaque__(name + '.forward()'))
def _require_no_proxy(mask):
    if __is_proxy__(mask):
        raise RuntimeError('input to _none_or_dtype() must be None or torch.Tensor')
class MultiheadAttention(Module):
    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True, is_causal=False):
        if _asks(query, 'torch.nn.MultiheadAttention'):
            pass
class TransformerEncoderLayer(Module):
    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        _require_no_proxy(src_mask)
        if _asks(src, 'torch.nn.TransformerEncoderLayer'):
            pass
    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        x = self.self_attn(x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=False,
                           is_causal=is_causal)[0]
        return self.dropout1(x)
    def _ff_block(self, x):
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))
class TransformerDecoderLayer(Module):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
                memory_key_padding_mask=None, tgt_is_causal=False, memory_is_causal=False):
        own, other = (tgt_mask, tgt_key_padding_mask, tgt_is_causal), (memory_mask, memory_key_padding_mask,
                                                                       memory_is_causal)
        if self.norm_first:
            x = tgt + self._sa_block(self.norm1(tgt), *own)
            x = x + self._mha_block(self.norm2(x), memory, *other)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(tgt + self._sa_block(tgt, *own))
        x = self.norm2(x + self._mha_block(x, memory, *other))
        return self.norm3(x + self._ff_block(x))
    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        x = self.self_attn(x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, is_causal=is_causal,
                           need_weights=False)[0]
        return self.dropout1(x)
    def _mha_block(self, x, mem, attn_mask, key_padding_mask, is_causal=False):
        x = self.multihead_attn(x, mem, mem, attn_mask=attn_mask, key_padding_mask=key_padding_mask,
                                is_causal=is_causal, need_weights=False)[0]
        return self.dropout2(x)
    def _ff_block(self, x):
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))
