// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/file_trace.h"

#include "core/base/python_text.h"
#include "core/pysrc/expression_names.h"
#include "core/pysrc/source_error.h"
#include "core/python/execution/missing_names.h"
#include "core/python/tracing/held_tensors.h"
#include "core/python/tracing/module_hooks.h"
#include "core/python/tracing/module_tree.h"
#include "core/python/tracing/source_scopes.h"
#include "core/python/tracing/source_types.h"
#include "core/python/tracing/taken_over.h"
#include "core/python/tracing/trace_forward.h"
#include "core/python/tracing/trace_remedy.h"

#include <algorithm>
#include <filesystem>

namespace fx::python {

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

} // namespace

bool lacksConstants(const Module& root) {
    bool lacks = false;
    forEachOwnTensor(root, [&](const std::string&, const TensorPtr& tensor) {
        if (!tensor->storage->isExpression()) return;
        const std::string& source = tensor->storage->expressionSource();
        lacks |= source.find(kComputedLater) != source.npos ||
                 (source.find("self.") != source.npos && !py::namesIn(source).reads.empty());
    });
    return lacks;
}

std::shared_ptr<GraphModule> FileTrace::run() {
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

void FileTrace::construct(const std::function<void(Interpreter&, const Value&)>& use) {
    const trace::Spending spending(m_in.allowance());
    GraphModule unused;
    trace::ModuleIndex noModules(*unused.root);
    trace::Tracer constructing(unused.graph, noModules, trace::Tracer::Mode::AsPython);
    Value model;
    try {
        start(constructing);
        model = find();
        if (model.as<Class>()) model = construct(model);
        finishModules(model.as<Instance>() ? *model.get<Instance>().module : *unused.root);
    } catch (const Raised&) {
    } catch (const trace::Stop&) {
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled || error.kind() == ErrorKind::File) throw;
    }
    m_in.machine = nullptr;
    use(m_in, model.as<Instance>() ? model : Value());
}

SourceTrace FileTrace::typed() {
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

void FileTrace::run(const std::shared_ptr<GraphModule>& made) {
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
        if (m_isLoading || (!isSyntax && error.kind() != ErrorKind::Refused && error.kind() != ErrorKind::Run)) throw;
        const bool isOfName =
            error.message().is("trace.no_candidate") || error.message().is("trace.several_candidates");
        Error refusal = failed(error.message(), !isOfName);
        if (isSyntax) refusal.in(error.file).at(error.where).quoting(error.source), refusal.textPlace = error.textPlace;
        const Message remedy("trace.outside_scope"); // those of modules and operators are for other places
        if (!isOfName) refusal.hint = remedy.hint(), refusal.commandLineHint = remedy.commandLineHint();
        throw refusal;
    }
}

void FileTrace::start(trace::Tracer& constructing) {
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

void FileTrace::stop() {
    m_in.stack().failedIn = {m_in.stoppedAt->second};
    throw trace::PythonError(m_in.stoppedAt->first);
}

bool FileTrace::takeTraced(const Value& target, GraphModule& made) {
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

void FileTrace::finishModules(const Module& root) {
    m_in.modules().syncModules();
    if (m_machine && m_options.weights == NewWeights::Drawn) m_machine->finish(root, heldTensors(m_in));
    m_in.machine = nullptr;
    m_in.metaDevice().dropValues(root);
}

void FileTrace::record(const Value& target, GraphModule& made) {
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

void FileTrace::useMachine() {
    m_in.machine = m_machine.get();
    if (!m_machine) return;
    m_machine->random = &m_random;
    m_machine->isTrying = [this] { return m_in.stack().isTrying(); };
}

void FileTrace::computeWith(trace::Tracer& tracer) {
    const auto earlier = std::exchange(m_machine, m_options.machine(m_options.weights == NewWeights::Drawn));
    if (earlier && m_machine) m_machine->continueFrom(*earlier);
    useMachine();
    tracer.setConstantWatch(m_in.machine);
}

void FileTrace::finishComputing(const Module& root) {
    if (m_options.weights == NewWeights::Drawn) m_machine->finish(root, {});
    m_in.machine = nullptr;
}

void FileTrace::loadInto(GraphModule& made, bool isModule) {
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

void FileTrace::traceStandalone(const GraphModule& made) {
    if (m_options.standalone.empty()) return;
    PathResolver paths(*made.root);
    for (const Node& node : made.graph.nodes()) {
        if (node.op() != Op::CallModule) continue;
        const std::shared_ptr<Module> module = paths.resolve(node.target()).shared;
        Instance* called = module ? m_in.modules().instanceOf(module.get()) : nullptr;
        if (!called || module->graphModule) continue;
        const auto entry =
            std::find_if(m_options.standalone.begin(), m_options.standalone.end(), [&](const auto& each) {
                return each.path.empty() ? m_in.modules().isOfClass(*called, each.type) : each.path == node.target();
            });
        if (entry != m_options.standalone.end()) module->graphModule = tracedAlone(*called, *entry);
    }
}

std::shared_ptr<GraphModule> FileTrace::tracedAlone(Instance& called, const SourceOptions::Standalone& entry) {
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

trace::Tracer& FileTrace::recording(Graph& graph, Module& root) {
    auto& index = m_indices.emplace_back(std::make_unique<trace::ModuleIndex>(root));
    m_tracers.push_back(std::make_unique<trace::Tracer>(graph, *index, trace::Tracer::Mode::AsPython));
    m_tracers.back()->runsBodies = true;
    return *m_tracers.back();
}

Error FileTrace::failed(const Message& why, bool isOutside) {
    m_why = why;
    m_in.stack().takeNotes();
    std::vector<Place> places = m_in.stack().failedIn;
    isOutside |= isOfLibrary(why, places) || (m_in.stack().misfit && why.text().starts_with("TypeError"));
    if (m_hasRun && places.size() > 1) places.erase(places.begin()); // of what is constructed or traced, by the tracer
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

} // namespace fx::python
