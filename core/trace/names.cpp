// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/callables.h"
#include "core/trace/function_calls.h"

#include <limits>

namespace fx::trace {
namespace {
Value constantOf(const ops::PythonFunction& entry, const std::string& path) {
    using Kind = ops::PythonFunction::ConstantKind;
    const auto torchConstant = [&](TorchConstant::Kind kind) {
        return Value{Argument(TorchConstant{kind, std::string(entry.repr())})};
    };
    switch (entry.constantKind()) {
    case Kind::Dtype: return torchConstant(TorchConstant::Kind::Dtype);
    case Kind::Layout: return torchConstant(TorchConstant::Kind::Layout);
    case Kind::MemoryFormat: return torchConstant(TorchConstant::Kind::MemoryFormat);
    case Kind::QScheme: return torchConstant(TorchConstant::Kind::QScheme);
    case Kind::Bool: return {Argument(entry.repr() == "True")};
    case Kind::NoneType: return none();
    case Kind::Ellipsis: return {Argument(EllipsisValue{})};
    case Kind::Number:
        if (entry.repr() == "inf") return {Argument(std::numeric_limits<double>::infinity())};
        if (entry.repr() == "nan") return {Argument(std::numeric_limits<double>::quiet_NaN())};
        return literal(entry.repr());
    case Kind::Text: return literal(entry.repr());
    case Kind::None: break;
    }
    return {Argument(OpaqueObject{path, std::string(entry.repr()), {}})};
}

Value functionNamed(const std::string& path, std::optional<ops::PythonFunction> known) {
    return box(FunctionValue{path, resolveCallable(path), known, false});
}
} // namespace

Value resolveName(const std::string& path) {
    if (path == "torch.ops" || path == "torch.ops.higher_order") return box(NamespaceValue{path});
    if (path.starts_with("torch.ops.")) {
        // torch.ops.aten is a namespace, torch.ops.aten.add an operator with overloads below it.
        if (path.find('.', 10) == std::string::npos) return box(NamespaceValue{path});
        return functionNamed(path, std::nullopt);
    }
    const auto entry = ops::findFunction(path);
    if (!entry) return functionNamed(path, std::nullopt);
    if (entry->kind() == ops::PythonFunction::Kind::Module) return box(NamespaceValue{path});
    if (entry->kind() == ops::PythonFunction::Kind::Constant) return constantOf(*entry, path);
    return functionNamed(path, entry);
}

} // namespace fx::trace
