// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/calls.h"
#include "core/engine/dispatch.h"

#include <map>

namespace fx::engine {
namespace {

using Attribute = Value (*)(const at::Tensor& tensor);

template<const char* kOperator> Value viewBy(const at::Tensor& tensor) {
    return callOperator(kOperator, {{tensor}, {}});
}
constexpr char kT[] = "aten::numpy_T", kMT[] = "aten::mT", kH[] = "aten::matrix_H", kMH[] = "aten::mH",
               kReal[] = "aten::real", kImag[] = "aten::imag", kDetach[] = "aten::detach";

const std::map<std::string_view, Attribute>& tensorAttributes() {
    static const std::map<std::string_view, Attribute> kTable = {
        {"shape", [](const at::Tensor& t) { return Value::size(t.sizes()); }},
        {"dtype", [](const at::Tensor& t) { return Value(t.scalar_type()); }},
        // Meta tensors stand for the CPU's when shapes are found out.
        {"device",
         [](const at::Tensor& t) { return Value(stackFilter() && t.is_meta() ? at::Device(at::kCPU) : t.device()); }},
        {"layout", [](const at::Tensor& t) { return Value(t.layout()); }},
        {"ndim", [](const at::Tensor& t) { return Value(t.dim()); }},
        {"requires_grad", [](const at::Tensor& t) { return Value(t.requires_grad()); }},
        {"itemsize", [](const at::Tensor& t) { return Value(static_cast<std::int64_t>(t.itemsize())); }},
        {"nbytes", [](const at::Tensor& t) { return Value(static_cast<std::int64_t>(t.nbytes())); }},
        {"is_cuda", [](const at::Tensor& t) { return Value(t.is_cuda()); }},
        {"is_cpu", [](const at::Tensor& t) { return Value(t.is_cpu()); }},
        {"is_meta", [](const at::Tensor& t) { return Value(t.is_meta()); }},
        {"is_sparse", [](const at::Tensor& t) { return Value(t.is_sparse()); }},
        {"is_quantized", [](const at::Tensor& t) { return Value(t.is_quantized()); }},
        {"is_mkldnn", [](const at::Tensor& t) { return Value(t.is_mkldnn()); }},
        {"is_leaf", [](const at::Tensor&) { return Value(true); }},
        {"grad", [](const at::Tensor&) { return Value(); }},
        {"grad_fn", [](const at::Tensor&) { return Value(); }},
        {"T", viewBy<kT>},
        {"mT", viewBy<kMT>},
        {"H", viewBy<kH>},
        {"mH", viewBy<kMH>},
        {"real", viewBy<kReal>},
        {"imag", viewBy<kImag>},
        {"data", viewBy<kDetach>},
    };
    return kTable;
}

Value attributeOfDtype(at::ScalarType type, std::string_view name) {
    if (name == "is_floating_point") return at::isFloatingType(type);
    if (name == "is_complex") return at::isComplexType(type);
    if (name == "is_signed") return at::isSignedType(type);
    if (name == "itemsize") return static_cast<std::int64_t>(at::elementSize(type));
    throw raised("AttributeError: 'torch.dtype' object has no attribute '" + std::string(name) + "'");
}

} // namespace

Value attributeOf(const Value& object, std::string_view name) {
    if (object.isTensor()) {
        if (const auto found = tensorAttributes().find(name); found != tensorAttributes().end())
            return found->second(object.tensor());
        throw raised("AttributeError: 'Tensor' object has no attribute '" + std::string(name) + "' that Lancet knows");
    }
    if (const auto* type = object.as<at::ScalarType>()) return attributeOfDtype(*type, name);
    if (const auto* device = object.as<at::Device>()) {
        if (name == "type") return c10::DeviceTypeName(device->type(), true);
        if (name == "index") return device->has_index() ? Value(std::int64_t{device->index()}) : Value();
    }
    if (const Items* items = object.items())
        for (std::size_t i = 0; i < items->fields.size(); ++i)
            if (items->fields[i] == name) return items->items[i];
    if (const SliceOf* slice = object.slice()) {
        if (name == "start") return slice->start;
        if (name == "stop") return slice->stop;
        if (name == "step") return slice->step;
    }
    if (object.real() && (name == "real" || name == "numerator")) return object;
    throw raised("AttributeError: a " + typeText(object) + " has no attribute '" + std::string(name) + "'");
}

} // namespace fx::engine
