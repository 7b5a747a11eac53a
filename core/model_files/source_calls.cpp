// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/source_calls.h"

#include "core/files/read_text.h"
#include "core/ir/print.h"
#include "core/make/initial_weights.h"
#include "core/module/hooked_modules.h"
#include "core/module/module_editor.h"
#include "core/module/stand_in.h"
#include "core/passes/tensor_engine.h"
#include "core/python/imports/sources.h"
#include "core/textpasses/computing.h"
#include "core/textpasses/file_classes.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace fx {
namespace {

constexpr std::size_t kMostGraphs = 10'000; ///< in one model
constexpr int kDeepest = 16;                ///< levels of graphs in graphs; a function may call itself

/// A copy of a tree whose tensors have no values: tracing needs none, and they may be large.
std::shared_ptr<Module> withoutValues(const Module& root) {
    std::unordered_map<const Module*, std::shared_ptr<Module>> copies;
    std::unordered_map<const TensorRef*, TensorPtr> tensors;
    forEachModule(root, [&](const std::string&, const Module& module) {
        copies.emplace(&module, std::make_shared<Module>(module));
    });
    for (const auto& [original, copy] : copies) {
        copy->graphModule = nullptr;
        for (Module::Child& child : copy->children)
            if (child.module) child.module = copies.at(child.module.get());
        forEachOwnTensor(*copy, [&](const std::string&, TensorPtr& tensor) {
            TensorPtr& plain = tensors[tensor.get()];
            if (!plain) plain = TorchGenerator::undrawn(*tensor);
            tensor = plain;
        });
    }
    return copies.at(&root);
}

std::string textOf(const GraphModule& model, const Node& node) {
    return node.target() + argsRepr(model.graph, node) + kwargsRepr(model.graph, node);
}

std::shared_ptr<Module> calledBy(const GraphModule& model, const Node& node) {
    return node.op() == Op::CallModule ? resolvePath(*model.root, node.target()).shared : nullptr;
}

/// See `kRefusal`.
Argument refusalOf(const Error& error) {
    std::string text = error.message().text();
    if (!error.file.empty()) text += " (" + std::filesystem::path(error.file).filename().string();
    if (!error.file.empty()) text += (error.where.empty() ? "" : ", " + error.where) + ")";
    const std::string remedy = error.hint.empty() ? "trace through it, or replace it" : error.hint;
    return Argument::tuple({text, remedy});
}

/// The nested graph with the module of the model in place of the one that was traced. It is shown by the name of the
/// class or function that the node calls.
std::shared_ptr<Module> holderOf(const GraphModule& traced, const Node& node, const std::shared_ptr<Module>& called) {
    std::string_view path = node.target();
    const auto graph = std::make_shared<GraphModule>(traced);
    graph->root = std::make_shared<Module>(*traced.root);
    graph->root->setType(called ? called->qualifiedType() : node.callable()->qualifiedName);
    Module* above = graph->root.get();
    for (std::size_t dot = path.find('.'); called && dot != path.npos; dot = path.find('.')) {
        std::shared_ptr<Module>& next = above->children.at(0).module;
        next = std::make_shared<Module>(*next);
        above = next.get();
        path.remove_prefix(dot + 1);
    }
    if (called) above->children.at(0).module = called;
    const auto holder = std::make_shared<Module>(*graph->root);
    holder->graphModule = graph;
    return holder;
}

/// Returns true if a module or one below has another `forward` than its class: `net.part.forward = other`.
bool hasOwnForward(const Module* called) {
    bool found = false;
    if (called)
        forEachModule(*called, [&](const std::string&, const Module& module) {
            for (const char* name : {"forward", "_call_impl", "_slow_forward"})
                found = found || (!module.graphModule && module.attribute(name));
        });
    return found;
}

/// Returns true if a graph has the inputs of a node and a place for what it calls; a reader may have been taken over.
bool fits(const GraphModule& traced, const Node& node) {
    std::size_t inputs = 0;
    for (const Node& each : traced.graph.nodes()) inputs += each.op() == Op::Placeholder ? 1 : 0;
    if (inputs != node.inputs().size() || traced.graph.outputNode() == kNoNode) return false;
    const Module* above = traced.root.get();
    std::string_view path = node.op() == Op::CallModule ? node.target() : std::string_view();
    while (!path.empty()) {
        const std::string_view name = path.substr(0, path.find('.'));
        if (above->children.size() != 1 || above->children[0].name != name || !above->children[0].module) return false;
        above = above->children[0].module.get();
        path.remove_prefix(std::min(path.size(), name.size() + 1));
    }
    return true;
}

/// A name that no member of the root has.
std::string freeName(const Module& root, const std::string& node) {
    std::string name = "traced_" + node;
    while (resolvePath(root, name).kind != PathTarget::Kind::Missing) name += "_";
    return name;
}

/// Returns true if the graph or one in it has such calls.
bool hasOwnCalls(const GraphModule& model) {
    if (!ownCalls(model).empty()) return true;
    bool found = false;
    forEachModule(*model.root, [&](const std::string& path, const Module& module) {
        found = found || (!path.empty() && module.graphModule && !ownCalls(*module.graphModule).empty());
    });
    return found || std::any_of(model.subgraphs.begin(), model.subgraphs.end(),
                                [](const auto& each) { return hasOwnCalls(*each.second); });
}

/// See `kOwnPython`.
Argument definitionOf(const Node& node, const std::string& source) {
    if (node.op() == Op::CallModule) return Argument::tuple({source, node.target(), "module", "", ""});
    const Callable& callable = *node.callable();
    if (callable.kind == Callable::Kind::OpOverload || callable.kind == Callable::Kind::OpPacket)
        return Argument::tuple({source, "", "operator", "", callable.qualifiedName});
    return Argument::tuple({source, "", "function", callable.module, callable.name});
}

} // namespace

std::vector<std::string> callsInPython(const GraphModule& model) {
    std::vector<std::string> out;
    const auto add = [&out](const GraphModule& graph) {
        PathResolver paths(*graph.root);
        for (const Node& node : graph.graph.nodes())
            if (node.op() == Op::CallModule)
                if (const Module* module = paths.resolve(node.target()).module; module && module->attribute(kOwnPython))
                    out.push_back(module->qualifiedType());
    };
    add(model);
    forEachModule(*model.root, [&](const std::string& path, const Module& module) {
        if (!path.empty() && module.graphModule) add(*module.graphModule);
    });
    for (const auto& [name, graph] : model.subgraphs)
        for (std::string& each : callsInPython(*graph)) out.push_back(std::move(each));
    return out;
}

void SourceCalls::refuse(GraphModule& model, const Node& node, const Error& error, const Source& source,
                         bool mayUsePython) {
    const bool isOwn = mayUsePython && m_mayUsePython && m_mayUsePython(source.file);
    // Without a source, the worker reports what is missing; it may also have a library with the operator.
    if (error.message().is("call.not_found") && !isOwn) return;
    ModuleEditor editor(model);
    const auto note = [&](Module& module) {
        module.attributes.emplace_back(kRefusal, refusalOf(error));
        if (isOwn) module.attributes.emplace_back(kOwnPython, definitionOf(node, source.file));
    };
    if (Module* module = node.op() == Op::CallModule ? editor.writable(node.target()) : nullptr) return note(*module);
    const auto standIn = emptyModule(node.callable()->qualifiedName);
    note(*standIn);
    const std::string name = freeName(*model.root, node.name());
    editor.add(name, standIn);
    model.graph.setCall(node.id(), Op::CallModule, name, nullptr);
}

void SourceCalls::knows(const std::string& file, SourceOptions options, std::optional<std::string> text) {
    options.load = {}, options.machine = {}, options.engine = nullptr; // of the trace that has ended
    options.weightsFiles.clear();
    options.notes = false;
    const std::lock_guard lock(m_sourcesMutex);
    m_sources.insert_or_assign(file, Source{file, std::move(text), std::move(options)});
    m_haveChanged = true;
}

SourceCalls::Source SourceCalls::sourceOf(const GraphModule& model) {
    Source source;
    source.options.paths = m_paths;
    {
        const std::lock_guard lock(m_sourcesMutex);
        if (std::exchange(m_haveChanged, false)) m_known.clear();
        const auto known = m_sources.find(model.path);
        if (known != m_sources.end()) source = known->second;
        else if (model.path.ends_with(".py")) source.file = model.path;
        else if (m_paths.empty())
            for (const auto& [file, each] : m_sources)
                source.options.paths.push_back(std::filesystem::path(file).parent_path().string());
    }
    try {
        if (!source.file.empty() && !source.text) source.text = readTextFile(source.file, python::Sources::kMaxBytes);
    } catch (const Error&) { source.file.clear(); }           // it has gone: what is in other folders is still found
    if (source.file.empty() && !source.options.paths.empty()) // imports are looked up beside it
        source.file = source.options.paths.front() + "/__model__.py";
    source.options.fx = fxClasses(false);
    source.options.reader = m_readers.python.get();
    return source;
}

std::shared_ptr<const GraphModule> SourceCalls::completed(const std::shared_ptr<const GraphModule>& model,
                                                          const Progress& progress) {
    if (!hasOwnCalls(*model)) return model; // also of models that the engine of a source computes
    const std::lock_guard lock(m_mutex);
    const Source source = sourceOf(*model);
    if (source.file.empty()) return model;
    const auto copy = std::make_shared<GraphModule>(*model);
    const std::size_t ofOuter = std::exchange(m_left, kMostGraphs); // of the model whose tracing asks for this one
    std::unordered_set<const Module*> hooked;
    for (const std::string& path : hookedModules(*model)) hooked.insert(resolvePath(*model->root, path).module);
    std::swap(m_hooked, hooked);
    const bool changed = complete(*copy, source, 0, progress);
    m_left = ofOuter;
    std::swap(m_hooked, hooked);
    return changed ? copy : model;
}

bool SourceCalls::complete(GraphModule& model, const Source& source, int depth, const Progress& progress) {
    bool changed = completeNested(model, source, depth, progress);
    const std::vector<NodeId> calls = ownCalls(model);
    if (calls.empty() || depth >= kDeepest) return changed;
    for (const TracedCall& call : traced(model, calls, source, progress)) {
        const NodeId id = model.graph.find(call.node);
        const Node& node = model.graph.node(id);
        if (const std::string type = hookedBelow(model, node); !type.empty()) {
            refuse(model, node, Error(ErrorKind::Refused, Message("call.hook", {{"type", type}})), source);
            continue;
        }
        if (model.format != Format::Python &&
            hasOwnForward(calledBy(model, node).get())) { // a function, which Python would not get either
            refuse(model, node, Error(ErrorKind::Refused, Message("call.attribute", {{"name", "forward"}})), source,
                   false);
            continue;
        }
        if (!call.graph || !fits(*call.graph, node)) {
            refuse(model, node, call.refusal.value_or(Error(ErrorKind::Refused, Message("reader.bad_message"))),
                   source);
            continue;
        }
        if (m_left == 0) break;
        --m_left;
        const std::shared_ptr<Module> holder = holderOf(*call.graph, node, calledBy(model, node));
        if (complete(*holder->graphModule, source, depth + 1, progress)) {
            const auto graph = holder->graphModule;
            *holder = *graph->root;
            holder->graphModule = graph;
        }
        std::vector<Argument> args(node.inputs().begin(), node.inputs().end());
        const std::string name = freeName(*model.root, node.name());
        ModuleEditor(model).add(name, holder);
        model.graph.setCall(id, Op::CallModule, name, nullptr);
        model.graph.setArgsKwargs(id, std::move(args), {});
    }
    return true;
}

std::string SourceCalls::hookedBelow(const GraphModule& model, const Node& node) const {
    const auto called = m_hooked.empty() ? nullptr : calledBy(model, node);
    std::string type;
    if (called)
        forEachModule(*called, [&](const std::string&, const Module& module) {
            if (m_hooked.contains(&module)) type = module.qualifiedType();
        });
    return type;
}

bool SourceCalls::completeNested(GraphModule& model, const Source& source, int depth, const Progress& progress) {
    bool changed = false;
    if (depth >= kDeepest) return changed;
    std::vector<std::pair<std::string, std::shared_ptr<GraphModule>>> nested;
    forEachModule(*model.root, [&](const std::string& path, const Module& module) {
        if (!path.empty() && module.graphModule) nested.emplace_back(path, module.graphModule);
    });
    for (const auto& [path, graph] : nested) {
        const auto inner = std::make_shared<GraphModule>(*graph);
        if (!complete(*inner, source, depth + 1, progress)) continue;
        ModuleEditor editor(model);
        Module* holder = editor.writable(path);
        *holder = *inner->root;
        holder->graphModule = inner;
        changed = true;
    }
    for (auto& [name, graph] : model.subgraphs) {
        const auto inner = std::make_shared<GraphModule>(*graph);
        if (!complete(*inner, source, depth + 1, progress)) continue;
        graph = inner;
        changed = true;
    }
    return changed;
}

std::vector<TracedCall> SourceCalls::traced(const GraphModule& model, const std::vector<NodeId>& calls,
                                            const Source& source, const Progress& progress) {
    const auto keyOf = [&](const Node& node) {
        return std::to_string(reinterpret_cast<std::uintptr_t>(calledBy(model, node).get())) + source.file + "\n" +
               textOf(model, node);
    };
    std::vector<std::string> unknown;
    for (const NodeId id : calls)
        if (!m_known.contains(keyOf(model.graph.node(id)))) unknown.push_back(model.graph.node(id).name());
    if (!unknown.empty()) {
        GraphModule plain = model;
        plain.root = withoutValues(*model.root);
        plain.subgraphs.clear(), plain.lifted.clear(), plain.origin = nullptr;
        SourceOptions options = source.options;
        std::unique_ptr<TensorEngine> engine;
        if (m_readers.engine) engine = m_readers.engine(progress);
        if (engine) options.machine = computing(*engine), options.engine = engine.get();
        std::vector<TracedCall> made;
        try {
            made = traceCalls(source.file, source.text.value_or(""), plain, unknown, options, progress);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            for (const std::string& name : unknown) made.push_back({name, nullptr, error});
        }
        for (TracedCall& call : made) {
            const Node& node = model.graph.node(model.graph.find(call.node));
            m_known.insert_or_assign(keyOf(node), Known{calledBy(model, node), std::move(call)});
        }
    }
    std::vector<TracedCall> out;
    for (const NodeId id : calls) {
        const Node& node = model.graph.node(id);
        out.push_back(m_known.at(keyOf(node)).traced);
        out.back().node = node.name();
    }
    return out;
}

std::size_t tracedCalls(const GraphModule& model, const GraphModule& completed) {
    if (&model == &completed) return 0;
    std::size_t count = 0;
    for (const NodeId id : ownCalls(model)) {
        const auto module = calledBy(completed, completed.graph.node(id));
        count += module && module->graphModule ? 1 : 0;
    }
    return count;
}

} // namespace fx
