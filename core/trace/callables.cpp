// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/callables.h"

#include "core/ops/catalogue.h"
#include "core/ops/python_functions.h"

#include <algorithm>

namespace fx {
namespace {
constexpr std::string_view kOps = "torch.ops.";

/// torch.fx `_torch_but_not_dynamo`: torch and its modules, apart from torch._dynamo and torch._inductor.
bool isTorchModule(std::string_view module) {
    if (module == "torch") return true;
    return module.starts_with("torch.") && module.find("._dynamo.") == std::string_view::npos &&
           module.find("._inductor.") == std::string_view::npos;
}

std::string beforeLastDot(std::string_view text) {
    const auto dot = text.rfind('.');
    return dot == std::string_view::npos ? std::string() : std::string(text.substr(0, dot));
}
std::string_view afterLastDot(std::string_view text) { return text.substr(text.rfind('.') + 1); }

/// torch.ops.NAMESPACE.NAME[.OVERLOAD]; known or not, the form tells what it is.
Callable operatorCallable(std::string_view dotted) {
    const std::string_view rest = dotted.substr(kOps.size());
    Callable callable;
    callable.qualifiedName = dotted;
    callable.fromTorch = true;
    callable.repr = rest;
    if (rest.starts_with("higher_order.")) {
        callable.kind = Callable::Kind::HigherOrderOp;
        callable.module = "torch.ops.higher_order";
        callable.name = rest.substr(rest.find('.') + 1);
        callable.repr = callable.name;
        return callable;
    }
    const auto dots = std::count(rest.begin(), rest.end(), '.');
    callable.kind = dots >= 2 ? Callable::Kind::OpOverload : Callable::Kind::OpPacket;
    callable.module = "torch._ops." + std::string(rest.substr(0, rest.find('.')));
    callable.name = rest.substr(rest.find('.') + 1);
    return callable;
}

Callable tableCallable(const ops::PythonFunction& function) {
    Callable callable;
    const auto kind = function.kind();
    callable.kind = kind == ops::PythonFunction::Kind::Class      ? Callable::Kind::Class
                    : kind == ops::PythonFunction::Kind::Operator ? Callable::Kind::HigherOrderOp
                                                                  : Callable::Kind::Function;
    callable.module = function.module();
    callable.name = function.name();
    callable.qualifiedName = function.qualifiedName();
    callable.repr = function.repr();
    callable.fromTorch = function.isFromTorch();
    return callable;
}

Callable unknownCallable(std::string_view dotted) {
    Callable callable;
    callable.opaque = true;
    callable.module = beforeLastDot(dotted);
    callable.name = afterLastDot(dotted);
    callable.qualifiedName = dotted;
    callable.fromTorch = isTorchModule(callable.module);
    callable.repr = "<function " + callable.name + " at 0x0>";
    return callable;
}

/// "aten.add.Tensor" as "torch.ops.aten.add.Tensor", when such an operator is registered.
std::string asOperator(std::string_view dotted) {
    const auto dot = dotted.find('.');
    if (dot == std::string_view::npos) return {};
    std::string schema = std::string(dotted.substr(0, dot)) + "::" + std::string(dotted.substr(dot + 1));
    if (schema.ends_with(".default")) schema.resize(schema.size() - 8);
    const bool known = ops::findOperator(schema).has_value() || !ops::overloads(schema).empty();
    return known ? std::string(kOps) + std::string(dotted) : std::string();
}
} // namespace

CallablePtr resolveCallable(std::string_view dotted) {
    if (dotted.starts_with(kOps)) return std::make_shared<const Callable>(operatorCallable(dotted));
    if (const auto function = ops::findFunction(dotted)) return std::make_shared<const Callable>(tableCallable(*function));
    if (dotted.find('.') == std::string_view::npos) {
        if (const auto builtin = ops::findFunction("builtins." + std::string(dotted)))
            return std::make_shared<const Callable>(tableCallable(*builtin));
    }
    if (const std::string op = asOperator(dotted); !op.empty()) return std::make_shared<const Callable>(operatorCallable(op));
    return std::make_shared<const Callable>(unknownCallable(dotted));
}

bool isKnownCallable(std::string_view dotted) {
    if (!dotted.starts_with(kOps)) return !resolveCallable(dotted)->opaque;
    const std::string_view rest = dotted.substr(kOps.size());
    if (rest.starts_with("higher_order.")) return ops::findFunction(dotted).has_value();
    return !asOperator(rest).empty();
}

} // namespace fx
