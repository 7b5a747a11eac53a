// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/trace_file.h"

#include "core/base/listed.h"
#include "core/base/python_text.h"
#include "core/files/read_text.h"
#include "core/ir/print.h"
#include "core/pysrc/parser.h"
#include "core/pysrc/source_error.h"
#include "core/python/execution/missing_names.h"
#include "core/python/python_interpreter.h"
#include "core/python/tracing/fx_classes.h"
#include "core/python/tracing/held_tensors.h"
#include "core/python/tracing/module_hooks.h"
#include "core/python/tracing/module_tree.h"
#include "core/python/tracing/source_program.h"
#include "core/python/tracing/source_reader.h"
#include "core/python/tracing/source_scopes.h"
#include "core/python/tracing/source_trace.h"
#include "core/python/tracing/source_types.h"
#include "core/python/tracing/taken_over.h"
#include "core/python/tracing/trace_forward.h"
#include "core/python/tracing/trace_remedy.h"

#include <algorithm>
#include <filesystem>
#include <unordered_set>

namespace fx {

using namespace python;

std::optional<SourcePath> splitSourcePath(const std::string& model) {
    const auto at = model.rfind(".py");
    if (at == std::string::npos || (at + 3 != model.size() && model[at + 3] != ':')) return std::nullopt;
    return SourcePath{model.substr(0, at + 3), at + 3 < model.size() ? model.substr(at + 4) : std::string()};
}

namespace {

/// Whether a trace stopped for want of the values of tensors: at what code does to them in place, and at what it
/// decides or computes by them.
bool needsValues(const Message& why) {
    static constexpr std::string_view kCodes[] = {
        "trace.writes_at_load",  "trace.writes_several_at_load", "trace.writes_view_at_load",
        "trace.changed_at_load", "trace.unknown_size_after",     "trace.unknown_truth",
        "trace.unknown_items",   "trace.unknown_number",         "trace.unknown_text",
        "trace.unknown_value",   "trace.unknown_argument",       "trace.nameless_operand"};
    return std::any_of(std::begin(kCodes), std::end(kCodes), [&](std::string_view code) { return why.is(code); });
}

/// torch.fx writes targets as attributes and names of arguments as they are: keywords make its code invalid. So does an
/// input after one with a default, as keyword-only parameters may be.
void requireWritable(const Graph& graph, bool hasNestedInputs) {
    const auto check = [](std::string_view names) {
        for (const std::string_view name : ops::split(names, "."))
            if (isPythonKeyword(name)) throw trace::PythonError(Message("trace.keyword_in_code", {{"name", name}}));
    };
    bool hasDefault = false; // of the input before
    for (const Node& node : graph.nodes()) {
        if (node.op() == Op::CallModule || node.op() == Op::GetAttr || node.op() == Op::CallMethod)
            check(node.target());
        for (const auto& [name, value] : node.kwargs()) check(name);
        if (node.op() != Op::Placeholder || hasNestedInputs || node.target().starts_with('*')) continue;
        if (hasDefault && node.args().empty())
            throw trace::PythonError(Message("trace.default_in_code", {{"name", node.target()}}));
        hasDefault = !node.args().empty();
    }
}

/// Returns true if the graph has constants that the file computed, and that were no part of the model then.
bool lacksConstants(const Module& root) {
    bool lacks = false;
    forEachOwnTensor(root, [&](const std::string&, const TensorPtr& tensor) {
        lacks |= tensor->storage->isExpression() &&
                 tensor->storage->expressionSource().find(kComputedLater) != std::string::npos;
    });
    return lacks;
}

/// One trace: the file runs, the class is constructed, its forward is followed.
class FileTrace {
public:
    FileTrace(const std::string& file, std::string text, const SourceOptions& options, const Progress& progress)
        : m_options(options), m_sources(file, std::move(text), options.paths),
          m_random(options.seed, options.weights, progress), m_in(m_sources, m_random, progress) {}

    std::shared_ptr<GraphModule> run() {
        const auto made = std::make_shared<GraphModule>();
        try {
            run(made);
        } catch (const Error& error) {
            if (!m_options.partial || !m_isConstructed || error.kind() != ErrorKind::Refused) throw;
            made->warnings.push_back(
                {Message("trace.partial", {{"reason", m_why.text()}}), {}, error.modulePath, error.where});
        }
        return made;
    }

    /// Whether values of weights were asked for that have none.
    bool missedValues() const { return m_in.missedValues && !trace::isSpent(m_why); }
    /// Whether what was traced writes to tensors. Only a machine follows that as Python does, and it costs a run.
    bool mustCompute() const {
        return m_options.machine && (m_in.writesTensors || m_lacksConstants) && !m_computes && !trace::isSpent(m_why);
    }
    /// Computes with all tensors while it traces, too: constants of the graph have values then.
    FileTrace& computing() {
        m_computes = true;
        return *this;
    }

    /// Constructs the model, if that succeeds, and traces nothing.
    void construct(const std::function<void(Interpreter&, const Value&)>& use) {
        const trace::Spending spending(m_in.allowance());
        GraphModule unused;
        trace::ModuleIndex noModules(*unused.root);
        trace::Tracer constructing(unused.graph, noModules, trace::Tracer::Mode::AsPython);
        Value model;
        try {
            start(constructing);
            model = find();
            if (model.as<Class>()) model = construct(model);
        } catch (const Raised&) {
        } catch (const trace::Stop&) {
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled || error.kind() == ErrorKind::File) throw;
        }
        m_in.machine = nullptr;
        use(m_in, model.as<Instance>() ? model : Value());
    }

    /// Runs on in spite of errors.
    SourceTrace typed() {
        SourceTrace out;
        std::vector<py::SourceError> errors;
        m_in.syntaxErrors = &errors;
        m_typed = &out;
        const auto made = std::make_shared<GraphModule>();
        std::optional<Error> stopped;
        try {
            run(made);
            out.isComplete = true;
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            stopped = error;
        }
        const std::string& path = m_sources.main().path;
        for (py::SourceError& error : errors) {
            error.in(path);
            out.faults.push_back({error, path, error.offset, error.offset});
        }
        if (stopped && !(m_why.is("python.invalid_statement") && !errors.empty()))
            out.faults.push_back(
                {*stopped, m_failedAt.file ? m_failedAt.file->path : path, m_failedAt.offset, m_failedAt.offset});
        if (m_isConstructed) out.module = made;
        if (m_isConstructed && m_unloaded) out.faults.push_back({*m_unloaded, m_options.weightsFiles.front(), 0, 0});
        out.name = m_name;
        return out;
    }

private:
    void run(const std::shared_ptr<GraphModule>& made) {
        const trace::Spending spending(m_in.allowance());
        GraphModule unused; // a constructor records nothing
        trace::ModuleIndex noModules(*unused.root);
        trace::Tracer constructing(unused.graph, noModules, trace::Tracer::Mode::AsPython);
        try {
            start(constructing);
            if (m_typed) m_typed->candidates = candidates();
            const Value target = find();
            if (m_typed) describe(m_in, target, *m_typed);
            if (!takeTraced(target, *made)) record(target, *made);
            made->warnings.insert(made->warnings.end(), m_in.warnings.begin(), m_in.warnings.end());
        } catch (const Raised& raised) { throw failed(messageOf(m_in, raised)); } catch (const trace::Stop& stop) {
            m_in.writesTensors |= m_isConstructed && needsValues(stop.message());
            throw failed(stop.message(), dynamic_cast<const trace::CannotFollow*>(&stop) != nullptr);
        } catch (const Error& error) { // of a module that cannot be made, or of a syntax that is not followed
            const bool isSyntax = error.message().is("python.unsupported_except_star");
            if (m_isLoading || (!isSyntax && error.kind() != ErrorKind::Refused && error.kind() != ErrorKind::Run))
                throw;
            const bool isOfName =
                error.message().is("trace.no_candidate") || error.message().is("trace.several_candidates");
            Error refusal = failed(error.message(), !isOfName);
            if (isSyntax)
                refusal.in(error.file).at(error.where).quoting(error.source), refusal.textPlace = error.textPlace;
            const Message remedy("trace.outside_scope"); // those of modules and operators are for other places
            if (!isOfName) refusal.hint = remedy.hint(), refusal.commandLineHint = remedy.commandLineHint();
            throw refusal;
        }
    }

    /// Runs the file. A constructor records nothing.
    void start(trace::Tracer& constructing) {
        constructing.setOnlyComputes();
        m_in.recordWith(constructing, false);
        if (m_options.machine) m_machine = m_options.machine(m_options.weights == NewWeights::Drawn);
        useMachine();
        constructing.setConstantWatch(m_in.machine);
        m_in.leafTypes = m_options.leafs;
        m_in.leafPaths = m_options.leafPaths;
        m_in.followedTypes = m_options.followed;
        if (m_options.fx) m_fx = m_options.fx(m_in);
        const Value main = m_in.importModule(m_sources.main().name, true);
        m_file = main.as<SourceFile>();
        m_in.run(*m_file);
        if (m_in.stoppedAt && !m_typed) stop();
        m_hasRun = true;
    }

    /// Python cannot import a file that raises.
    [[noreturn]] void stop() {
        m_in.stack().failedIn = {m_in.stoppedAt->second};
        throw trace::PythonError(m_in.stoppedAt->first);
    }

    /// A GraphModule that the file made itself.
    bool takeTraced(const Value& target, GraphModule& made) {
        const auto own = m_fx ? m_fx->modelOf(target) : nullptr;
        if (!own) return false;
        finishModules(*own->root);
        made = std::move(*own);
        made.format = Format::Python;
        made.path = m_sources.main().path;
        m_isConstructed = true;
        if (m_typed) addTypes(m_in, *made.root, m_typed->types);
        return true;
    }

    void finishModules(const Module& root) {
        m_in.modules().syncModules();
        if (m_machine && m_options.weights == NewWeights::Drawn) m_machine->finish(root, heldTensors(m_in));
        m_in.machine = nullptr;
        m_in.metaDevice().dropValues(root);
    }

    /// Constructs a class, and traces what came of it or a function.
    void record(const Value& target, GraphModule& made) {
        Value self = target.as<Instance>() ? target : Value();
        if (target.as<Class>()) self = construct(target);
        if (self.isSet() && isEndless(*self.get<Instance>().module))
            m_in.raise("RecursionError", "maximum recursion depth exceeded");
        if (self.isSet() && m_options.eval) m_in.call(m_in.attribute(self, "eval"), {});
        if (self.isSet() && m_options.swapsFloatFunctionals) m_in.modules().swapFloatFunctionals(*self.as<Instance>());
        if (self.isSet()) made.root = self.get<Instance>().module;
        finishModules(*made.root);
        made.className = m_name;
        made.format = Format::Python;
        made.path = m_sources.main().path;
        loadInto(made, self.isSet());
        m_isConstructed = true;
        if (m_typed) addTypes(m_in, *made.root, m_typed->types);
        trace::Tracer& tracer = recording(made.graph, *made.root);
        tracer.setLenient(m_options.proxyBuffers);
        if (m_computes) computeWith(tracer);
        m_in.recordWith(tracer, true);
        m_in.shapesConstant = m_options.shapesConstant;
        m_in.stack().forgetFailure();
        const Value fixed = concrete();
        wrapFunctions();
        if (m_options.notes) m_in.stack().notes = std::make_unique<NodeNotes>(made.graph);
        const auto scopes = std::make_shared<SourceScopes>();
        m_in.scopes = scopes.get();
        made.origin = scopes;
        traceForward(m_in, self.isSet() ? self : target, fixed, *scopes);
        requireWritable(made.graph, scopes->isNested);
        m_in.writesTensors |= !tracer.writes().ofModel().empty();
        if (m_computes) finishComputing(*made.root);
        else
            m_lacksConstants =
                m_options.weights == NewWeights::Drawn && (tracer.writes().draws() || lacksConstants(*made.root));
        m_in.metaDevice().dropValues(*made.root); // of what forward made there
        if (m_options.swapsFloatFunctionals) scopes->hasSwapped = true;
        else m_in.modules().noteFloatFunctionals(*made.root);
        traceStandalone(made);
        m_in.scopes = nullptr;
        warnOfUnknownLeafs(m_in, *made.root, made.warnings);
        warnOfWrites(tracer.writes().ofModel(), *made.root, made.warnings);
        dropUnread(made);
        orderByUse(made);
        made.warnings.insert(made.warnings.end(), tracer.warnings.begin(), tracer.warnings.end());
        keepHooks(m_in, made);
    }

    void useMachine() {
        m_in.machine = m_machine.get();
        if (!m_machine) return;
        m_machine->random = &m_random;
        m_machine->isTrying = [this] { return m_in.stack().isTrying(); };
    }
    void computeWith(trace::Tracer& tracer) {
        const auto earlier = std::exchange(m_machine, m_options.machine(m_options.weights == NewWeights::Drawn));
        if (earlier && m_machine) m_machine->continueFrom(*earlier);
        useMachine();
        tracer.setConstantWatch(m_in.machine);
    }
    void finishComputing(const Module& root) {
        if (m_options.weights == NewWeights::Drawn) m_machine->finish(root, {});
        m_in.machine = nullptr;
    }

    void loadInto(GraphModule& made, bool isModule) {
        if (!m_options.load || !isModule) return;
        m_isLoading = true;
        try {
            m_options.load(made);
        } catch (const Error& error) {
            if (!m_options.keepsUnloaded || error.kind() == ErrorKind::Cancelled) throw;
            m_unloaded = error;
        }
        m_isLoading = false;
    }

    /// Gives modules that are one node in the graph, and are quantised on their own, the graphs of their own traces.
    void traceStandalone(const GraphModule& made) {
        if (m_options.standalone.empty()) return;
        PathResolver paths(*made.root);
        for (const Node& node : made.graph.nodes()) {
            if (node.op() != Op::CallModule) continue;
            const std::shared_ptr<Module> module = paths.resolve(node.target()).shared;
            Instance* called = module ? m_in.modules().instanceOf(module.get()) : nullptr;
            if (!called || module->graphModule) continue;
            const auto entry =
                std::find_if(m_options.standalone.begin(), m_options.standalone.end(), [&](const auto& each) {
                    return each.path.empty() ? m_in.modules().isOfClass(*called, each.type)
                                             : each.path == node.target();
                });
            if (entry != m_options.standalone.end()) module->graphModule = tracedAlone(*called, *entry);
        }
    }

    std::shared_ptr<GraphModule> tracedAlone(Instance& called, const SourceOptions::Standalone& entry) {
        const auto made = std::make_shared<GraphModule>();
        made->root = std::make_shared<Module>(*called.module);
        made->format = Format::Python;
        m_in.leafPaths = entry.leafPaths, m_in.leafTypes = entry.leafs;
        m_alone.push_back(made);
        m_in.recordWith(recording(made->graph, *called.module), true);
        const auto scopes = std::make_shared<SourceScopes>();
        scopes->hasSwapped = m_options.swapsFloatFunctionals;
        m_in.scopes = scopes.get(), made->origin = scopes;
        traceForward(m_in, &called, {}, *scopes);
        return made;
    }

    /// torch.fx `autowrap_functions` and `autowrap_modules`.
    void wrapFunctions() {
        std::vector<Function*> wrapped;
        for (const std::string& name : m_options.wrapped) {
            py::Parser parser(name, py::Grammar::Full);
            m_in.calls().autowrap(m_in.expressions().evaluate(*parser.expression(), *m_file->globals), wrapped);
        }
    }

    /// A tracer that lives as long as the values that it made, which exceptions may hold.
    trace::Tracer& recording(Graph& graph, Module& root) {
        auto& index = m_indices.emplace_back(std::make_unique<trace::ModuleIndex>(root));
        m_tracers.push_back(std::make_unique<trace::Tracer>(graph, *index, trace::Tracer::Mode::AsPython));
        m_tracers.back()->runsBodies = true;
        return *m_tracers.back();
    }

    /// `isOutside`: Lancet cannot follow the source, while Python itself may.
    Error failed(const Message& why, bool isOutside = false) {
        m_why = why;
        m_in.stack().takeNotes();
        std::vector<Place> places = m_in.stack().failedIn;
        isOutside |= isOfLibrary(why, places) || (m_in.stack().misfit && why.text().starts_with("TypeError"));
        if (m_hasRun && places.size() > 1)
            places.erase(places.begin()); // of what is constructed or traced, by the tracer
        if (places.empty()) places.push_back(m_in.stack().here);
        std::erase_if(places, [](const Place& place) { return !place.file || place.file->path.empty(); });
        const std::string name = m_name.empty() ? "the source" : m_name;
        Error error(ErrorKind::Refused,
                    isOutside
                        ? Message("trace.source_failed", {{"name", name}, {"reason", why.text()}, {"outside_scope", 1}})
                        : Message("trace.source_failed", {{"name", name}, {"reason", why.text()}}));
        error.hint = why.hint(), error.commandLineHint = why.commandLineHint();
        if (const Message remedy("trace.outside_scope"); isOutside && error.hint.empty())
            error.hint = remedy.hint(), error.commandLineHint = remedy.commandLineHint();
        if (const auto remedy = m_isConstructed ? remedyOf(m_in, why, places) : std::nullopt)
            error.hint = remedy->text(), error.commandLineHint = remedy->commandLineHint();
        error.onModule(m_in.stack().failedModule.path);
        if (places.empty()) return error.in(m_sources.main().path);
        const Place& last = m_failedAt = places.back();
        const Error place = py::sourceError(last.file->text, last.offset, why);
        std::string where = place.where;
        for (std::size_t i = places.size() - 1; i-- > 0 && places.size() - i < 8;)
            where += (i + 2 == places.size() ? ", called from " : ", ") +
                     std::filesystem::path(places[i].file->path).filename().string() + ":" +
                     std::to_string(py::lineOf(places[i].file->text, places[i].offset));
        const std::string_view before = std::string_view(last.file->text).substr(0, last.offset);
        const std::size_t lineStart = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
        error.textPlace = place.textPlace;
        error.in(last.file->path)
            .at(where)
            .quoting(place.source + "\n" +
                     std::string(std::min<std::size_t>(characterCount(before.substr(lineStart)), 200), ' ') + "^");
        return error;
    }

    /// The class or function with the name that was asked for, or the only nn.Module class, or the only function.
    Value find() {
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

    /// The classes of modules that the file defines, or else its functions.
    std::vector<std::string> candidates() {
        std::vector<std::string> classes, functions;
        for (const auto& [name, value] : m_in.run(*m_file).names.items()) {
            const auto* type = value.as<Class>();
            if (type && type->isModule && type->file == m_file) classes.push_back(name);
            if (const auto* function = value.as<Function>(); function && function->file == m_file)
                functions.push_back(name);
        }
        return classes.empty() ? functions : classes;
    }

    /// `net.py:make_net(depth=18)`: a call in the scope of the file.
    Value evaluated() {
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

    /// The fixed inputs by name, those that are written as Python included; in these, `PH` is torch.fx's.
    Value concrete() {
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

    Value construct(const Value& type) {
        Values args;
        Keywords kwargs;
        for (const Argument& arg : m_options.args) args.push_back(m_in.fromTrace(trace::fromArgument(arg)));
        for (const auto& [key, value] : m_options.kwargs)
            kwargs.emplace_back(key, m_in.fromTrace(trace::fromArgument(value)));
        return m_in.call(type, std::move(args), std::move(kwargs));
    }

    const SourceOptions& m_options;
    std::shared_ptr<TensorMachine> m_machine;
    Sources m_sources;
    TorchGenerator m_random;
    Interpreter m_in;
    std::vector<std::shared_ptr<GraphModule>> m_alone; ///< modules that were traced on their own
    std::vector<std::unique_ptr<trace::ModuleIndex>> m_indices;
    std::vector<std::unique_ptr<trace::Tracer>> m_tracers;
    std::shared_ptr<FxClasses> m_fx;
    SourceFile* m_file = nullptr;
    std::string m_name;
    std::string m_concreteText;
    std::unique_ptr<py::Parser> m_call, m_concrete;
    SourceTrace* m_typed = nullptr; ///< of an editor
    bool m_hasRun = false;          ///< the statements of the file
    bool m_isConstructed = false;
    bool m_isLoading = false; ///< weights, whose errors are those of their file
    bool m_computes = false;
    bool m_lacksConstants = false;
    std::optional<Error> m_unloaded; ///< what loading failed at, if the trace went on
    Message m_why;
    Place m_failedAt;
};

/// A method of a class that derives from FloatFunctional was called, which quantisation replaces: what it replaces it
/// by can only be traced, and only now that the source is known.
void keepSwapped(GraphModule& made, const std::string& file, const std::string& text, const SourceOptions& options,
                 const Progress& progress) {
    const auto* known = dynamic_cast<const SourceScopes*>(made.origin.get());
    if (!known || !known->ownMember) return;
    SourceOptions with = options;
    with.swapsFloatFunctionals = true;
    const auto traced = [&](bool eval) {
        with.eval = eval;
        return FileTrace(file, text, with, progress).run();
    };
    try {
        const auto evaluating = traced(true);
        const auto training = options.eval ? evaluating : traced(false);
        const auto scopes = std::make_shared<SourceScopes>(*known);
        scopes->swapped = std::make_shared<const SourceScopes::Swapped>(
            SourceScopes::Swapped{evaluating, training, graphText(made.graph)});
        made.origin = scopes;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
    } catch (const ValuesNeeded&) {} // quantisation refuses the method
}

/// A trace, and another one that computes where that writes to tensors. `missedValues` is set before errors are thrown.
std::shared_ptr<GraphModule> tracedOrComputed(const std::string& file, const std::string& text,
                                              const SourceOptions& options, const Progress& progress,
                                              bool& missedValues) {
    const auto attempt = [&](FileTrace& trace) {
        struct Note {
            FileTrace& trace;
            bool& missed;
            ~Note() { missed = trace.missedValues(); }
        } const note{trace, missedValues};
        return trace.run();
    };
    FileTrace first(file, text, options, progress);
    try {
        const auto made = attempt(first);
        if (!first.mustCompute()) return made;
    } catch (const Error& error) {
        if (!first.mustCompute() || error.kind() == ErrorKind::Cancelled) throw;
    }
    FileTrace second(file, text, options, progress);
    return attempt(second.computing());
}

} // namespace

std::shared_ptr<GraphModule> traceFile(const std::string& file, const SourceOptions& options,
                                       const Progress& progress) {
    return traceText(file, readTextFile(file, Sources::kMaxBytes), options, progress);
}

std::shared_ptr<GraphModule> traceText(const std::string& file, const std::string& text, const SourceOptions& options,
                                       const Progress& progress) {
    if (options.reader) return options.reader->traceText(file, text, options, progress);
    bool missedValues = false;
    if (options.weights == NewWeights::ShapesOnly) {
        try {
            return tracedOrComputed(file, text, options, progress, missedValues);
        } catch (const ValuesNeeded&) {
        } catch (const Error&) {
            if (!missedValues) throw;
        }
    }
    SourceOptions drawn = options;
    drawn.weights = NewWeights::Drawn;
    return tracedOrComputed(file, text, drawn, progress, missedValues);
}

void python::withProgram(const std::string& file, const std::string& text, const SourceOptions& options,
                         const Progress& progress,
                         const std::function<void(Interpreter& in, const Value& model)>& use) {
    FileTrace(file, text, options, progress).construct(use);
}

SourceTrace traceSource(const std::string& file, std::string text, const SourceOptions& options,
                        const Progress& progress) {
    if (options.reader) return options.reader->traceSource(file, text, options, progress);
    if (text.size() > Sources::kMaxBytes) {
        SourceTrace out;
        const Error error = Error(ErrorKind::File, Message("files.too_large")).in(file);
        out.faults.push_back({error, file, 0, 0});
        return out;
    }
    SourceTrace out;
    bool missed = false;
    SourceOptions with = options;
    const auto trace = [&] {
        try {
            FileTrace first(file, text, with, progress);
            out = first.typed();
            missed = first.missedValues();
            if (!first.mustCompute()) return;
            FileTrace second(file, text, with, progress);
            out = second.computing().typed();
            missed = second.missedValues();
        } catch (const ValuesNeeded&) { missed = true; }
    };
    trace();
    if (missed && options.weights != NewWeights::Drawn) {
        with.weights = NewWeights::Drawn;
        trace();
    }
    if (out.module && out.isComplete) keepSwapped(*out.module, file, text, with, progress);
    return out;
}

} // namespace fx
