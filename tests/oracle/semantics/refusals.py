"""What torch.fx refuses, and what it records instead."""

import math
import operator

import torch
import torch.nn.functional as F
from torch import nn


def as_tensor(x):
    return torch.as_tensor(x) + 1


def tensor_of_list(x):
    return torch.tensor([x, x])


def tensor_of_one(x):
    return torch.tensor(x)


def tensor_of_size(x):
    return torch.tensor(x.size(0)) + x


def tensor_of_sizes(x):
    return torch.tensor([x.shape[0], 2]) + x


def tensor_of_nested(x):
    return torch.tensor([[1.0, x.sum()], [2.0, 3.0]])


def from_numpy(x):
    return torch.from_numpy(x)


def full_of_size(x):
    return torch.full((x.size(0), 2), 1.0) + x


def full_of_proxy(x):
    return torch.full((2, 2), x.size(0))


def zeros_of_size(x):
    return torch.zeros(x.size(0), 3) + x


def zeros_of_shape(x):
    return torch.zeros(x.shape) + x


def ones_of_proxies(x):
    return torch.ones([x.size(0), x.size(1)], dtype=x.dtype, device=x.device)


def arange_of_size(x):
    return torch.arange(x.size(1), device=x.device)


def empty_like_proxy(x):
    return torch.empty_like(x), torch.rand_like(x), torch.zeros_like(x)


def randn_of_size(x):
    return torch.randn(x.shape[0], 4)


def eye_of_size(x):
    return torch.eye(x.size(0))


def linspace_of_proxy(x):
    return torch.linspace(0, 1, x.size(0))


def linspace_to_proxy(x):
    return torch.linspace(0, x.max(), 5)


def scalar_tensor_of_proxy(x):
    return torch.scalar_tensor(x.size(0))


def sparse_of_proxy(x):
    return torch.sparse_coo_tensor(x, x)


def asarray_of_proxy(x):
    return torch.asarray(x)


def long_tensor_of_proxy(x):
    return torch.LongTensor([x.size(0)])


def tensor_class_of_proxy(x):
    return torch.Tensor(x)


def tensor_class_of_size(x):
    return torch.Tensor(x.size(0), 3)


def parameter_of_proxy(x):
    return nn.Parameter(x)


def constant_method_of_proxy(x):
    return x.new_zeros(x.size(0)), x.new_tensor([1.0])


def constant_indexed_by_proxy(x):
    return torch.arange(5)[x]


def list_indexed_by_proxy(x):
    return [1, 2, 3][x.size(0)]


def dict_indexed_by_proxy(x):
    return {1: 2}[x.size(0)]


def tuple_sliced_by_proxy(x):
    return (1, 2, 3)[: x.size(0)]


def str_of_proxy(x):
    return x, f"{x}", str(x), repr(x)


def format_of_proxy(x):
    return x, f"{x:>10}"


def int_of_proxy(x):
    return int(x.size(0))


def float_of_proxy(x):
    return float(x.sum())


def bool_of_proxy(x):
    return bool(x.sum())


def len_of_proxy(x):
    return len(x)


def range_of_proxy(x):
    return [each for each in range(x.size(0))]


def iterated(x):
    return [each for each in x]


def unpacked(x):
    a, b = x
    return a + b


def unpacked_with_star(x):
    a, *b = x
    return a


def starred_proxy(x):
    return torch.cat([*x])


def size_unpacked(x):
    b, c, h, w = x.size()
    return x.view(b, c, h * w)


def size_starred(x):
    return x.view(*x.shape[:2], -1)


def keywords_of_proxy(x):
    return F.relu(**x)


def if_of_proxy(x):
    return x if x.sum() > 0 else -x


def while_of_proxy(x):
    while x.size(0) > 1:
        x = x[0]
    return x


def assert_of_proxy(x):
    assert x.dim() == 4
    return x


def assert_with_message(x):
    assert x.shape[0] == 2, "two"
    return x + 1


def and_of_proxies(x):
    return (x > 0) and (x < 1)


def not_of_proxy(x):
    return not x


def in_of_proxy(x):
    return 1 in x


def proxy_in_list(x):
    return x in [1, x]


def proxy_in_list_first(x):
    return x in [x]


def chained_comparison(x):
    return 0 < x < 1


def item_assigned(x):
    x[0] = 1
    return x


def item_deleted(x):
    del x[0]
    return x


def augmented(x):
    y = x
    y += 1
    y *= x
    return y, x


def augmented_attribute(x):
    x.grad += 1
    return x


def attribute_set(x):
    x.tag = 3
    return x + x.tag


def attribute_deleted(x):
    del x.missing
    return x


def math_of_proxy(x):
    return math.sqrt(x.size(0)), math.floor(x.size(0) / 2)


def math_of_list(x):
    return math.prod([x.size(0), 2])


def max_of_proxies(x):
    return max(x.size(0), 3)


def min_of_one_proxy(x):
    return min(x)


def sum_of_proxies(x):
    return sum([x, x * 2]), sum(x.chunk(2) if False else [x])


def sorted_of_proxies(x):
    return sorted([x.size(0), 3])


def round_of_proxy(x):
    return round(x.size(0) / 2)


def abs_of_proxy(x):
    return abs(x), -x, +x, ~x, divmod(x, 2) if False else 0


def divmod_of_proxy(x):
    return divmod(x.size(0), 2)


def pow_of_proxy(x):
    return x**2, 2**x, pow(x, 2), x @ x, x // 2, 7 % x, x << 1


def complex_of_proxy(x):
    return complex(x.size(0))


def index_of_proxy(x):
    return operator.index(x.size(0))


def hash_of_proxy(x):
    return {x: 1}[x], x in {x}, len({x, x})


def dict_key_proxy(x):
    return {x: 1}


def set_returned(x):
    return {1, 2}, x


def object_returned(x):
    return x, object()


def module_returned(x):
    return x, nn.ReLU


def function_returned(x):
    return x, torch.relu


def generator_returned(x):
    return (each for each in [x, x])


def lambda_returned(x):
    return x, lambda: 1


def dtype_returned(x):
    return x, torch.float32, x.dtype, torch.device("cpu"), slice(1, 2), range(3), ..., None


def list_of_objects_recorded(x):
    return torch.cat([x, object()])


def dict_with_number_keys(x):
    return {1: x, "a": {"b": (x, [x])}}


def isinstance_of_proxy(x):
    return x if isinstance(x, torch.Tensor) else [x]


def type_of_proxy(x):
    return x if type(x) == torch.Tensor else (x, 1)


def not_implemented_function(x):
    return torch.no_such_function(x)


def no_such_method(x):
    return x.no_such_method(1)


def no_such_functional(x):
    return F.no_such_functional(x)


def wrong_arguments(x):
    return F.relu(x, 1, 2, 3)


def wrong_keyword(x):
    return torch.relu(x, colour=1)


def functional_checks(x):
    return F.interpolate(x, size=(2, 2), scale_factor=2)


def functional_traced(x):
    return F.multi_head_attention_forward


class CallsItself(nn.Module):
    def forward(self, x):
        return self(x)


class NewModuleInForward(nn.Module):
    def forward(self, x):
        return nn.Linear(3, 3)(x)


class NewActivationInForward(nn.Module):
    def forward(self, x):
        return nn.ReLU()(x)


class NewParameterInForward(nn.Module):
    def forward(self, x):
        return x + nn.Parameter(torch.ones(1))


class StoresInForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = 0

    def forward(self, x):
        self.seen += 1
        self.last = x
        return self.last * self.seen


class StoresModuleInForward(nn.Module):
    def forward(self, x):
        self.layer = nn.ReLU()
        return self.layer(x)


class UsesMissingAttribute(nn.Module):
    def forward(self, x):
        return self.missing(x)


class VarArguments(nn.Module):
    def forward(self, x, *rest, scale=2, **options):
        return x * scale


class DefaultArguments(nn.Module):
    def forward(self, x, y=None, z=3):
        return x + z if y is None else x + y


class TrainingFlag(nn.Module):
    def forward(self, x):
        return F.dropout(x, 0.5, self.training), x if self.training else x + 1


class TensorInConstructor(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(2))

    def forward(self, x):
        return x * self.scale * torch.tensor([1.0, 2.0]) * torch.tensor(3.0)


class TensorDecides(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(2))

    def forward(self, x):
        return x if self.scale.sum() > 1 else x * 2


class ParameterShape(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(2, 3))

    def forward(self, x):
        return x.view(self.scale.shape[0], -1), self.scale.size(1), self.scale.dim(), self.scale.dtype


class ForwardMissing(nn.Module):
    pass


class IteratesParameters(nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = nn.ParameterList([nn.Parameter(torch.ones(2)) for _ in range(2)])
        self.by_name = nn.ParameterDict({"a": nn.Parameter(torch.ones(1))})

    def forward(self, x):
        for each in self.weights:
            x = x * each
        return x + self.by_name["a"], len(self.weights)
