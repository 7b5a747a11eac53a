// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/trace_definition.h"

#include "core/base/listed.h"
#include "core/pysrc/source_tree.h"
#include "core/python/execution/missing_names.h"
#include "core/python/tracing/body_rules.h"
#include "core/python/tracing/module_tree.h"
#include "core/python/tracing/source_reader.h"
#include "core/python/tracing/trace_forward.h"

#include <algorithm>

namespace fx {

using namespace python;

namespace {

/// Names that a source has without an import.
constexpr std::pair<const char*, const char*> kUsualImports[] = {
    {"torch", "torch"}, {"nn", "torch.nn"}, {"F", "torch.nn.functional"}, {"operator", "operator"}, {"math", "math"}};

/// Traces of definitions: the source runs, a class is constructed, the body is followed.
class DefinitionTrace {
public:
    DefinitionTrace(std::string_view source, const DefinitionSettings& settings)
        : m_settings(settings), m_sources{std::string(source)},
          m_random(settings.seed, NewWeights::Drawn, settings.progress), m_in(m_sources, m_random, settings.progress) {}

    /// Traces one of them. A source runs once; a class must be the first that is traced.
    GraphModule run(const SourceDefinition& definition) {
        const trace::Spending spending(m_in.allowance());
        m_definition = definition;
        m_rules.emplace(m_settings.known, m_settings.needsValues);
        m_in.rules = &*m_rules;
        m_made = {};
        try {
            const Value target = defined();
            follow(definition.isClass ? construct(target) : target);
        } catch (const Raised& raised) {
            const Message why = messageOf(m_in, raised);
            throw failed(why, why.hint());
        } catch (const trace::Stop& stop) {
            throw failed(stop.message(), stop.message().hint());
        } catch (Error& error) { // of a module that cannot be made
            if (error.kind() != ErrorKind::Refused && error.kind() != ErrorKind::Run) throw error.in({});
            throw failed(error.message(), error.hint);
        }
        m_made.className = definition.name;
        if (m_settings.newModules) *m_settings.newModules = std::move(m_rules->newModules);
        return std::move(m_made);
    }

private:
    Value defined() {
        if (!m_file) runSource();
        m_in.stack().standAt(m_file, definitionOffset());
        const Value* found = m_file->globals->names.find(m_definition.name);
        const Value value = found ? m_in.forced(*found) : Value();
        if (const auto* lost = value.as<Opaque>()) throw trace::CannotFollow(unknownImport(*lost));
        const auto* type = value.as<Class>();
        if (m_definition.isClass && !(type && type->isModule))
            throw trace::CannotFollow(Message("make.not_a_module", {{"name", m_definition.name}}));
        if (!m_definition.isClass && !value.as<Function>()) throw trace::CannotFollow(Message("trace.not_a_function"));
        return value;
    }

    void runSource() {
        record(m_unused, false);
        m_file = m_in.importModule(m_sources.main().name, true).as<SourceFile>();
        for (const auto& [name, module] : kUsualImports)
            m_file->globals->names.set(name, m_in.importModule(module, true));
        m_in.run(*m_file);
    }

    Value construct(const Value& type) {
        Keywords arguments;
        for (const auto& [key, value] : m_settings.arguments)
            arguments.emplace_back(key, m_in.fromTrace(trace::fromArgument(value)));
        m_in.needsValues = m_settings.needsValues;
        const Value self = m_in.call(type, {}, std::move(arguments));
        m_made.root = self.get<Instance>().module;
        if (isEndless(*m_made.root)) m_in.raise("RecursionError", "maximum recursion depth exceeded");
        return self;
    }

    void follow(const Value& program) {
        m_in.modules().syncModules();
        m_in.metaDevice().dropValues(*m_made.root);
        record(m_made, true);
        m_in.stack().forgetFailure();
        PytreeForm form;
        traceForward(m_in, program, {}, form);
        m_rules->check(*m_tracer);
        m_in.metaDevice().dropValues(*m_made.root); // what the body made there
    }

    void record(GraphModule& into, bool traces) {
        m_tracer.reset();
        m_index.emplace(*into.root);
        m_tracer.emplace(into.graph, *m_index, trace::Tracer::Mode::AsPython);
        m_in.recordWith(*m_tracer, traces);
        m_in.moduleRandom = traces || !m_definition.isClass ? &m_shapes : &m_random;
    }

    std::size_t definitionOffset() const {
        const py::SourceTree& tree = *m_file->tree;
        for (std::size_t at = 0; at < tree.size(); at = tree.bodyEnd(at))
            if (tree[at].text == m_definition.name || py::definedFunction(tree[at]) == m_definition.name)
                return tree[at].offset;
        return 0;
    }

    /// At the innermost place in the source, since Lancet's own modules are not the user's.
    Error failed(const Message& why, const std::string& hint) const {
        std::size_t offset = m_in.stack().here.file == m_file ? m_in.stack().here.offset : 0;
        for (const Place& place : m_in.stack().failedIn)
            if (place.file == m_file) offset = place.offset;
        const Error place = py::sourceError(m_file->text, offset, why);
        Error error(ErrorKind::Refused, Message(m_definition.isClass ? MessageCode("make.class_failed")
                                                                     : MessageCode("trace.function_failed"),
                                                {{"name", m_definition.name}, {"reason", why.text()}}));
        error.at(place.textPlace).quoting(place.source).hinting(hint);
        return error;
    }

    const DefinitionSettings& m_settings;
    SourceDefinition m_definition;
    Sources m_sources;
    TorchGenerator m_random, m_shapes{0, NewWeights::ShapesOnly}; ///< of the program; of modules that a body creates
    GraphModule m_made, m_unused;                                 ///< a source records nothing until it is traced
    std::optional<trace::ModuleIndex> m_index;
    std::optional<trace::Tracer> m_tracer;
    std::optional<BodyRules> m_rules;
    Interpreter m_in;
    SourceFile* m_file = nullptr;
};

std::vector<std::string> namesOf(const std::vector<SourceDefinition>& definitions, bool classes) {
    std::vector<std::string> names;
    for (const SourceDefinition& each : definitions)
        if (each.isClass == classes) names.push_back(each.name);
    return names;
}

GraphModule traced(std::string_view source, const SourceDefinition& definition, const DefinitionSettings& settings) {
    const auto names = namesOf(definitionsOfSource(source), definition.isClass);
    const std::string& name = definition.name;
    if (!definition.isClass && names.empty()) throw Error(ErrorKind::Refused, Message("trace.no_function"));
    if (std::find(names.begin(), names.end(), name) == names.end())
        throw Error(ErrorKind::Refused,
                    definition.isClass
                        ? Message("make.unknown_class", {{"name", name}})
                        : Message("trace.unknown_function", {{"name", name}, {"known", listed(names, names.size())}}));
    return DefinitionTrace(source, settings).run(definition);
}

} // namespace

std::vector<SourceDefinition> definitionsOfSource(std::string_view source) {
    const py::SourceTree tree(source);
    std::vector<SourceDefinition> found;
    for (std::size_t at = 0; at < tree.size(); at = tree.bodyEnd(at)) {
        if (tree[at].indent != 0) continue;
        if (tree[at].kind == py::StmtKind::Class) found.push_back({std::string(tree[at].text), true});
        else if (const auto name = py::definedFunction(tree[at]); !name.empty())
            found.push_back({std::string(name), false});
    }
    return found;
}

SourceDefinition mainDefinition(std::string_view source, std::string_view preferred) {
    const auto found = definitionsOfSource(source);
    if (found.empty()) throw Error(ErrorKind::Refused, Message("make.no_definition", {{"name", preferred}}));
    if (found.size() == 1) return found[0];
    std::string names;
    for (const SourceDefinition& each : found) {
        if (each.name == preferred) return each;
        names += (names.empty() ? "" : ", ") + each.name;
    }
    throw Error(ErrorKind::Refused, Message("make.several_definitions", {{"names", names}, {"name", preferred}}));
}

GraphModule traceDefinition(std::string_view source, const SourceDefinition& definition,
                            const DefinitionSettings& settings) {
    if (settings.reader) return settings.reader->traceDefinition(source, definition, settings);
    return traced(source, definition, settings);
}

std::vector<GraphModule> traceFunctions(std::string_view source) {
    const DefinitionSettings settings;
    DefinitionTrace trace(source, settings);
    std::vector<GraphModule> out;
    for (const std::string& name : namesOf(definitionsOfSource(source), false)) out.push_back(trace.run({name, false}));
    return out;
}

GraphModule traceFunctionSource(std::string_view source, std::string_view name) {
    const auto names = namesOf(definitionsOfSource(source), false);
    if (name.empty() && names.size() > 1)
        throw Error(ErrorKind::Refused, Message("trace.several_functions", {{"names", listed(names, names.size())}}));
    DefinitionSettings settings;
    settings.needsValues = false;
    return traced(source, {name.empty() && !names.empty() ? names[0] : std::string(name), false}, settings);
}

} // namespace fx
