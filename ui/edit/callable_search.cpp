// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/callable_search.h"

#include "core/ops/call_check.h"
#include "core/ops/catalogue.h"
#include "core/ops/nn_modules.h"
#include "core/ops/python_functions.h"
#include "ui/widgets/core_text.h"

#include <algorithm>
#include <array>

namespace ui {

namespace {

/// The names by which users call it: `torch.conv2d` and `torch.nn.functional.conv2d`; of `torch._C._nn.gelu` only the
/// latter. Empty for what is private or cannot be called on traced values.
std::vector<std::string> publicPaths(const fx::ops::PythonFunction& function) {
    using Kind = fx::ops::PythonFunction::Kind;
    std::vector<std::string> paths;
    if (function.kind() != Kind::CFunction && function.kind() != Kind::Function && function.kind() != Kind::Method)
        return paths;
    const std::string path(function.path()), functional = "torch.nn.functional." + std::string(function.name());
    const bool known = path.starts_with("torch.") || path.starts_with("operator.") || path.starts_with("_operator.") ||
                       path.starts_with("math.") || path.starts_with("builtins.");
    if (known && path.find("._") == path.npos)
        paths.push_back(path.starts_with("_operator.") ? path.substr(1) : path); // as everybody imports it
    if (const auto same = fx::ops::findFunction(functional);
        same && same->path() == path && path != functional && !function.name().starts_with('_'))
        paths.push_back(functional);
    return paths;
}

/// What people look for first: modules, functions of torch.nn and torch, methods; quantised twins last.
int familyOf(const QString& target) {
    constexpr std::array<std::string_view, 4> kFirst = {"torch.nn.", "torch.Tensor.", "torch.", "operator."};
    if (target.startsWith(QStringLiteral("torch.ao.")) || target.startsWith(QStringLiteral("torch.ops."))) return 9;
    for (std::size_t i = 0; i < kFirst.size(); ++i)
        if (target.startsWith(fromCore(kFirst[i]))) return static_cast<int>(i);
    return 8;
}

/// Operators that nobody inserts by hand, unless they are asked for by that word.
bool isInternal(const fx::ops::Operator& op, const QString& query) {
    const QString name = fromCore(op.qualifiedName());
    for (const char* word : {"_backward", "mkldnn_", "cudnn_", "miopen_", "quantized"})
        if (name.contains(QLatin1String(word)) && !query.contains(QLatin1String(word), Qt::CaseInsensitive))
            return true;
    return (op.overload().ends_with("out") && !query.contains(QLatin1String("out"), Qt::CaseInsensitive)) ||
           op.isScriptOnly();
}

QString signatureOf(const std::vector<fx::ops::Parameter>& parameters) {
    QStringList parts;
    for (const auto& parameter : parameters)
        parts << fromCore(parameter.name) +
                     (parameter.defaultValue.empty() ? QString() : u'=' + fromCore(parameter.defaultValue));
    return parts.isEmpty() ? QString() : u'(' + parts.join(QStringLiteral(", ")) + u')';
}

struct Ranked {
    int rank, family;
    qsizetype length; ///< short paths first
    CallableChoice choice;
    std::size_t preference = 0; ///< the place among the preferred ones, or behind them
};

/// 0: the last name is the text; 1: it starts with it; 2: all words occur. -1: no.
int rankOf(const QString& target, const QStringList& words, const QString& whole) {
    for (const QString& word : words)
        if (!target.contains(word, Qt::CaseInsensitive)) return -1;
    const QString last = target.mid(target.lastIndexOf(u'.') + 1);
    if (last.compare(whole, Qt::CaseInsensitive) == 0 || target.compare(whole, Qt::CaseInsensitive) == 0) return 0;
    return last.startsWith(whole, Qt::CaseInsensitive) ? 1 : 2;
}

std::vector<fx::ops::Operator> operatorsBehind(fx::Op op, const QString& target) {
    const std::string name = target.toStdString();
    if (name.starts_with("torch.ops.")) {
        const auto found = fx::ops::findOperator(name);
        return found ? std::vector{*found} : std::vector<fx::ops::Operator>();
    }
    auto all = fx::ops::overloads("aten::" + (op == fx::Op::CallMethod ? name : name.substr(name.rfind('.') + 1)));
    std::erase_if(all, [](const auto& each) {
        return each.isScriptOnly() || each.overload().ends_with("out") ||
               each.overload().find("Dimname") != std::string_view::npos ||
               each.overload().find("dimname") != std::string_view::npos;
    });
    return all;
}

std::vector<ParameterRow> rowsOf(const fx::ops::Operator& op) {
    std::vector<ParameterRow> rows;
    for (const auto argument : op.arguments()) {
        ParameterRow row{fromCore(argument.name()), fromCore(argument.type()), fromCore(argument.defaultValue()),
                         !argument.hasDefault(),    argument.isKeywordOnly(),  argument.type().starts_with("Tensor")};
        rows.push_back(row);
    }
    return rows;
}

} // namespace

CallableChoice describedChoice(fx::Op op, const QString& target) {
    if (op == fx::Op::CallModule) {
        const auto module = fx::ops::findModule(target.toStdString());
        return {op, target, module ? signatureOf(module->parameters()) : QString()};
    }
    if (target.startsWith(QStringLiteral("torch.ops."))) {
        const auto found = fx::ops::findOperator(target.toStdString());
        return {op, target, found ? fromCore(found->schema()) : QString()};
    }
    const bool method = op == fx::Op::CallMethod;
    const auto function = fx::ops::findFunction((method ? "torch.Tensor." : "") + target.toStdString());
    if (!function) return {op, target, {}};
    const auto paths = method ? std::vector<std::string>() : publicPaths(*function);
    return {op, paths.empty() ? target : fromCore(paths.front()), signatureOf(function->parameters())};
}

std::optional<CallableChoice> nearestCallable(const QString& query, bool modulesOnly) {
    const std::string name = query.trimmed().toStdString();
    const bool dotted = name.find('.') != std::string::npos;
    std::vector<std::string> tried;
    if (dotted) tried = {name};
    else tried = {"torch." + name, "torch.nn." + name};
    if (modulesOnly) tried = {dotted ? name : "torch.nn." + name};
    for (const std::string& each : tried) {
        const std::string near = fx::ops::nearestFunction(each);
        if (near.empty()) continue;
        const bool module = fx::ops::findModule(near).has_value();
        if (modulesOnly && !module) continue;
        return describedChoice(module ? fx::Op::CallModule : fx::Op::CallFunction, fromCore(near));
    }
    const std::string method = modulesOnly ? std::string() : fx::ops::nearestMethod(name.substr(name.rfind('.') + 1));
    if (method.empty()) return std::nullopt;
    return describedChoice(fx::Op::CallMethod, fromCore(method));
}

std::vector<CallableChoice> searchCallables(const QString& query, bool modulesOnly, std::size_t limit,
                                            const std::vector<CallableChoice>& preferred) {
    const QStringList words = query.simplified().split(u' ', Qt::SkipEmptyParts);
    const QString whole = query.trimmed();
    std::vector<Ranked> found;
    const auto consider = [&](fx::Op op, const QString& target, const QString& shown, auto signature) {
        const int rank = rankOf(shown, words, whole);
        if (rank >= 0) found.push_back({rank, familyOf(shown), shown.size(), {op, target, signature()}, 0});
    };
    for (std::uint32_t i = 0; i < fx::ops::moduleCount(); ++i) {
        const auto module = fx::ops::moduleAt(i);
        if (!module.publicPath().starts_with("torch.nn.") || module.name().starts_with("_")) continue;
        consider(fx::Op::CallModule, fromCore(module.publicPath()), fromCore(module.publicPath()),
                 [&] { return signatureOf(module.parameters()); });
    }
    if (!modulesOnly) {
        for (std::uint32_t i = 0; i < fx::ops::functionCount(); ++i) {
            const auto function = fx::ops::functionAt(i);
            const bool method = function.path().starts_with("torch.Tensor.");
            for (const std::string& path : publicPaths(function))
                consider(method ? fx::Op::CallMethod : fx::Op::CallFunction,
                         method ? fromCore(function.name()) : fromCore(path), fromCore(path),
                         [&] { return signatureOf(function.parameters()); });
        }
        for (const auto& op : fx::ops::searchOperators(query.toStdString(), limit))
            if (!isInternal(op, query))
                found.push_back({3,
                                 9,
                                 0,
                                 {fx::Op::CallFunction, QStringLiteral("torch.ops.") + fromCore(op.qualifiedName()),
                                  fromCore(op.schema())},
                                 0});
    }
    for (Ranked& each : found)
        each.preference = static_cast<std::size_t>(
            std::find_if(preferred.begin(), preferred.end(),
                         [&](const CallableChoice& choice) { return isSameCall(choice, each.choice); }) -
            preferred.begin());
    const auto before = [](const Ranked& a, const Ranked& b) {
        return std::tuple(a.rank, a.preference, a.family, a.length) <
               std::tuple(b.rank, b.preference, b.family, b.length);
    };
    if (words.isEmpty())
        std::sort(found.begin(), found.end(), [](const Ranked& a, const Ranked& b) {
            return a.choice.target.compare(b.choice.target, Qt::CaseInsensitive) < 0;
        });
    else std::stable_sort(found.begin(), found.end(), before);
    std::vector<CallableChoice> choices;
    for (std::size_t i = 0; i < std::min(limit, found.size()); ++i) choices.push_back(std::move(found[i].choice));
    return choices;
}

QStringList overloadsOf(fx::Op op, const QString& target) {
    QStringList names;
    if (op == fx::Op::CallModule) return names;
    if (op == fx::Op::CallFunction)
        if (const auto function = fx::ops::findFunction(target.toStdString());
            function && !function->parameters().empty())
            return names;
    for (const auto& each : operatorsBehind(op, target)) names << fromCore(each.schema());
    return names;
}

std::vector<ParameterRow> parametersOf(fx::Op op, const QString& target, int overload) {
    std::vector<ParameterRow> rows;
    const auto take = [&](const std::vector<fx::ops::Parameter>& parameters) {
        using Kind = fx::ops::Parameter::Kind;
        for (const auto& parameter : parameters)
            if (parameter.kind != Kind::VarPositional && parameter.kind != Kind::VarKeyword)
                rows.push_back({fromCore(parameter.name),
                                {},
                                fromCore(parameter.defaultValue),
                                parameter.defaultValue.empty(),
                                parameter.kind == Kind::KeywordOnly,
                                false});
    };
    if (op == fx::Op::CallModule) {
        const auto module = fx::ops::findModule(target.toStdString());
        if (!module) return rows;
        take(module->parameters());
        const auto annotations = module->annotations();
        for (std::size_t i = 0; i < std::min(rows.size(), annotations.size()); ++i)
            rows[i].type = fromCore(annotations[i]);
        std::erase_if(rows, [](const ParameterRow& row) {
            return row.name == QLatin1String("device") || row.name == QLatin1String("dtype");
        });
        return rows;
    }
    if (const auto function = op == fx::Op::CallFunction ? fx::ops::findFunction(target.toStdString()) : std::nullopt;
        function && !function->parameters().empty()) {
        take(function->parameters());
        return rows;
    }
    const auto operators = operatorsBehind(op, target);
    if (operators.empty()) return rows;
    return rowsOf(operators[static_cast<std::size_t>(std::clamp(overload, 0, static_cast<int>(operators.size()) - 1))]);
}

} // namespace ui
