// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/trace_calls.h"

#include "core/base/listed.h"
#include "core/ir/print.h"
#include "core/pysrc/source_error.h"
#include "core/python/execution/missing_names.h"
#include "core/python/python_interpreter.h"
#include "core/python/tracing/call_rules.h"
#include "core/python/tracing/module_tree.h"
#include "core/python/tracing/source_program.h"
#include "core/python/tracing/source_reader.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <filesystem>
#include <unordered_set>

namespace fx {
namespace python {
namespace {

/// A class of PyTorch or of TorchScript, whose modules the engine knows.
bool isOfTorch(const Module& module) {
    return module.classModule.empty() || module.classModule == "torch" || module.classModule.starts_with("torch.") ||
           module.classModule.starts_with("__torch__");
}

/// Traces calls of one model with the interpreter of its source.
class CallTraces {
public:
    /// `live` is the model that the source makes, or unset.
    CallTraces(Interpreter& in, const GraphModule& model, const Value& live) : m_in(in), m_model(model) {
        if (const auto* instance = live.as<Instance>()) m_live = instance->module.get();
        m_in.leafTypes.clear();
        m_in.leafPaths.clear();
        m_in.scopes = nullptr;
        answerOutsideOfTraces();
    }

    TracedCall trace(const std::string& name) {
        TracedCall out{name, nullptr, std::nullopt};
        const Node& node = m_model.graph.node(m_model.graph.find(name));
        try {
            const Callee callee = calleeOf(node);
            out.graph = recorded(node, callee);
            const auto again = recorded(node, callee);
            if (graphText(again->graph) != graphText(out.graph->graph))
                throw trace::CannotFollow(Message("call.keeps_state"));
        } catch (const Raised& raised) {
            out.refusal = failed(messageOf(m_in, raised));
        } catch (const trace::Stop& stop) { out.refusal = failed(stop.message()); } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            out.refusal = failed(error.message());
        }
        if (out.refusal) out.graph = nullptr;
        return out;
    }

private:
    /// A call runs without a trace.
    void answerOutsideOfTraces() {
        Names& tracing = m_in.run(*m_in.ownFile("torch.fx._symbolic_trace")).names;
        for (const char* name : {"is_fx_tracing", "is_fx_symbolic_tracing"})
            tracing.set(name, m_in.native(name, [](Interpreter&, Values&, Keywords&) -> Value { return {false}; }));
    }

    struct Callee {
        Value value;
        std::vector<std::pair<std::string, bool>> parameters; ///< of an operator, and whether they take floats
        std::shared_ptr<Module> root;                         ///< above the called module
    };

    Callee calleeOf(const Node& node) {
        const auto root = emptyModule();
        if (node.op() != Op::CallModule) {
            const Value function = functionOf(*node.callable());
            const bool isOperator = node.callable()->qualifiedName.starts_with("torch.ops.");
            return {function, isOperator ? parametersOf(*node.callable(), function) : Callee().parameters, root};
        }
        const PathTarget target = resolvePath(*m_model.root, node.target());
        const std::string& path = node.target();
        const auto module = copyOf(*target.module, path);
        std::shared_ptr<Module> above = root;
        std::size_t start = 0;
        for (std::size_t dot = path.find('.'); dot != path.npos; dot = path.find('.', start)) {
            above->children.push_back({path.substr(start, dot - start), emptyModule()});
            above = above->children[0].module;
            start = dot + 1;
        }
        above->children.push_back({path.substr(start), module});
        const Value called = m_in.modules().wrapModule(module);
        if (const SourceFile* file = called.get<Instance>().type->file; !file || file->path.empty())
            throw trace::CannotFollow(Message("call.not_found", {{"name", target.module->qualifiedType()}}));
        return {called, {}, root};
    }

    /// A copy of a module that tracing may change. It and those below are objects of the classes in the source.
    std::shared_ptr<Module> copyOf(const Module& called, const std::string& path) {
        std::unordered_map<const Module*, std::shared_ptr<Module>> copies;
        std::vector<std::pair<std::string, const Module*>> order;
        forEachModule(called, [&](const std::string& below, const Module& module) {
            copies.emplace(&module, std::make_shared<Module>(module));
            order.emplace_back(path + (below.empty() ? "" : ".") + below, &module);
        });
        for (const auto& [each, copy] : copies)
            for (Module::Child& child : copy->children)
                if (child.module) child.module = copies.at(child.module.get());
        for (const auto& [place, module] : order) takeClass(copies.at(module), place);
        return copies.at(&called);
    }

    /// Makes the object of a module: its class, and what a plain module lacks, of the model that the source makes.
    void takeClass(const std::shared_ptr<Module>& module, const std::string& path) {
        auto& object = m_in.modules().wrapModule(module).get<Instance>();
        for (const auto& [name, value] : module->attributes) // containers are one object at each read
            if (const auto* plain = std::get_if<Argument>(&value);
                plain && (plain->as<Sequence>() || plain->as<fx::Dict>()))
                object.attributes.set(name, m_in.fromTrace(trace::fromArgument(*plain)));
        const PathTarget same = m_live ? resolvePath(*m_live, path) : PathTarget();
        const Instance* live = same.module ? m_in.modules().instanceOf(same.module) : nullptr;
        if (isOfTorch(*module) || module->graphModule) {
            for (const char* hooks : {"_forward_hooks", "_forward_pre_hooks"})
                if (const Value* found = live ? live->attributes.find(hooks) : nullptr)
                    object.attributes.set(hooks, *found);
            return;
        }
        if (module->attribute("_forward_pre_hooks"))
            throw trace::CannotFollow(Message("call.hook", {{"type", module->className}}));
        const Value found = named(module->classModule, module->className);
        auto* type = found.as<Class>();
        if (!type || !type->isModule) return;
        if (type->lostDecorator) throw trace::CannotFollow(*type->lostDecorator);
        object.type = type;
        if (live && live->type != type && live->type->name == type->name &&
            (!live->type->file || live->type->file == type->file)) // which a later class of the same name hides
            throw trace::CannotFollow(Message("call.same_name", {{"name", module->qualifiedType()}}));
        const Value* restores = type->find("__setstate__");
        if (const auto* function = restores ? restores->as<Function>() : nullptr;
            !live && function && function->file && !function->file->path.empty())
            throw trace::CannotFollow(
                Message("call.attribute", {{"name", "__setstate__"}})); // of a file that is loaded
        if (!live || live->type != type) return;
        for (const auto& [name, value] : live->attributes.items())
            if (!module->attribute(name)) object.attributes.set(name, value);
    }

    /// A class or a function of a Python module; unset if it is not found. What a script defined for itself is in
    /// "__main__": then it is that of the only file of the folders that defines it.
    Value named(const std::string& space, std::string_view path) {
        if (space != "__main__") return member(space, path);
        const std::string name(path.substr(0, path.find('.')));
        std::vector<std::string> files = filesWith({"class " + name, "def " + name});
        std::erase_if(files, [&](const std::string& file) { return !member(file, path).isSet(); });
        if (files.size() > 1)
            throw trace::CannotFollow(Message("call.several_sources", {{"name", path}, {"files", listed(files, 5)}}));
        return files.empty() ? Value() : member(files[0], path);
    }

    /// The modules in the folders, not below them, with one of these texts.
    const std::vector<std::string>& filesWith(const std::vector<std::string>& texts) {
        if (const auto known = m_filesWith.find(texts[0]); known != m_filesWith.end()) return known->second;
        std::vector<std::string> out;
        for (const std::string& folder : m_in.imports().sources().folders()) {
            std::error_code failed;
            for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
                const std::string name = entry.path().stem().string();
                const auto found =
                    entry.path().extension() == ".py" ? m_in.imports().sources().find(name) : std::nullopt;
                if (!found || found->path != entry.path().string()) continue;
                trace::charge(found->text.size() / 256);
                if (std::ranges::any_of(texts, [&](const auto& text) { return found->text.find(text) != text.npos; }))
                    out.push_back(name);
            }
        }
        std::ranges::sort(out);
        out.erase(std::unique(out.begin(), out.end()), out.end());
        return m_filesWith.emplace(texts[0], std::move(out)).first->second;
    }

    Value member(const std::string& space, std::string_view path) {
        const Value imported = m_in.importModule(space, false);
        auto* file = imported.as<SourceFile>();
        if (!file) return {};
        const Value* found = m_in.run(*file).names.find(path.substr(0, path.find('.')));
        Value value = found ? m_in.forced(*found) : Value();
        while (value.as<Class>() && path.find('.') != path.npos) {
            path.remove_prefix(path.find('.') + 1);
            const Value* member = value.as<Class>()->find(path.substr(0, path.find('.')));
            value = member ? *member : Value();
        }
        return value;
    }

    Value functionOf(const Callable& callable) {
        Value found;
        if (callable.kind == Callable::Kind::OpOverload || callable.kind == Callable::Kind::OpPacket)
            found = operatorOf(callable.qualifiedName);
        else found = named(callable.module, callable.name);
        if (!found.isSet() || found.as<Opaque>())
            throw trace::CannotFollow(Message("call.not_found", {{"name", callable.qualifiedName}}));
        const auto* method = found.as<Method>();
        const Value plain = method ? method->function : found;
        auto* function = plain.as<Function>();
        const bool isText = found.as<Native>() || (function && function->file && function->file->path.empty());
        if (callable.kind == Callable::Kind::Function && isText) // which the source only imports from Python's library
            throw trace::CannotFollow(Message("call.not_found", {{"name", callable.qualifiedName}}));
        if (function && !method) {
            requireOnlyOne(*function, callable);
            function->wrapped = false; // of torch.fx.wrap: it is followed now
        }
        return found;
    }

    /// Throws if another function of the program has the same name, as `functools.wraps` gives it: a node tells only
    /// the name.
    void requireOnlyOne(const Function& found, const Callable& callable) {
        if (callable.kind != Callable::Kind::Function) return;
        for (const auto& [module, file] : m_in.imports().files()) {
            if (file->path.empty() || !file->globals) continue;
            for (const auto& [name, value] : file->globals->names.items())
                if (const auto* other = value.as<Function>(); other && other != &found && other->file &&
                                                              other->name == callable.name &&
                                                              other->file->name == callable.module)
                    throw trace::CannotFollow(Message("call.same_name", {{"name", callable.qualifiedName}}));
        }
    }

    static std::string keyOf(std::string_view name) {
        name.remove_prefix(std::min(name.size(), std::string_view("torch.ops.").size()));
        const std::size_t space = name.find('.');
        std::string key = std::string(name.substr(0, space)) + "::" + std::string(name.substr(space + 1));
        if (key.ends_with(".default")) key.resize(key.size() - 8);
        return key;
    }

    /// The parameters of an operator by its schema, or by the annotations from which PyTorch infers one.
    std::vector<std::pair<std::string, bool>> parametersOf(const Callable& callable, const Value& implementation) {
        std::vector<std::pair<std::string, bool>> out;
        const Value* all = m_in.run(*m_in.ownFile("torch.library")).names.find("_schemas");
        auto* schemas = all ? all->as<Dict>() : nullptr;
        const Value* text = schemas ? schemas->find(m_in.text(keyOf(callable.qualifiedName))) : nullptr;
        const auto* function = implementation.as<Function>();
        if (!text && function)
            for (const py::Parameter& each : function->parameters)
                out.emplace_back(each.name,
                                 each.annotation && isFloat(Imports::sourceOf(*each.annotation, *function->file)));
        const auto* schema = text ? text->as<Str>() : nullptr;
        if (!schema) return out;
        std::string_view rest = schema->text;
        rest.remove_prefix(std::min(rest.size(), rest.find('(') + 1));
        rest = rest.substr(0, std::min(rest.rfind("->"), rest.size()));
        rest = rest.substr(0, std::min(rest.rfind(')'), rest.size()));
        for (const std::string_view part : ops::split(rest, ",")) {
            std::string_view each = part.substr(0, part.find('='));
            while (each.starts_with(' ')) each.remove_prefix(1);
            while (each.ends_with(' ')) each.remove_suffix(1);
            const std::size_t space = each.rfind(' ');
            if (space != each.npos) out.emplace_back(each.substr(space + 1), isFloat(each.substr(0, space)));
        }
        return out;
    }
    static bool isFloat(std::string_view type) {
        return type == "float" || type == "float?" || type == "Optional[float]" || type == "float | None" ||
               type == "typing.Optional[float]";
    }

    /// PyTorch's dispatcher gives floats to parameters of floats.
    static void convert(const Callee& callee, Values& args, Keywords& kwargs) {
        const auto convertOne = [](Value& value) {
            if (value.isInt()) value = Value(static_cast<double>(value.asInt()));
        };
        for (std::size_t i = 0; i < callee.parameters.size(); ++i) {
            const auto& [name, isFloat] = callee.parameters[i];
            if (!isFloat) continue;
            if (i < args.size()) convertOne(args[i]);
            if (Value* named = keyword(kwargs, name)) convertOne(*named);
        }
    }

    /// What the source has registered for "torch.ops.space.name.overload".
    Value operatorOf(std::string_view name) {
        const std::string key = keyOf(name);
        name.remove_prefix(std::min(name.size(), std::string_view("torch.ops.").size()));
        const std::size_t space = name.find('.');
        SourceFile* library = m_in.ownFile("torch.library");
        const Value* all = library ? m_in.run(*library).names.find("_implementations") : nullptr;
        auto* known = all ? all->as<Dict>() : nullptr; // a program may assign another value
        if (!known) return {};
        if (const Value* found = known->find(m_in.text(key))) return *found;
        const std::string quoted(name.substr(0, space)); // a file does not say which source registers its operators
        for (const std::string& file : filesWith({key, '"' + quoted + '"', '\'' + quoted + '\''}))
            if (auto* source = m_in.importModule(file, false).as<SourceFile>()) m_in.run(*source);
        const Value* found = known->find(m_in.text(key));
        return found ? *found : Value();
    }

    std::shared_ptr<GraphModule> recorded(const Node& node, const Callee& callee) {
        const auto made = std::make_shared<GraphModule>();
        made->format = Format::Python;
        made->root = std::make_shared<Module>(*callee.root); // which gets the constants of this trace
        trace::Tracer& tracer = recording(made->graph, *made->root);
        tracer.setLenient(true); // reads of buffers stay reads, which later calls need
        m_in.recordWith(tracer, true);
        m_in.stack().forgetFailure();
        std::unordered_map<NodeId, trace::Value> inputs;
        for (const NodeId input : node.inputs())
            inputs.emplace(input, tracer.placeholder(m_model.graph.node(input).name(), std::nullopt, nullptr));
        Values args;
        Keywords kwargs;
        for (const Argument& arg : node.args()) args.push_back(m_in.fromTrace(valueOf(arg, inputs)));
        for (const auto& [name, arg] : node.kwargs()) kwargs.emplace_back(name, m_in.fromTrace(valueOf(arg, inputs)));
        convert(callee, args, kwargs);
        for (const auto& [module, file] : m_in.imports().files()) // hooks of all modules, which Lancet does not keep
            if (!file->path.empty() && file->text.find("register_module_forward_") != file->text.npos)
                throw trace::CannotFollow(Message("call.hook", {{"type", "torch.nn.Module"}}));
        CallRules rules(m_in, m_others);
        const Followed followed(m_in, tracer, rules);
        const Value result = m_in.call(callee.value, std::move(args), std::move(kwargs));
        m_in.iteration().checkGenerators();
        tracer.output(m_in.toTrace(result), nullptr);
        rules.requireKeptUnread();
        CallRules::requireOwnTensors(*made, node.op() == Op::CallModule ? node.target() : "");
        return made;
    }

    /// The code of a call, while it runs.
    struct Followed {
        Followed(Interpreter& in, trace::Tracer& tracer, CallRules& rules) : interpreter(in) {
            tracer.recordsConstants = tracer.runsBodies = true;
            in.callRules = &rules;
        }
        ~Followed() { interpreter.callRules = nullptr; }
        Followed(const Followed&) = delete;
        Followed& operator=(const Followed&) = delete;
        Interpreter& interpreter;
    };

    trace::Value valueOf(const Argument& argument, const std::unordered_map<NodeId, trace::Value>& inputs) const {
        const trace::Deeper deeper;
        if (const auto* node = argument.as<NodeId>()) return inputs.at(*node);
        const auto all = [&](const std::vector<Argument>& items) {
            trace::Values out;
            for (const Argument& item : items) out.push_back(valueOf(item, inputs));
            return out;
        };
        if (const auto* sequence = argument.as<Sequence>(); sequence && sequence->kind != Sequence::Kind::NamedTuple)
            return sequence->kind == Sequence::Kind::List ? trace::listOf(all(sequence->items))
                                                          : trace::tupleOf(all(sequence->items));
        if (const auto* dict = argument.as<fx::Dict>()) {
            trace::ValueDict out;
            for (const auto& [key, value] : dict->items)
                out.items.emplace_back(trace::fromArgument(key), valueOf(value, inputs));
            return trace::box(std::move(out));
        }
        if (const auto* slice = argument.as<fx::Slice>())
            return trace::box(trace::ValueSlice{valueOf(slice->start, inputs), valueOf(slice->stop, inputs),
                                                valueOf(slice->step, inputs)});
        return trace::fromArgument(argument);
    }

    /// A tracer that lives as long as the values that it made.
    trace::Tracer& recording(Graph& graph, Module& root) {
        auto& index = m_indices.emplace_back(std::make_unique<trace::ModuleIndex>(root));
        return *m_tracers.emplace_back(std::make_unique<trace::Tracer>(graph, *index, trace::Tracer::Mode::AsPython));
    }

    Error failed(const Message& why) {
        std::vector<Place> places = m_in.stack().failedIn;
        m_in.stack().forgetFailure();
        std::erase_if(places, [](const Place& place) { return !place.file || place.file->path.empty(); });
        Error error(ErrorKind::Refused, why);
        if (places.empty()) return error;
        const Place& last = places.back();
        const Error place = py::sourceError(last.file->text, last.offset, why);
        return error.in(last.file->path).at(place.where).quoting(place.source);
    }

    Interpreter& m_in;
    const GraphModule& m_model;
    const Module* m_live = nullptr;
    std::unordered_map<std::string, std::vector<std::string>> m_filesWith; ///< by the first text: each reads all files
    CallRules::OtherCalls m_others;
    std::vector<std::unique_ptr<trace::ModuleIndex>> m_indices;
    std::vector<std::unique_ptr<trace::Tracer>> m_tracers;
};

} // namespace
} // namespace python

std::vector<NodeId> ownCalls(const GraphModule& model) {
    std::vector<NodeId> out;
    PathResolver paths(*model.root);
    for (const Node& node : model.graph.nodes()) {
        if (node.op() == Op::CallFunction) {
            const Callable& callable = *node.callable();
            const bool isOperator =
                callable.kind == Callable::Kind::OpOverload || callable.kind == Callable::Kind::OpPacket;
            if (isOperator ? !isKnownCallable(callable.qualifiedName)
                           : callable.opaque && callable.kind == Callable::Kind::Function)
                out.push_back(node.id());
        } else if (node.op() == Op::CallModule) {
            const Module* module = paths.resolve(node.target()).module;
            if (module && !module->graphModule && !python::isOfTorch(*module) && module->className != "GuardsFn")
                out.push_back(node.id());
        }
    }
    return out;
}

std::vector<TracedCall> traceCalls(const std::string& file, const std::string& text, const GraphModule& model,
                                   const std::vector<std::string>& nodes, const SourceOptions& options,
                                   const Progress& progress) {
    if (options.reader) return options.reader->traceCalls(file, text, model, nodes, options, progress);
    std::vector<TracedCall> out;
    SourceOptions with = options;
    const auto traceAll = [&](python::Interpreter& in, const python::Value& live) {
        out.clear();
        python::CallTraces traces(in, model, live);
        for (const std::string& node : nodes) {
            progress.check();
            out.push_back(traces.trace(node));
            const bool lacks = out.back().graph && python::lacksConstants(*out.back().graph->root);
            if (lacks && with.weights != NewWeights::Drawn) throw python::ValuesNeeded();
        }
    };
    with.weights = NewWeights::ShapesOnly;
    try {
        python::withProgram(file, text, with, progress, traceAll);
    } catch (const python::ValuesNeeded&) { // of constants, or the constructor decides by those of weights
        with.weights = NewWeights::Drawn;
        python::withProgram(file, text, with, progress, traceAll);
    }
    return out;
}

} // namespace fx
