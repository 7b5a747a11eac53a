// SPDX-License-Identifier: GPL-3.0-or-later
// The `forward` of layers of torch.nn from which model sources derive, written in Python.
#include <string_view>

namespace fx::python {

extern const std::string_view kNnLayers;
const std::string_view kNnLayers = R"(
class Identity(Module):
    def __init__(self, *args, **kwargs):
        pass
    def forward(self, input: Tensor) -> Tensor:
        return input
class Linear(Module):
    def reset_parameters(self):
        __reset_module__(self)
    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)
class NonDynamicallyQuantizableLinear(Linear): pass
def _pretrained(cls, embeddings, freeze, options):
    state = __random_state__()  # nothing is drawn
    made = cls(embeddings.shape[0], embeddings.shape[1], **options)
    __random_state__(state)
    made.weight = torch.nn.Parameter(embeddings, not freeze)
    return made
class Embedding(Module):
    def reset_parameters(self):
        __reset_module__(self)
    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type,
                           self.scale_grad_by_freq, self.sparse)
    @classmethod
    def from_pretrained(cls, embeddings, freeze=True, **options):
        if embeddings.dim() != 2:
            raise AssertionError('Embeddings parameter is expected to be 2-dimensional')
        return _pretrained(cls, embeddings, freeze, options)
class _ConvNd(Module):
    def reset_parameters(self):
        __reset_module__(self)
def _pads(conv):
    return conv._reversed_padding_repeated_twice
class Conv1d(_ConvNd):
    def _conv_forward(self, input, weight, bias):
        if self.padding_mode != 'zeros':
            input = F.pad(input, _pads(self), mode=self.padding_mode)
            return F.conv1d(input, weight, bias, self.stride, (0,), self.dilation, self.groups)
        return F.conv1d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)
    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)
class Conv2d(_ConvNd):
    def _conv_forward(self, input, weight, bias):
        if self.padding_mode != 'zeros':
            input = F.pad(input, _pads(self), mode=self.padding_mode)
            return F.conv2d(input, weight, bias, self.stride, (0, 0), self.dilation, self.groups)
        return F.conv2d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)
    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)
class Conv3d(_ConvNd):
    def _conv_forward(self, input, weight, bias):
        return F.conv3d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)
    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)
class _NormBase(Module):
    def reset_parameters(self):
        __reset_module__(self)
    def reset_running_stats(self):
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()
class _BatchNorm(_NormBase):
    def forward(self, input: Tensor) -> Tensor:
        average = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                average = 1.0 / float(self.num_batches_tracked)
        by_batch = True if self.training else self.running_mean is None and self.running_var is None
        kept = not self.training or self.track_running_stats
        return F.batch_norm(input, self.running_mean if kept else None, self.running_var if kept else None,
                            self.weight, self.bias, by_batch, average, self.eps)
class BatchNorm1d(_BatchNorm):
    def _check_input_dim(self, input):
        if input.dim() != 2 and input.dim() != 3:
            raise ValueError('expected 2D or 3D input')
    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        return _BatchNorm.forward(self, input)
class BatchNorm2d(BatchNorm1d):
    def _check_input_dim(self, input):
        if input.dim() != 4:
            raise ValueError(f'expected 4D input (got {input.dim()}D input)')
class BatchNorm3d(BatchNorm1d):
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
class InstanceNorm1d(_InstanceNorm): pass
class InstanceNorm2d(_InstanceNorm): pass
class InstanceNorm3d(_InstanceNorm): pass
class LayerNorm(Module):
    def reset_parameters(self):
        __reset_module__(self)
    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)
class RMSNorm(Module):
    def reset_parameters(self):
        __reset_module__(self)
    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)
class GroupNorm(Module):
    def reset_parameters(self):
        __reset_module__(self)
    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)
class _DropoutNd(Module): pass
class Dropout(_DropoutNd):
    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)
class Dropout2d(_DropoutNd):
    def forward(self, input: Tensor) -> Tensor:
        return F.dropout2d(input, self.p, self.training, self.inplace)
class ReLU(Module):
    def forward(self, input: Tensor) -> Tensor:
        return F.relu(input, inplace=self.inplace)
class GELU(Module):
    def forward(self, input: Tensor) -> Tensor:
        return F.gelu(input, approximate=self.approximate)
class SiLU(Module):
    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input, inplace=self.inplace)
class Sigmoid(Module):
    def forward(self, input: Tensor) -> Tensor:
        return torch.sigmoid(input)
class Tanh(Module):
    def forward(self, input: Tensor) -> Tensor:
        return torch.tanh(input)
class Hardtanh(Module):
    def forward(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)
class ReLU6(Hardtanh):
    def forward(self, input: Tensor) -> Tensor:
        return F.relu6(input, self.inplace)
class Softmax(Module):
    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim, _stacklevel=5)
class Flatten(Module):
    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)
class Upsample(Module):
    def forward(self, input: Tensor) -> Tensor:
        return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners,
                             recompute_scale_factor=self.recompute_scale_factor)
class _MaxPoolNd(Module): pass
class MaxPool2d(_MaxPoolNd):
    def forward(self, input: Tensor):
        return F.max_pool2d(input, self.kernel_size, self.stride, self.padding, self.dilation,
                            ceil_mode=self.ceil_mode, return_indices=self.return_indices)
class _AvgPoolNd(Module): pass
class AvgPool2d(_AvgPoolNd):
    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool2d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
                            self.count_include_pad, self.divisor_override)
class _AdaptiveAvgPoolNd(Module): pass
class QuantStub(Module):
    __path__ = 'torch.ao.quantization.stubs.QuantStub'
    def forward(self, x):
        return x
class DeQuantStub(Module):
    __path__ = 'torch.ao.quantization.stubs.DeQuantStub'
    def forward(self, x):
        return x
class FloatFunctional(Module):
    __path__ = 'torch.ao.nn.quantized.modules.functional_modules.FloatFunctional'
    def __init__(self):
        self.activation_post_process = Identity()
    def forward(self, x):
        raise RuntimeError("FloatFunctional is not intended to use the 'forward'. Please use the underlying operation")
    def add(self, x, y):
        return self.activation_post_process(torch.add(x, y))
    def add_scalar(self, x, y):
        return torch.add(x, y)
    def mul(self, x, y):
        return self.activation_post_process(torch.mul(x, y))
    def mul_scalar(self, x, y):
        return torch.mul(x, y)
    def cat(self, x, dim=0):
        return self.activation_post_process(torch.cat(x, dim=dim))
    def add_relu(self, x, y):
        return self.activation_post_process(F.relu(torch.add(x, y)))
    def matmul(self, x, y):
        return self.activation_post_process(torch.matmul(x, y))
class FXFloatFunctional(Module):
    __path__ = 'torch.ao.nn.quantized.modules.functional_modules.FXFloatFunctional'
    def forward(self, x):
        raise RuntimeError("FloatFunctional is not intended to use the 'forward'. Please use the underlying operation")
    def add(self, x, y):
        return torch.add(x, y)
    def add_scalar(self, x, y):
        return torch.add(x, y)
    def mul(self, x, y):
        return torch.mul(x, y)
    def mul_scalar(self, x, y):
        return torch.mul(x, y)
    def cat(self, x, dim=0):
        return torch.cat(x, dim=dim)
    def add_relu(self, x, y):
        return F.relu(torch.add(x, y))
    def matmul(self, x, y):
        return torch.matmul(x, y)
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
class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool2d(input, self.output_size)
class Hardswish(Module):
    def forward(self, input: Tensor) -> Tensor:
        return F.hardswish(input, self.inplace)
class Hardsigmoid(Module):
    def forward(self, input: Tensor) -> Tensor:
        return F.hardsigmoid(input, self.inplace)
class LeakyReLU(Module):
    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)
class ELU(Module):
    def forward(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)
class CELU(Module):
    def forward(self, input: Tensor) -> Tensor:
        return F.celu(input, self.alpha, self.inplace)
class SELU(Module):
    def forward(self, input: Tensor) -> Tensor:
        return F.selu(input, self.inplace)
class GLU(Module):
    def forward(self, input: Tensor) -> Tensor:
        return F.glu(input, self.dim)
class Mish(Module):
    def forward(self, input: Tensor) -> Tensor:
        return F.mish(input, inplace=self.inplace)
class PReLU(Module):
    def reset_parameters(self):
        __reset_module__(self)
    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)
class Softplus(Module):
    def forward(self, input: Tensor) -> Tensor:
        return F.softplus(input, self.beta, self.threshold)
class Softsign(Module):
    def forward(self, input: Tensor) -> Tensor:
        return F.softsign(input)
class Tanhshrink(Module):
    def forward(self, input: Tensor) -> Tensor:
        return F.tanhshrink(input)
class LogSigmoid(Module):
    def forward(self, input: Tensor) -> Tensor:
        return F.logsigmoid(input)
class LogSoftmax(Module):
    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim, _stacklevel=5)
class PixelShuffle(Module):
    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_shuffle(input, self.upscale_factor)
class PixelUnshuffle(Module):
    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_unshuffle(input, self.downscale_factor)
class Unflatten(Module):
    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)
class Dropout1d(_DropoutNd):
    def forward(self, input: Tensor) -> Tensor:
        return F.dropout1d(input, self.p, self.training, self.inplace)
class Dropout3d(_DropoutNd):
    def forward(self, input: Tensor) -> Tensor:
        return F.dropout3d(input, self.p, self.training, self.inplace)
class AlphaDropout(_DropoutNd):
    def forward(self, input: Tensor) -> Tensor:
        return F.alpha_dropout(input, self.p, self.training)
class MaxPool1d(_MaxPoolNd):
    def forward(self, input: Tensor):
        return F.max_pool1d(input, self.kernel_size, self.stride, self.padding, self.dilation,
                            ceil_mode=self.ceil_mode, return_indices=self.return_indices)
class MaxPool3d(_MaxPoolNd):
    def forward(self, input: Tensor):
        return F.max_pool3d(input, self.kernel_size, self.stride, self.padding, self.dilation,
                            ceil_mode=self.ceil_mode, return_indices=self.return_indices)
class AvgPool1d(_AvgPoolNd):
    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
                            self.count_include_pad)
class AvgPool3d(_AvgPoolNd):
    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool3d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
                            self.count_include_pad, self.divisor_override)
class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool1d(input, self.output_size)
class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool3d(input, self.output_size)
class _AdaptiveMaxPoolNd(Module): pass
class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    def forward(self, input: Tensor):
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)
class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    def forward(self, input: Tensor):
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)
class _ReflectionPadNd(Module):
    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "reflect")
class ReflectionPad1d(_ReflectionPadNd): pass
class ReflectionPad2d(_ReflectionPadNd): pass
class _ReplicationPadNd(Module):
    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "replicate")
class ReplicationPad1d(_ReplicationPadNd): pass
class ReplicationPad2d(_ReplicationPadNd): pass
class _ConstantPadNd(Module):
    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)
class ConstantPad1d(_ConstantPadNd): pass
class ConstantPad2d(_ConstantPadNd): pass
class ZeroPad2d(ConstantPad2d): pass
)";

} // namespace fx::python
