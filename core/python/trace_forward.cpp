// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/trace_forward.h"

#include "core/trace/callables.h"

#include <algorithm>

namespace fx::python {
namespace {

using Kind = py::Parameter::Kind;

std::string inputName(const py::Parameter& parameter) {
    const char* stars = parameter.kind == Kind::VarArgs ? "*" : parameter.kind == Kind::VarKeywords ? "**" : "";
    return stars + std::string(parameter.name);
}

/// An annotation as `ast.unparse` writes it, which is what `from __future__ import annotations` makes of it.
std::string annotationText(std::string_view source) {
    std::string out;
    char quote = 0;
    for (const char each : source) {
        if (quote) {
            quote = each == quote ? '\0' : quote;
            out += each == '"' ? '\'' : each;
            continue;
        }
        const char last = out.empty() ? '[' : out.back();
        const bool opens = last == '[' || last == '(' || last == ' ';
        if (each == '\'' || each == '"') {
            quote = each;
            out += '\'';
        } else if (each == ' ' || each == '\n' || each == '\t' || each == '\r' || each == '\\') {
            if (!opens) out += ' ';
        } else {
            if ((each == ']' || each == ')' || each == ',') && last == ' ') out.pop_back();
            if (each == ']' && out.ends_with(',')) out.pop_back();
            if (last == ',') out += ' ';
            if (each == '|' && last != ' ') out += ' ';
            if (last == '|') out += ' ';
            out += each;
        }
    }
    return out.ends_with(' ') ? out.substr(0, out.size() - 1) : out;
}

class ForwardTrace {
public:
    ForwardTrace(Interpreter& in, const Value& program, const Kwargs& concrete)
        : m_in(in), m_tracer(in.tracer()), m_concrete(concrete) {
        auto* instance = program.as<Instance>();
        if (instance) m_self = program;
        Value* member = instance ? instance->type->find("forward") : nullptr;
        m_function = instance ? (member ? member->as<Function>() : nullptr) : program.as<Function>();
        if (!m_function)
            throw trace::PythonError("NotImplementedError: Module [" + (instance ? instance->type->name : "") +
                                     "] is missing the required \"forward\" function");
        m_shown = m_function;
        while (m_shown->shown) m_shown = m_shown->shown;
    }

    void run() {
        m_in.standAt(m_shown->file, headOffset());
        const Keywords bindings = inputs();
        const TypePtr result = resultType();
        Value out;
        if (m_shown == m_function) {
            out = m_in.callBound(*m_function, bindings);
        } else if (isPatched()) {
            out = m_in.callBound(*m_function, patched(bindings));
        } else {
            Values args;
            for (const auto& [name, value] : bindings) args.push_back(value);
            out = m_in.call(m_function, std::move(args));
        }
        m_in.checkGenerators();
        m_in.standAt(m_in.leftAt.file, m_in.leftAt.offset);
        m_tracer.output(m_in.toTrace(out), result);
        m_in.takeNotes();
    }

private:
    std::size_t headOffset() const {
        return m_shown->lambda ? m_shown->lambda->offset : (*m_shown->file->tree)[m_shown->head].offset;
    }

    /// Whether torch.fx rewrites the code object: `forward` has `*args` or keywords alone.
    bool isPatched() const {
        const auto parameters = m_shown->parameters;
        return std::any_of(parameters.begin(), parameters.end(),
                           [](const auto& each) { return each.kind != Kind::Normal; });
    }

    /// torch.fx `_patch_function` makes the first names of a wrapper's code object its positional parameters, as many
    /// as what it wraps has inputs: `*args` gets one input, locals get others. With too few names Python refuses.
    Keywords patched(const Keywords& inputs) const {
        std::vector<std::string_view> names;
        for (const Kind kind : {Kind::Normal, Kind::KeywordOnly, Kind::VarArgs, Kind::VarKeywords})
            for (const auto& parameter : m_function->parameters)
                if (parameter.kind == kind) names.push_back(parameter.name);
        const auto add = [&](const py::Expr& target) {
            if (target.kind == py::ExprKind::Name && std::find(names.begin(), names.end(), target.text) == names.end())
                names.push_back(target.text);
        };
        const py::SourceTree& tree = *m_function->file->tree;
        const std::size_t end = m_function->lambda ? 0 : m_function->file->ends[m_function->head];
        for (std::size_t at = m_function->head + 1; at < end; ++at)
            for (const auto* target : tree[at].targets) {
                if (!target) continue;
                add(*target);
                for (const auto* part : target->items)
                    if (part && target->kind == py::ExprKind::Tuple) add(*part);
            }
        if (names.size() < inputs.size()) throw trace::PythonError("ValueError: code: co_varnames is too small");
        Keywords out;
        for (std::size_t i = 0; i < inputs.size(); ++i) out.emplace_back(names[i], inputs[i].second);
        return out;
    }

    /// torch.fx `create_args_for_root`.
    Keywords inputs() {
        const auto parameters = m_shown->parameters;
        const bool hasSelf = m_self.isSet();
        if (hasSelf && parameters.empty())
            throw trace::PythonError("RuntimeError: ``self`` argument cannot be part of *args expansion!");
        Keywords bindings;
        if (hasSelf) bindings.emplace_back(parameters[0].name, m_self);
        for (const Kind kind : {Kind::Normal, Kind::KeywordOnly, Kind::VarArgs, Kind::VarKeywords})
            for (std::size_t i = hasSelf ? 1 : 0; i < parameters.size(); ++i)
                if (parameters[i].kind == kind)
                    bindings.emplace_back(parameters[i].name, input(parameters[i], m_shown->defaults[i]));
        return bindings;
    }

    Value input(const py::Parameter& parameter, const Value& otherwise) {
        const std::string target = inputName(parameter);
        std::optional<trace::Value> value;
        if (otherwise.isSet()) value = m_in.toTrace(otherwise);
        const auto concrete = std::find_if(m_concrete.begin(), m_concrete.end(),
                                           [&](const auto& each) { return each.first == parameter.name; });
        if (concrete != m_concrete.end()) return fixedInput(target, value, concrete->second);
        const bool starred = target.starts_with('*');
        TypePtr type = parameter.annotation && !starred ? typeOf(*parameter.annotation) : nullptr;
        return m_in.fromTrace(m_tracer.placeholder(target, value, std::move(type)));
    }

    Value fixedInput(const std::string& target, const std::optional<trace::Value>& otherwise, const Argument& value) {
        const trace::Value out = m_tracer.placeholder(target + "_1", otherwise, nullptr);
        const trace::Value given = trace::fromArgument(value);
        const Value fixed = m_in.fromTrace(given);
        const std::string text =
            target + " has been specialized to have value " + m_in.str(fixed) + " but got another value";
        if (fixed.isNone()) {
            m_tracer.recordFunction(resolveCallable("torch.fx._symbolic_trace._assert_is_none"),
                                    {out, {Argument(text)}}, {});
        } else {
            const trace::Value same = m_tracer.binary("eq", out, given);
            m_tracer.recordFunction(resolveCallable("torch._assert"), {same, {Argument(text)}}, {});
        }
        return fixed;
    }

    /// The annotation of the result; torch.fx loses it where it patches the code object for `*args`.
    TypePtr resultType() {
        if (m_shown->lambda || isPatched()) return nullptr;
        const auto* annotation = (*m_shown->file->tree)[m_shown->head].annotation;
        return annotation ? typeOf(*annotation) : nullptr;
    }

    TypePtr typeOf(const py::Expr& annotation) {
        if (m_shown->file->hasTextAnnotations)
            return m_in.textAnnotation(annotationText(m_in.sourceOf(annotation, *m_shown->file)));
        return m_in.annotationType(annotation, *m_shown->closure);
    }

    Interpreter& m_in;
    trace::Tracer& m_tracer;
    const Kwargs& m_concrete;
    Value m_self;
    Function *m_function = nullptr, *m_shown = nullptr;
};

} // namespace

void traceForward(Interpreter& in, const Value& program, const Kwargs& concrete) {
    ForwardTrace(in, program, concrete).run();
}

} // namespace fx::python
