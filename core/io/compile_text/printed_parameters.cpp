// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/compile_text/printed_parameters.h"

#include "core/io/compile_text/value_annotation.h"

namespace fx {
using py::ExprKind;

std::optional<ValueInfo> annotationOf(const py::Expr* annotation) {
    const bool isText = annotation && annotation->kind == ExprKind::Constant;
    const std::string* text = isText ? annotation->constant->as<std::string>() : nullptr;
    return text ? readAnnotation(*text) : std::nullopt;
}

bool callsTo(const py::Expr* expr, std::string_view name) {
    return expr && expr->kind == ExprKind::Call && expr->items[0]->text == name &&
           (expr->items[0]->kind == ExprKind::Attribute || expr->items[0]->kind == ExprKind::Name);
}

void PrintedParameters::read(const py::Stmt& def, const ValueOf& valueOf) {
    using Kind = py::Parameter::Kind;
    m_self = def.parameters[0].name;
    for (const py::Parameter& parameter : def.parameters.subspan(1)) {
        Input& input = m_inputs.emplace_back();
        input.name = parameter.name;
        input.target = parameter.kind == Kind::VarArgs ? "*" : parameter.kind == Kind::VarKeywords ? "**" : "";
        input.target += input.name;
        if (parameter.defaultValue) input.defaultValue.push_back(valueOf(*parameter.defaultValue));
        input.value = annotationOf(parameter.annotation);
        m_names.push_back(input.target);
    }
}

bool PrintedParameters::take(const py::Stmt& statement, std::string_view source) {
    const py::Expr& target = *statement.targets[0];
    if (!statement.value) { // `x: "f32[2]"` of an input that tree_flatten_spec gives
        const auto value = annotationOf(statement.annotation);
        if (target.kind == ExprKind::Name && value) m_declared.insert_or_assign(std::string(target.text), *value);
        return true;
    }
    if (target.kind == ExprKind::Tuple || target.kind == ExprKind::List) return unpack(statement, source);
    if (target.kind != ExprKind::Name || statement.targets.size() != 1) return false;
    if (statement.value->kind == ExprKind::Name) return rename(target.text, statement.value->text);
    return takeBoxed(statement);
}

/// Exports of torch._dynamo.export have two lines: `x_leaf, = pytree.tree_leaves((x,))`, then
/// `a, = self._in_shuffle_graph(x_leaf)`.
bool PrintedParameters::unpack(const py::Stmt& statement, std::string_view source) {
    const py::Expr& targets = *statement.targets[0];
    if (callsTo(statement.value, "tree_leaves")) {
        m_leaves = targets.items.size();
        return true;
    }
    const bool isPytree = callsTo(statement.value, "tree_flatten_spec");
    if (!isPytree && !callsTo(statement.value, "_in_shuffle_graph")) return false;
    m_inputs.clear();
    for (const py::Expr* target : targets.items) add(target->text);
    if (!isPytree) return true;
    m_pytree = std::make_shared<PytreeForm>();
    m_pytree->isNested = true;
    m_pytree->parameters = m_names;
    m_pytree->binding = source.substr(statement.offset, statement.value->end - statement.offset);
    return true;
}

bool PrintedParameters::takeBoxed(const py::Stmt& statement) {
    if (statement.value->kind != ExprKind::Call || statement.value->items[0]->kind != ExprKind::Name) return false;
    const bool starts = callsTo(statement.value, "iter");
    if (!starts && !callsTo(statement.value, "next")) return false;
    if (starts && !m_boxed) m_inputs.clear();
    m_boxed = true;
    if (!starts) add(statement.targets[0]->text);
    return true;
}

void PrintedParameters::add(std::string_view name) {
    Input& input = m_inputs.emplace_back();
    input.name = input.target = name;
    if (const auto declared = m_declared.find(input.name); declared != m_declared.end()) input.value = declared->second;
}

bool PrintedParameters::rename(std::string_view name, std::string_view parameter) {
    for (; m_renamed < m_inputs.size(); ++m_renamed) {
        if (m_inputs[m_renamed].name != parameter) continue;
        m_inputs[m_renamed++].name = name;
        return true;
    }
    return false;
}

std::vector<PrintedParameters::Input> PrintedParameters::takeInputs() {
    m_renamed = 0;
    return std::exchange(m_inputs, {});
}

} // namespace fx
