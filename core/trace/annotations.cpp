// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/make_type.h"
#include "core/trace/evaluator.h"

#include <algorithm>

namespace fx::trace {
namespace {
TypePtr noneType() { return makeType(TypeExpr::Kind::Class, "builtins", "NoneType"); }
} // namespace

TypePtr Evaluator::typeOf(const Value& value) {
    if (const auto* function = value.as<FunctionValue>()) {
        const Callable& callable = *function->callable;
        // typing.List without arguments is an alias of its own kind, as typing.Any is a class.
        const bool alias =
            callable.module == "typing" && callable.repr.starts_with("typing.") && callable.name != "Any";
        if (!callable.opaque && callable.repr.starts_with("<function")) // typing.NamedTuple is a function
            return makeType(TypeExpr::Kind::Text, "", callable.name);
        return makeType(alias ? TypeExpr::Kind::Generic : TypeExpr::Kind::Class, callable.module, callable.name, {},
                        callable.fromTorch);
    }
    const auto* argument = value.as<Argument>();
    if (argument && argument->isNone()) return noneType();
    if (argument && argument->as<EllipsisValue>()) return makeType(TypeExpr::Kind::Text, "", "...");
    if (argument && argument->as<EnumMember>()) // a class of a module that Lancet does not know
        return makeType(TypeExpr::Kind::Class, argument->as<EnumMember>()->type->qualifiedName,
                        argument->as<EnumMember>()->member);
    return makeType(TypeExpr::Kind::Text, "", textOf(value));
}

TypePtr Evaluator::generic(const py::Expr& expr) {
    TypePtr origin = annotation(*expr.items[0]);
    if (!origin) return nullptr;
    std::vector<TypePtr> args;
    const py::Expr& key = *expr.items[1];
    const bool several = key.kind == py::ExprKind::Tuple;
    const auto add = [&](const py::Expr& item) {
        TypePtr arg = annotation(item);
        if (arg && origin->module == "typing") arg = forwardReference(arg);
        args.push_back(arg ? arg : noneType());
    };
    if (several)
        for (const auto* item : key.items) add(*item);
    else add(key);
    if (origin->module == "typing" && origin->name == "Optional") {
        args.push_back(noneType());
        return makeType(TypeExpr::Kind::Generic, "typing", "Union", std::move(args));
    }
    return makeType(TypeExpr::Kind::Generic, origin->module, origin->name, std::move(args), origin->fromTorch);
}

/// The type that an annotation evaluates to; null for `None`, which torch.fx takes for no annotation.
TypePtr Evaluator::annotation(const py::Expr& expr) {
    if (expr.kind == py::ExprKind::Subscript) return generic(expr);
    if (expr.kind == py::ExprKind::Binary && expr.text == "|") {
        std::vector<TypePtr> args;
        for (const auto* item : expr.items) {
            TypePtr arg = annotation(*item);
            if (arg && arg->kind == TypeExpr::Kind::Union) args.insert(args.end(), arg->args.begin(), arg->args.end());
            else args.push_back(arg ? arg : noneType());
        }
        return makeType(TypeExpr::Kind::Union, "", "", std::move(args));
    }
    const Value value = evaluate(expr);
    return value.isNone() ? nullptr : typeOf(value);
}

} // namespace fx::trace
