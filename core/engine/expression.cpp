// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/expression.h"

#include "core/base/visible_text.h"
#include "core/engine/calls.h"
#include "core/module/module.h"
#include "core/ops/python_operators.h"
#include "core/pysrc/parser.h"

#include <cmath>

// The texts are made by core/trace and core/io from code that they have evaluated: calls, methods, literals, names of
// torch, and what the code reads of its model.
namespace fx::engine {
namespace {

/// Of names of Python's modules; empty of what is reached through `self` or a value.
std::string dottedName(const py::Expr& expr) {
    if (expr.kind == py::ExprKind::Name) return expr.text == "self" ? std::string() : std::string(expr.text);
    if (expr.kind != py::ExprKind::Attribute) return {};
    const std::string head = dottedName(*expr.items[0]);
    return head.empty() ? head : head + "." + std::string(expr.text);
}

std::string_view operatorName(std::string_view sign) {
    const std::string_view name = ops::binaryOperator(sign);
    if (name.empty()) throw runError(Message("engine.expression_operator", {{"operator", sign}}));
    return name;
}

/// `device(type='cuda', index=0)`, `torch.device('cpu')`
Value deviceOf(const Arguments& arguments) {
    const Value* type = arguments.at(0, "type");
    if (type && type->as<at::Device>()) return *type;
    const std::string* text = type ? type->text() : nullptr;
    if (!text) throw runError(Message("engine.device_type"));
    if (*text != "cpu" && !text->starts_with("cpu:"))
        throw runError(Message("engine.constant_device", {{"device", *text}}));
    return at::Device(at::kCPU);
}

/// "add_" of `torch.ops.aten.add_.Tensor`, `torch.Tensor.add_` and `x.add_`; `operator.iadd`.
bool changesItsFirst(std::string_view name) {
    for (const std::string_view module : {"operator.", "_operator."})
        if (name.starts_with(module)) {
            name.remove_prefix(module.size());
            return name == "iconcat" || !ops::inPlaceOperatorFormat(name).empty();
        }
    if (name.starts_with("torch.ops.")) {
        const std::size_t space = name.find('.', 10),
                          overload = space == name.npos ? name.npos : name.find('.', space + 1);
        name = name.substr(0, overload);
    }
    name = name.substr(name.rfind('.') + 1);
    return name.ends_with('_') && !name.ends_with("__") && name != "and_" && name != "or_" && name != "not_";
}

class Evaluation {
public:
    explicit Evaluation(const ExpressionScope& scope) : m_scope(scope) {}

    /// The depth of an expression is bounded by the parser.
    Value evaluate(const py::Expr& expr) {
        switch (expr.kind) {
        case py::ExprKind::Constant: return toValue(*expr.constant, [](NodeId) { return Value(); });
        case py::ExprKind::Name:
        case py::ExprKind::Attribute: return named(expr);
        case py::ExprKind::Call: return call(expr);
        case py::ExprKind::Tuple: return Value::tuple(all(expr.items));
        case py::ExprKind::List: return Value::list(all(expr.items));
        case py::ExprKind::Slice: {
            Values parts = all(expr.items);
            parts.resize(3);
            return std::make_shared<const SliceOf>(SliceOf{parts[0], parts[1], parts[2]});
        }
        case py::ExprKind::Subscript: return subscriptOf(evaluate(*expr.items[0]), evaluate(*expr.items[1]));
        case py::ExprKind::Unary: return unaryOf(ops::unaryOperator(expr.text), evaluate(*expr.items[0]));
        case py::ExprKind::Binary:
            return binaryOf(operatorName(expr.text), evaluate(*expr.items[0]), evaluate(*expr.items[1]));
        default: throw runError(Message("engine.expression"));
        }
    }

private:
    Values all(std::span<const py::Expr* const> items) {
        Values out;
        for (const py::Expr* item : items) out.push_back(item ? evaluate(*item) : Value());
        return out;
    }

    Value named(const py::Expr& expr) {
        const std::string name = dottedName(expr);
        if (name == "inf" || name == "nan") return name == "inf" ? HUGE_VAL : std::nan("");
        if (!name.empty()) return literalOf(name);
        if (expr.kind == py::ExprKind::Attribute) return attribute(evaluate(*expr.items[0]), expr.text);
        if (!m_scope.self) throw runError(Message("engine.expression_without_model"));
        return m_scope.self;
    }

    Value attribute(const Value& object, std::string_view name) {
        if (!object.module()) return attributeOf(object, name);
        const PathTarget target = resolvePath(*object.module(), name);
        if (target.kind == PathTarget::Kind::Module) return std::shared_ptr<const Module>(target.shared);
        if (target.kind == PathTarget::Kind::Attribute) return toValue(*target.value, [](NodeId) { return Value(); });
        if (target.kind == PathTarget::Kind::Missing)
            throw runError(Message("engine.expression_name", {{"name", name}}));
        if (!target.tensor) return {};
        Value value = m_scope.tensor(target.tensor);
        m_read.push_back(value.tensor());
        return value;
    }

    Value call(const py::Expr& expr) {
        Arguments arguments;
        const py::Expr& callee = *expr.items[0];
        const std::string name = dottedName(callee);
        const bool method = name.empty();
        if (method && callee.kind != py::ExprKind::Attribute) throw runError(Message("engine.expression_call"));
        if (method) arguments.positional.push_back(evaluate(*callee.items[0]));
        for (const py::CallArgument& argument : expr.arguments) {
            if (argument.name.empty()) arguments.positional.push_back(evaluate(*argument.value));
            else arguments.named.emplace_back(argument.name, evaluate(*argument.value));
        }
        if (name == "device" || name == "torch.device") return deviceOf(arguments);
        if (name == "getattr" && arguments.positional.size() == 2 && arguments.positional[1].text())
            return attribute(arguments.positional[0], *arguments.positional[1].text());
        if (changesItsFirst(method ? callee.text : std::string_view(name)))
            refuseChange(arguments.positional.empty() ? arguments.find("self") : &arguments.positional.front());
        refuseChange(arguments.find("out"));
        return method ? callMethod(callee.text, std::move(arguments)) : callFunction(name, std::move(arguments));
    }

    /// The model would have other values from then on, and its graph be another in PyTorch.
    void refuseChange(const Value* written) const {
        if (written && written->items())
            for (const Value& item : written->items()->items) refuseChange(&item);
        if (!written || !written->isTensor() || !written->tensor().has_storage()) return;
        for (const at::Tensor& read : m_read)
            if (read.has_storage() && read.is_alias_of(written->tensor()))
                throw runError(Message("engine.expression_writes"));
    }

    const ExpressionScope& m_scope;
    std::vector<at::Tensor> m_read; ///< of the model
};

} // namespace

Value evaluateExpression(std::string_view source) { return evaluateExpression(source, {}); }

Value evaluateExpression(std::string_view source, const ExpressionScope& scope) {
    py::Parser parser(source);
    try {
        return Evaluation(scope).evaluate(*parser.expression());
    } catch (fx::Error& error) {
        if (error.source.empty()) error.source = visibleExcerpt(source);
        throw;
    } catch (const std::exception& caught) {
        fx::Error error = runError(torchFailure(caught));
        error.source = visibleExcerpt(source);
        throw error;
    }
}

} // namespace fx::engine
