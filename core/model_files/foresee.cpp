// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/foresee.h"

#include "core/base/joined_path.h"
#include "core/base/listed.h"
#include "core/base/one_of.h"
#include "core/codegen/hiding_names.h"
#include "core/codegen/python_code.h"
#include "core/io/graphmodule/folder_writer.h"
#include "core/io/graphmodule/pickled_calls.h"
#include "core/io/ir_json/ir_json.h"
#include "core/io/pt2/pt2.h"
#include "core/io/pt2/pt2_form.h"
#include "core/make/observer_spec.h"
#include "core/model_files/after_loading.h"
#include "core/model_files/hidden_names.h"
#include "core/model_files/save_graphmodule.h"
#include "core/model_files/script_copy.h"
#include "core/model_files/traceable_lists.h"
#include "core/model_files/traced_effects.h"
#include "core/model_files/unlift.h"
#include "core/module/script_object.h"
#include "core/module/training_mode.h"
#include "core/onednn/fused_layer.h"
#include "core/ops/call_check.h"
#include "core/ops/reach.h"
#include "core/torchscript/extra_files.h"
#include "core/torchscript/input_types.h"
#include "core/torchscript/torchscript.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

namespace fx {
namespace {

constexpr std::size_t kShownNames = 5;
constexpr std::size_t kShownCalls = 20; ///< of what a hostile file may do: more is a sign itself

/// Calls that are fine in a graph and that Python cannot run on proxies: what it raises, the target, and the code of
/// what we say of it.
struct Hopeless {
    std::string_view cause, target;
    MessageCode code;
};
constexpr Hopeless kHopeless[] = {
    {"python.item_assignment", "_operator.setitem", "foresee.item_assignment"},
    {"python.control_flow", "_operator.not_", "foresee.control_flow"},
    {"python.len", "builtins.len", "foresee.len"},
    {"python.iterated", "_operator.contains", "foresee.contains"},
    {"python.higher_order_operands", "", "foresee.higher_order"},
    {"python.empty_body", "", "foresee.empty_body"},
};

constexpr const char* kAutocast = "torch.autocast"; ///< whose region tracing loses

/// PyTorch's own functions that read the data of what they are given: Python cannot run them on proxies.
constexpr std::string_view kOfData[] = {"torch.tensor", "torch.as_tensor", "torch.asarray", "torch.from_numpy"};

/// Why tracing stopped at what loading the file computes, once for all runs.
constexpr std::string_view kAtLoad[] = {"trace.changed_at_load", "trace.writes_at_load", "trace.writes_several_at_load",
                                        "trace.writes_view_at_load"};

class Foresight {
public:
    Foresight(const GraphModule& model, const Progress& progress) : m_model(model), m_progress(progress) {}

    std::vector<Foreseen> look(SavedAs format) {
        try {
            if (format == SavedAs::GraphModule || format == SavedAs::Folder) {
                checkSavable(m_model, format == SavedAs::Folder, m_progress); // else nothing more is to be asked
                loadedAgain(format == SavedAs::Folder);
            }
            packed(format);
            outside(format);
            if (format == SavedAs::GraphModule || format == SavedAs::Folder) observers();
            if (format == SavedAs::Folder) folder();
            if (format == SavedAs::Pt2) exported();
            if (format == SavedAs::Source) source();
            if (format == SavedAs::TorchScript) attributes(), calledFiles();
            else lostAttributes(unreadAttributes(m_model, format));
            script(format);
            if (format == SavedAs::Description || format == SavedAs::Source || format == SavedAs::TorchScript) hooks();
            if (format == SavedAs::Description || format == SavedAs::GraphModule || format == SavedAs::Folder)
                extraFiles();
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            add(Foreseen::Kind::Refused,
                error.message().hint().empty() ? Message("foresee.failed", {{"reason", error.what()}})
                                               : error.message(),
                error.node.empty() ? callsOfModule(error.modulePath) : std::vector{error.node});
        }
        return std::move(m_found);
    }

private:
    std::vector<std::string> callsOfModule(const std::string& path) const {
        std::vector<std::string> nodes;
        for (const Node& node : m_model.graph.nodes())
            if (!path.empty() && node.op() == Op::CallModule && node.target() == path) nodes.push_back(node.name());
        return nodes;
    }

    void add(Foreseen::Kind kind, Message what, std::vector<std::string> nodes = {}) {
        m_found.push_back({kind, std::move(what), std::move(nodes)});
    }

    /// What PyTorch does with the file beyond tensors: a stranger's model may have been made for that.
    void outside(SavedAs format) {
        if (format == SavedAs::Description || format == SavedAs::Project) return; // PyTorch reads neither
        for (OutsideCall& call : callsOutside(m_model))
            add(Foreseen::Kind::Changed,
                call.isKnown ? Message("foresee.reaches_outside", {{"name", call.name}})
                             : Message("foresee.unknown_call", {{"name", call.name}}),
                std::move(call.nodes));
        if (format == SavedAs::Pt2 || format == SavedAs::TorchScript) return; // they have no Python code
        HiddenNames hidden = hiddenNames(m_model, format);
        tell("foresee.hidden_calls", std::move(hidden.calls));
        tell("foresee.hidden_imports", std::move(hidden.imports));
        if (format == SavedAs::Source) return;
        NamedBy pickled;
        for (const PickledCall& call : pickledCalls(m_model))
            pickled.names.push_back(call.function + " (" + (call.place.empty() ? "the model" : call.place) + ")");
        tell("foresee.pickled_calls", std::move(pickled));
    }
    void tell(MessageCode code, NamedBy what) {
        if (what.names.empty()) return;
        const std::size_t count = what.names.size();
        add(Foreseen::Kind::Changed, Message(code, {{"count", count}, {"names", listed(what.names, kShownCalls)}}),
            std::move(what.nodes));
    }

    /// Layers of the pass `onednn`: which kernel runs them is for Lancet to read.
    void packed(SavedAs format) {
        if (format == SavedAs::Description || format == SavedAs::Project) return; // PyTorch reads neither
        std::vector<std::string> nodes;
        PathResolver paths(*m_model.root);
        for (const Node& node : m_model.graph.nodes()) {
            const Module* module = node.op() == Op::CallModule ? paths.resolve(node.target()).module : nullptr;
            if (module && onednn::kernelOf(*module)) nodes.push_back(node.name());
        }
        if (nodes.empty()) return;
        const std::size_t count = nodes.size();
        add(Foreseen::Kind::Running, Message("foresee.packed_layers", {{"count", count}}), std::move(nodes));
    }

    /// torch.load gives tensors whose storage cannot grow; observers of channels begin with empty ones.
    void observers() {
        std::vector<std::string> paths;
        forEachModule(*m_model.root, [&](const std::string& path, const Module& module) {
            const Module::Slot* least = quant::isObserver(module) ? module.buffer("min_val") : nullptr;
            if (least && least->tensor && least->tensor->elementCount() == 0) paths.push_back(path);
        });
        if (!paths.empty())
            add(Foreseen::Kind::Running,
                Message("foresee.empty_observers", {{"count", paths.size()}, {"names", listed(paths, kShownNames)}}));
    }

    void loadedAgain(bool isFolder) {
        if (keptCode(m_model)) { // loading it again gives what loading it gave
            if (m_model.notLoadable && !isFolder) add(Foreseen::Kind::Unloadable, Message("foresee.unloadable_again"));
            return;
        }
        m_progress.report("looking ahead", 0);
        const GraphModule loaded = afterLoading(m_model);
        m_progress.check();
        if (isFolder) return imported(loaded);
        effects();
        for (const Warning& warning : loaded.warnings) loadingMeets(warning, loaded.notLoadable);
        if (loaded.notLoadable || m_stops) return; // the graph is then the one that was written
        regions();
        frozen(loaded.graph);
        names(loaded.graph, "foresee.renamed");
        tensors(*loaded.root);
    }

    /// Python runs the code of a folder as it is; only the graphs inside, which are files of torch.save, are traced
    /// again.
    void imported(const GraphModule& traced) {
        for (const Warning& warning : traced.warnings)
            if (!warning.modulePath.empty()) loadingMeets(warning, traced.notLoadable);
            else if (warning.what.is("trace.call_kept")) missing(warning.what.argument("function"), false);
        if (!traced.notLoadable && traced.graph.size() == m_model.graph.size())
            names(traced.graph, "foresee.renamed_in_folder");
    }

    void effects() {
        for (Foreseen& each : tracedEffects(m_model)) {
            m_effects.insert(each.nodes.begin(), each.nodes.end());
            m_drawsOnce |= each.what.is("foresee.random_frozen");
            m_found.push_back(std::move(each));
        }
    }

    /// Operators on weights and numbers alone run while PyTorch traces; the graph has what they gave then.
    void frozen(const Graph& after) {
        const auto calls = [](const Graph& graph) {
            std::size_t count = 0;
            for (const Node& node : graph.nodes())
                count += node.op() == Op::CallFunction && node.callable()->kind == Callable::Kind::OpOverload;
            return count;
        };
        const std::size_t before = calls(m_model.graph), left = calls(after);
        if (left >= before) return;
        if (!m_drawsOnce) add(Foreseen::Kind::Changed, Message("foresee.operators_frozen", {{"count", before - left}}));
    }

    /// Tracing runs them: of `wrap_with_autocast(…, f, x)` a call of f is left.
    void regions() {
        for (const auto& [name, mode] : {std::pair("wrap_with_autocast", kAutocast),
                                         std::pair("wrap_with_set_grad_enabled", "its mode of gradients")}) {
            std::vector<std::string> nodes;
            for (const Node& node : m_model.graph.nodes())
                if (node.op() == Op::CallFunction && node.callable()->kind == Callable::Kind::HigherOrderOp &&
                    node.callable()->name == name)
                    nodes.push_back(node.name());
            if (nodes.empty()) continue;
            const MessageArgument where("node", nodes.front()), lost("mode", mode);
            Message what = nodes.size() == 1
                               ? Message("foresee.region_lost", {lost, where})
                               : Message("foresee.regions_lost", {lost, where, {"count", nodes.size() - 1}});
            add(Foreseen::Kind::Changed, std::move(what), std::move(nodes));
        }
    }

    /// A function that is not PyTorch's: the file imports it. Each is reported once. `isTraced`: it gets proxies.
    void missing(const std::string& function, bool isTraced) {
        if (!m_missing.insert(function).second) return;
        std::vector<std::string> calls = callsOf(function);
        const NodeId call = calls.empty() ? kNoNode : m_model.graph.find(calls.front());
        if (call != kNoNode && ops::isMissingFromPyTorch(*m_model.graph.node(call).callable()))
            return add(Foreseen::Kind::Unloadable, Message("foresee.missing_function", {{"name", function}}),
                       std::move(calls));
        const bool takesNodes = call != kNoNode && !m_model.graph.node(call).inputs().empty();
        if (takesNodes && std::find(std::begin(kOfData), std::end(kOfData), function) != std::end(kOfData)) {
            if (!isTraced) return;
            m_stops = true;
            return add(Foreseen::Kind::Unloadable, Message("foresee.reads_data", {{"name", function}}),
                       std::move(calls));
        }
        if (call != kNoNode && m_model.graph.node(call).callable()->fromTorch) return; // there, and not followed
        if (ops::reachesOutside(function)) return;                                     // `outside` tells more
        const auto isKnown = [&](const Warning& each) {
            return each.what.is("trace.call_kept") && each.what.argument("function") == function;
        };
        const bool wasThere = std::any_of(m_model.warnings.begin(), m_model.warnings.end(), isKnown);
        if (!wasThere)
            add(Foreseen::Kind::Changed, Message("foresee.needs_function", {{"name", function}}), std::move(calls));
    }

    void loadingMeets(const Warning& warning, bool notLoadable) {
        if (warning.what.is("trace.call_kept")) return missing(warning.what.argument("function"), true);
        const std::string cause = warning.what.argument("cause");
        const MessageArgument reason("reason", warning.what.argument("reason"));
        const MessageArgument place("place", warning.where.empty() ? "" : ", " + warning.where);
        const std::string node = nodeAt(warning);
        std::vector<std::string> nodes;
        if (!node.empty()) nodes.push_back(node);
        const bool isAtLoad = isOneOf(cause, kAtLoad);
        const bool isOfEffect = isAtLoad || warning.what.is("trace.tensor_changed_at_load");
        if (!notLoadable && isOfEffect && m_effects.contains(node)) return; // `effects` has reported more about it
        if (!notLoadable && isAtLoad)
            return add(Foreseen::Kind::Changed, Message("foresee.value_frozen", {reason}), std::move(nodes));
        if (!notLoadable || !warning.what.is("trace.load_fails"))
            return add(notLoadable ? Foreseen::Kind::Unloadable : Foreseen::Kind::Changed,
                       Message("foresee.loading_warns", {{"warning", warning.what.text()}, place}), std::move(nodes));
        const auto known = std::find_if(std::begin(kHopeless), std::end(kHopeless),
                                        [&](const Hopeless& each) { return cause == each.cause; });
        if (known == std::end(kHopeless))
            return add(Foreseen::Kind::Unloadable, Message("foresee.unloadable", {reason, place}), std::move(nodes));
        std::vector<std::string> calls = callsOf(known->target);
        add(Foreseen::Kind::Unloadable, Message(known->code, {reason, place}),
            std::move(calls.empty() ? nodes : calls));
    }

    /// The nodes that call a function; none for no name.
    std::vector<std::string> callsOf(std::string_view target) const {
        std::vector<std::string> nodes;
        for (const Node& node : m_model.graph.nodes())
            if (!target.empty() && node.op() == Op::CallFunction && node.target() == target)
                nodes.push_back(node.name());
        return nodes;
    }

    /// The node whose statement a warning of tracing is about.
    std::string nodeAt(const Warning& warning) {
        if (!warning.node.empty()) return warning.node;
        const std::size_t line = warning.textPlace.line;
        if (!warning.modulePath.empty() || line == 0) return {};
        if (!m_code) m_code = generatePython(m_model.graph);
        const PythonCode& code = *m_code;
        if (line > code.lineNodes.size() || code.lineNodes[line - 1] == kNoNode) return {};
        return m_model.graph.node(code.lineNodes[line - 1]).name();
    }

    void names(const Graph& after, MessageCode code) {
        const Graph& before = m_model.graph;
        std::vector<std::string> nodes, changed;
        NodeId a = before.first(), b = after.first();
        for (; a != kNoNode && b != kNoNode; a = before.next(a), b = after.next(b)) {
            if (before.size() != after.size() && before.node(a).target() != after.node(b).target()) break;
            if (before.node(a).name() == after.node(b).name()) continue;
            nodes.push_back(before.node(a).name());
            changed.push_back(before.node(a).name() + " becomes " + after.node(b).name());
        }
        if (before.size() != after.size() && !m_effects.empty()) return; // `effects` has reported why
        if (before.size() != after.size())
            return add(Foreseen::Kind::Changed,
                       Message("foresee.other_size", {{"before", before.size()}, {"after", after.size()}}),
                       a == kNoNode ? std::vector<std::string>() : std::vector{before.node(a).name()});
        if (nodes.empty()) return;
        add(Foreseen::Kind::Renamed, Message(code, {{"names", listed(changed, kShownNames)}}), std::move(nodes));
    }

    /// A GraphModule that is made anew takes over what its graph needs and each tensor and module once.
    void tensors(const Module& loaded) {
        std::set<std::string> kept;
        forEachModule(loaded, [&](const std::string& path, const Module& module) {
            for (const auto* slots : {&module.parameters, &module.buffers})
                for (const auto& slot : *slots) kept.insert(joinedPath(path, slot.name));
        });
        std::vector<std::string> gone;
        forEachModule(*m_model.root, [&](const std::string& path, const Module& module) {
            for (const auto* slots : {&module.parameters, &module.buffers})
                for (const auto& slot : *slots)
                    if (std::string name = joinedPath(path, slot.name);
                        slot.tensor && !(slot.tensor->storage && slot.tensor->storage->isExpression()) &&
                        !kept.contains(name))
                        gone.push_back(std::move(name));
        });
        if (gone.empty()) return;
        add(Foreseen::Kind::Lost,
            Message("foresee.tensors_lost", {{"count", gone.size()}, {"names", listed(gone, kShownNames)}}));
    }

    void folder() {
        if (std::string lost = lostInFolder(*m_model.root); !lost.empty())
            add(Foreseen::Kind::Lost, Message("foresee.sharing_lost", {{"what", lost}}));
    }

    void exported() {
        if (!dynamic_cast<const Pt2Origin*>(m_model.origin.get())) {
            add(Foreseen::Kind::Refused, Message("foresee.no_signature"));
            return;
        }
        pt2Form(m_model);
    }

    void source() {
        if (trainingChanges(m_model)) add(Foreseen::Kind::Lost, Message("foresee.mode_lost"));
        std::size_t count = 0;
        forEachModule(*m_model.root, [&](const std::string&, const Module& module) {
            forEachOwnTensor(module, [&count](const std::string&, const TensorPtr&) { ++count; });
        });
        if (count == 0) return;
        const auto loaded = foresee(m_model, SavedAs::GraphModule, m_progress);
        const bool fits = std::none_of(loaded.begin(), loaded.end(), [](const Foreseen& each) {
            return each.kind == Foreseen::Kind::Refused || each.kind == Foreseen::Kind::Unloadable;
        });
        const MessageCode code = fits ? MessageCode("foresee.no_weights") : MessageCode("foresee.no_weights_here");
        add(Foreseen::Kind::Lost, Message(code, {{"count", count}}));
    }

    /// Attributes for which TorchScript has no types. What has no words in a script is found by the writer.
    void attributes() {
        if (copied()) return;
        std::vector<std::string> lost;
        forEachModule(*m_model.root, [&](const std::string& path, const Module& module) {
            const bool isOwn = module.className == "GraphModule"; // `_in_spec` and the like are torch.fx's
            const bool isKnown = module.classModule.starts_with("torch.") && module.className != "Module" && !isOwn;
            if (isKnown || isScriptObject(module) || module.classModule == script::kBlockModule) return;
            for (const auto& [name, value] : module.attributes)
                if (const auto* literal = std::get_if<Argument>(&value);
                    literal && !(isOwn && name.starts_with('_')) && script::attributeType(*literal).empty())
                    lost.push_back(joinedPath(path, name));
        });
        lostAttributes(std::move(lost));
    }

    /// What stood at the root of the file stands below a module.
    void calledFiles() {
        if (copied()) return;
        for (const Module::Child& child : m_model.root->children)
            if (child.module && script::isScriptFile(*child.module))
                add(Foreseen::Kind::Changed, Message("foresee.file_is_module", {{"name", child.name}}),
                    callsOfModule(child.name));
    }

    /// With those that the import could not hold.
    void lostAttributes(std::vector<std::string> names) {
        if (const auto* origin = dynamic_cast<const script::ScriptOrigin*>(m_model.origin.get()))
            names.insert(names.end(), origin->report.attributes.begin(), origin->report.attributes.end());
        if (names.empty()) return;
        add(Foreseen::Kind::Lost,
            Message("foresee.attributes_lost", {{"count", names.size()}, {"names", listed(names, kShownNames)}}));
    }

    /// What only the TorchScript file has that the model was read from: the graph is one method in one mode.
    void script(SavedAs format) {
        const auto* origin = dynamic_cast<const script::ScriptOrigin*>(m_model.origin.get());
        if (!origin || (format == SavedAs::TorchScript && copied())) return;
        const std::string shown = script::methodOf(m_model);
        std::vector<std::string> others;
        const bool keepsMethods = format == SavedAs::TorchScript && script::onlyScriptFile(*m_model.root);
        for (const std::string& name : origin->methods)
            if (name != shown && (!keepsMethods || name == script::kForward)) others.push_back(name);
        if (!others.empty())
            add(Foreseen::Kind::Lost,
                Message("foresee.methods_lost", {{"count", others.size()}, {"names", listed(others, kShownNames)}}));
        if (shown != script::kForward && format == SavedAs::TorchScript)
            add(Foreseen::Kind::Changed, Message("foresee.method_is_forward", {{"name", shown}}));
        modes(*origin);
    }

    /// Parts of a script whose mode train() and eval() would change, as long as they are there.
    void modes(const script::ScriptOrigin& origin) {
        std::vector<std::string> names, nodes;
        auto takers = script::modeNodes(m_model.graph);
        for (const auto& [path, mode] : origin.report.modes) {
            nodes.insert(nodes.end(), takers[path].begin(), takers[path].end());
            if (mode.reads > mode.nodes) names.push_back(path.empty() ? "the module itself" : path);
        }
        names.insert(names.begin(), nodes.begin(), nodes.end());
        if (names.empty()) return;
        add(Foreseen::Kind::Changed,
            Message("foresee.mode_fixed", {{"count", names.size()}, {"names", listed(names, kShownNames)}}),
            std::move(nodes));
    }

    /// Only files of torch.save have them. Those that a description says its model once had are gone already.
    void hooks() {
        std::vector<std::string> names;
        for (const Warning& warning : m_model.warnings)
            if (warning.what.is("graphmodule.forward_hooks") && warning.what.argument(kSaidBy).empty())
                names.push_back(warning.what.argument("module"));
        if (names.empty()) return;
        add(Foreseen::Kind::Lost,
            Message("foresee.hooks_lost", {{"count", names.size()}, {"names", listed(names, kShownNames)}}));
    }

    bool copied() {
        if (!m_copied) m_copied = copiedScript(m_model, m_progress) != nullptr;
        return *m_copied;
    }

    void extraFiles() {
        const auto* exported = dynamic_cast<const Pt2Origin*>(m_model.origin.get());
        const auto files = exported ? script::extraFilesIn(exported->archive) : script::extraFilesOf(m_model);
        if (files.empty()) return;
        std::vector<std::string> names;
        for (const script::ExtraFile& file : files) names.push_back(file.name);
        add(Foreseen::Kind::Lost,
            Message("foresee.extra_files_lost", {{"count", files.size()}, {"names", listed(names, kShownNames)}}));
    }

    const GraphModule& m_model;
    const Progress& m_progress;
    std::optional<PythonCode> m_code; ///< made once, however many warnings are about lines of it
    std::optional<bool> m_copied;     ///< a TorchScript file is written as it was
    std::set<std::string> m_missing;
    std::set<std::string> m_effects; ///< nodes that PyTorch runs differently
    bool m_drawsOnce = false;        ///< random numbers among them
    bool m_stops = false;            ///< loading the file fails at a function that tracing here went past
    std::vector<Foreseen> m_found;
};

/// Makes the names those that the code of the file will have.
std::vector<Foreseen> renamedFor(GraphModule& module, SavedAs format) {
    std::vector<Foreseen> found;
    if (format == SavedAs::GraphModule && keptCode(module)) return found;
    const Graph before = module.graph;
    for (const RenamedNode& each : renameHidingNames(module.graph))
        found.push_back({Foreseen::Kind::Renamed,
                         Message("foresee.input_renamed", {{"before", each.before}, {"after", each.after}}),
                         {before.node(each.node).name()}});
    return found;
}

} // namespace

std::vector<Foreseen> foresee(const GraphModule& model, SavedAs format, const Progress& progress) {
    const bool isTraced = format == SavedAs::GraphModule || format == SavedAs::Folder;
    if (!isTraced && format != SavedAs::Source) return Foresight(model, progress).look(format);
    try {
        const bool isExport = isTraced && isLifted(model);
        GraphModule module = isExport ? unliftedForTracing(model) : model;
        std::vector<Foreseen> found = renamedFor(module, format);
        std::vector<Foreseen> others = Foresight(module, progress).look(format);
        found.insert(found.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
        if (!isExport) return found;
        for (Foreseen& each : found)
            if (format == SavedAs::GraphModule &&
                (each.kind == Foreseen::Kind::Unloadable || each.what.argument("mode") == kAutocast))
                each.kind = Foreseen::Kind::Refused; // the program itself can be loaded
        for (const Warning& warning : module.warnings) found.push_back({Foreseen::Kind::Changed, warning.what, {}});
        return found;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        return {{Foreseen::Kind::Refused, error.message(),
                 error.node.empty() ? std::vector<std::string>() : std::vector{error.node}}};
    }
}

} // namespace fx
