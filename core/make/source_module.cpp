// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/make/source_module.h"

#include "core/make/body_tracer.h"
#include "core/make/module_builder.h"
#include "core/pysrc/source_error.h"
#include "core/trace/function_source.h"

#include <algorithm>

namespace fx {
namespace {

using namespace trace;

/// The second half: follows `forward` on the modules that were built. Modules of classes of the source, and Sequential,
/// are followed into; others are leaves, as for torch.fx's Tracer.
class ModuleTracer : public BodyTracer {
public:
    ModuleTracer(Tracer& tracer, const py::SourceTree& tree, const BuiltModules& built, Module& root, Settings settings)
        : BodyTracer(tracer, tree, root, std::move(settings)), m_built(built) {}

    void traceRoot(const Module& root) {
        const Value self{ModuleValue{&root}};
        if (const SourceFunction* forward = m_built.method(root, "forward")) return traceMethod(*forward, self);
        throw PythonError("NotImplementedError: Module [" + root.className +
                          "] is missing the required \"forward\" function");
    }

protected:
    Value attributeOf(const Value& object, std::string_view name) override {
        const auto* module = object.as<ModuleValue>();
        if (!module) return BodyTracer::attributeOf(object, name);
        if (const Value* value = m_built.value(*module->module, name)) return *value;
        if (const auto member = m_built.member(*module->module, name, object)) return *member;
        return BodyTracer::attributeOf(object, name);
    }

    Value callValue(const Value& callee, Values args, KeywordValues kwargs) override {
        const auto* module = callee.as<ModuleValue>();
        const bool follows = module && m_tracer.modules().modulePath(module->module);
        if (const SourceFunction* forward = follows ? m_built.method(*module->module, "forward") : nullptr) {
            SourceFunction bound = *forward;
            bound.self = std::make_shared<const Value>(callee);
            return callSource(bound, std::move(args), std::move(kwargs));
        }
        if (follows && isSequential(*module->module)) {
            if (args.size() != 1 || !kwargs.empty())
                throw PythonError("TypeError: Sequential.forward() takes 2 positional arguments");
            Value value = std::move(args[0]);
            for (const Value& child : iterate(callee)) value = callValue(child, {value}, {});
            return value;
        }
        return BodyTracer::callValue(callee, std::move(args), std::move(kwargs));
    }

private:
    bool isSequential(const Module& module) const { return m_built.container(module) == "Sequential"; }

    const BuiltModules& m_built;
};

/// A function of a source that a user wrote; see traceFunctionSource.
GraphModule traceFunctionBody(const py::SourceTree& tree, const std::string& name, const ClassSettings& settings) {
    GraphModule module;
    ModuleIndex index(*module.root);
    Tracer tracer(module.graph, index, Tracer::Mode::AsPython);
    BodyTracer follower(tracer, tree, *module.root, {settings.needsValues, settings.isKnown});
    follower.traceFunction(name);
    if (settings.newModules) *settings.newModules = std::move(follower.newModules);
    module.className = name;
    return module;
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
                            const ClassSettings& settings) {
    if (definition.isClass) return traceClassSource(source, definition.name, settings);
    const auto definitions = definitionsOfSource(source);
    const auto isIt = [&](const SourceDefinition& each) { return !each.isClass && each.name == definition.name; };
    if (std::none_of(definitions.begin(), definitions.end(), isIt)) return traceFunctionSource(source, definition.name);
    return traceFunctionBody(py::SourceTree(source), definition.name, settings);
}

GraphModule traceClassSource(std::string_view source, std::string_view name, const ClassSettings& settings) {
    const py::SourceTree tree(source);
    const auto definitions = definitionsOfSource(source);
    const auto isWanted = [&](const SourceDefinition& each) { return each.isClass && each.name == name; };
    if (std::none_of(definitions.begin(), definitions.end(), isWanted))
        throw Error(ErrorKind::Refused, Message("make.unknown_class", {{"name", name}}));
    GraphModule module;
    std::size_t reached = 0; // where in the source the one that ran last was when it went
    const auto follow = [&reached](const FunctionInterpreter& running) {
        return std::shared_ptr<void>(nullptr, [&](void*) { reached = running.offset(); });
    };
    const auto failed = [&](const Message& what, const std::string& hint = {}) {
        const Error place = py::sourceError(source, reached, what);
        py::SourceError error(ErrorKind::Refused,
                              Message("make.class_failed", {{"name", name}, {"reason", what.text()}}));
        error.offset = reached;
        error.at(place.textPlace).quoting(place.source).hinting(hint);
        return error;
    };
    try {
        BuiltModules built;
        {
            GraphModule unused; // a constructor records nothing
            ModuleIndex index(*unused.root);
            Tracer tracer(unused.graph, index, Tracer::Mode::AsPython);
            ModuleBuilder builder(tracer, tree, built, settings.seed, settings.needsValues);
            const auto place = follow(builder);
            builder.runModuleLevel();
            KeywordValues arguments;
            for (const auto& [key, value] : settings.arguments) arguments.emplace_back(key, fromArgument(value));
            module.root = builder.make(name, std::move(arguments));
        }
        ModuleIndex index(*module.root);
        Tracer tracer(module.graph, index, Tracer::Mode::AsPython);
        ModuleTracer follower(tracer, tree, built, *module.root, {settings.needsValues, settings.isKnown});
        const auto place = follow(follower);
        follower.runModuleLevel();
        follower.traceRoot(*module.root);
        if (settings.newModules) *settings.newModules = std::move(follower.newModules);
    } catch (const Stop& stop) {
        throw failed(stop.message(), stop.message().hint());
    } catch (const Error& error) { // of a module that cannot be made
        throw failed(error.message(), error.hint);
    }
    module.className = std::string(name);
    return module;
}

} // namespace fx
