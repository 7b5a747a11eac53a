// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/trace_forward.h"

#include "core/trace/callables.h"

#include <algorithm>
#include <set>

namespace fx::python {
namespace {

using Kind = py::Parameter::Kind;

std::string inputName(const py::Parameter& parameter) {
    const char* stars = parameter.kind == Kind::VarArgs ? "*" : parameter.kind == Kind::VarKeywords ? "**" : "";
    return stars + std::string(parameter.name);
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
        } else {
            checkPatch(bindings.size());
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

    /// torch.fx `_patch_function` gives a wrapper the number of inputs of what it wraps, if that has `*args` or
    /// keywords alone; a wrapper with fewer names of its own is refused by Python.
    void checkPatch(std::size_t inputs) const {
        const auto parameters = m_shown->parameters;
        const bool patched = std::any_of(parameters.begin(), parameters.end(),
                                         [](const auto& each) { return each.kind != Kind::Normal; });
        if (!patched || m_function->lambda) return;
        std::set<std::string_view> names;
        for (const auto& parameter : m_function->parameters) names.insert(parameter.name);
        const py::SourceTree& tree = *m_function->file->tree;
        for (std::size_t at = m_function->head + 1; at < m_function->file->ends[m_function->head]; ++at)
            for (const auto* target : tree[at].targets)
                if (target && target->kind == py::ExprKind::Name) names.insert(target->text);
        if (names.size() < inputs) throw trace::PythonError("ValueError: code: co_varnames is too small");
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
        TypePtr type =
            parameter.annotation && !starred ? m_in.annotationType(*parameter.annotation, *m_shown->closure) : nullptr;
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
        const auto parameters = m_shown->parameters;
        const bool patched = std::any_of(parameters.begin(), parameters.end(),
                                         [](const auto& each) { return each.kind != Kind::Normal; });
        if (m_shown->lambda || patched) return nullptr;
        const auto* annotation = (*m_shown->file->tree)[m_shown->head].annotation;
        return annotation ? m_in.annotationType(*annotation, *m_shown->closure) : nullptr;
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
