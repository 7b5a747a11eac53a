// SPDX-License-Identifier: GPL-3.0-or-later
// What a trace follows: the class or function of the file, the arguments of its constructor and its fixed inputs.
#include "core/base/listed.h"
#include "core/python/execution/missing_names.h"
#include "core/python/tracing/file_trace.h"

namespace fx::python {

void FileTrace::wrapFunctions() {
    std::vector<Function*> wrapped;
    for (const std::string& name : m_options.wrapped) {
        py::Parser parser(name, py::Grammar::Full);
        m_in.calls().autowrap(m_in.expressions().evaluate(*parser.expression(), *m_file->globals), wrapped);
    }
}

Value FileTrace::find() {
    Names& names = m_in.run(*m_file).names;
    if (m_options.name.find('(') != std::string::npos) return evaluated();
    if (!m_options.name.empty()) {
        m_name = m_options.name;
        Value* found = names.find(m_name);
        const Value value = found ? m_in.forced(*found) : Value();
        if (const auto* lost = value.as<Opaque>()) throw trace::CannotFollow(unknownImport(*lost));
        if (value.as<Class>() && value.get<Class>().isModule) return value;
        if (value.as<Function>()) return value;
        if (const auto* instance = value.as<Instance>(); instance && instance->module) {
            m_name = instance->type->name;
            return value;
        }
        throw trace::CannotFollow(Message("trace.undefined"));
    }
    const std::vector<std::string> wanted = candidates();
    if (wanted.size() == 1 || (m_typed && !wanted.empty())) {
        m_name = wanted.back();
        return *names.find(m_name);
    }
    throw Error(ErrorKind::Refused, wanted.empty()
                                        ? Message("trace.no_candidate")
                                        : Message("trace.several_candidates", {{"names", listed(wanted, 10)}}))
        .in(m_sources.main().path);
}

std::vector<std::string> FileTrace::candidates() {
    std::vector<std::string> classes, functions;
    for (const auto& [name, value] : m_in.run(*m_file).names.items()) {
        const auto* type = value.as<Class>();
        if (type && type->isModule && type->file == m_file) classes.push_back(name);
        if (const auto* function = value.as<Function>(); function && function->file == m_file)
            functions.push_back(name);
    }
    return classes.empty() ? functions : classes;
}

Value FileTrace::evaluated() {
    m_name = m_options.name.substr(0, m_options.name.find('('));
    m_call = std::make_unique<py::Parser>(m_options.name, py::Grammar::Full);
    const Value made = m_in.expressions().evaluate(*m_call->expression(), *m_file->globals);
    const auto* instance = made.as<Instance>();
    if (const auto* opaque = made.as<Opaque>()) throw trace::CannotFollow(unknownImport(*opaque));
    if (!instance || !instance->module)
        throw trace::CannotFollow(Message("make.not_a_module", {{"name", m_options.name}}));
    m_name = instance->type->name;
    return made;
}

Value FileTrace::concrete() {
    auto* all = m_in.heap().make<python::Dict>();
    for (const auto& [name, value] : m_options.concrete)
        all->set(m_in.text(name), m_in.fromTrace(trace::fromArgument(value)));
    if (m_options.concreteText.empty()) return all;
    m_concreteText = "dict(" + m_options.concreteText + ")";
    m_concrete = std::make_unique<py::Parser>(m_concreteText, py::Grammar::Full);
    Scope* scope = m_in.heap().make<Scope>();
    scope->parent = m_file->globals;
    scope->file = m_file;
    const Value tracing = m_in.resolve("torch.fx._symbolic_trace");
    for (const char* name : {"PH", "PHWithMeta"}) scope->names.set(name, m_in.attribute(tracing, name));
    for (const char* name : {"torch.device", "torch.fx", "math.inf", "math.nan", "torch"}) {
        const std::string dotted = name, word = dotted.substr(dotted.rfind('.') + 1);
        if (!m_file->globals->names.find(word)) scope->names.set(word, m_in.resolve(dotted));
    }
    const Value made = m_in.expressions().evaluate(*m_concrete->expression(), *scope);
    made.get<python::Dict>().forEach([&](const Value& key, const Value& value) { all->set(key, value); });
    return all;
}

Value FileTrace::construct(const Value& type) {
    Values args;
    Keywords kwargs;
    for (const Argument& arg : m_options.args) args.push_back(m_in.fromTrace(trace::fromArgument(arg)));
    for (const auto& [key, value] : m_options.kwargs)
        kwargs.emplace_back(key, m_in.fromTrace(trace::fromArgument(value)));
    return m_in.call(type, std::move(args), std::move(kwargs));
}

} // namespace fx::python
