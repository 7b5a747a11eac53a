// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/foresee.h"

#include "core/codegen/python_code.h"
#include "core/io/graphmodule/folder_writer.h"
#include "core/io/pt2/pt2.h"
#include "core/io/pt2/pt2_form.h"
#include "core/model_files/after_loading.h"
#include "core/model_files/unlift.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace fx {
namespace {

constexpr std::size_t kShownNames = 5;
constexpr const char* kKeeps = "save it as .lancet or .json, which keep the graph as it is";

/// Calls that are fine in a graph and that Python cannot run on proxies: what its message contains, the target, what
/// does the same.
struct Hopeless {
    std::string_view message, target, remedy;
};
constexpr Hopeless kHopeless[] = {
    {"item assignment", "_operator.setitem",
     "put an operator that makes a new tensor in its place, such as torch.index_put, torch.slice_scatter or "
     "torch.where"},
    {"control flow", "_operator.not_", "put torch.logical_not in its place"},
    {"'len' is not supported", "builtins.len", "put x.size(0) in its place"},
    {"cannot be iterated", "_operator.contains", "put torch.isin in its place"},
    {"operands of torch.ops.higher_order", "", "save an exported program as .pt2"},
    {"IndentationError", "", "add a node between inputs and output: a forward without statements is no Python"},
};

std::string counted(std::size_t count, const char* one, const char* many) {
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

class Foresight {
public:
    Foresight(const GraphModule& model, const Progress& progress) : m_model(model), m_progress(progress) {}

    std::vector<Foreseen> look(SavedAs format) {
        try {
            if (format == SavedAs::GraphModule || format == SavedAs::Folder) loadedAgain();
            if (format == SavedAs::Folder) folder();
            if (format == SavedAs::Pt2) exported();
            if (format == SavedAs::Source) source();
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            add(Foreseen::Kind::Refused, error.what(), error.hint.empty() ? kKeeps : error.hint,
                error.node.empty() ? std::vector<std::string>() : std::vector{error.node});
        }
        return std::move(m_found);
    }

private:
    void add(Foreseen::Kind kind, std::string what, std::string remedy, std::vector<std::string> nodes = {}) {
        m_found.push_back({kind, std::move(what), std::move(remedy), std::move(nodes)});
    }

    void loadedAgain() {
        if (keptCode(m_model)) { // loading it again gives what loading it gave
            if (m_model.notLoadable)
                add(Foreseen::Kind::Unloadable,
                    "PyTorch cannot load this file, as it could not load the one it came from", kKeeps);
            return;
        }
        m_progress.report("looking ahead", 0);
        const GraphModule loaded = afterLoading(m_model);
        m_progress.check();
        for (const Warning& warning : loaded.warnings) loadingMeets(warning, loaded.notLoadable);
        if (loaded.notLoadable) return; // the graph is then the one that was written
        regions();
        frozen(loaded.graph);
        names(loaded.graph);
        tensors(*loaded.root);
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
        if (left < before)
            add(Foreseen::Kind::Changed,
                "what depends on no input is computed once, while PyTorch loads the file: " +
                    counted(before - left, "operator is", "operators are") + " not in its graph",
                "save an exported program as .pt2");
    }

    /// Tracing runs them: of `wrap_with_autocast(…, f, x)` a call of f is left.
    void regions() {
        for (const auto& [name, mode] : {std::pair("wrap_with_autocast", "torch.autocast"),
                                         std::pair("wrap_with_set_grad_enabled", "its mode of gradients")}) {
            std::vector<std::string> nodes;
            for (const Node& node : m_model.graph.nodes())
                if (node.op() == Op::CallFunction && node.callable()->kind == Callable::Kind::HigherOrderOp &&
                    node.callable()->name == name)
                    nodes.push_back(node.name());
            if (nodes.empty()) continue;
            std::string what = "PyTorch traces the code again when it loads the file, and loses " + std::string(mode) +
                               " around " + nodes.front();
            if (nodes.size() > 1) what += " and " + counted(nodes.size() - 1, "other node", "other nodes");
            add(Foreseen::Kind::Changed, std::move(what), "save an exported program as .pt2", std::move(nodes));
        }
    }

    void loadingMeets(const Warning& warning, bool notLoadable) {
        if (!notLoadable && warning.what.text().find("while the file loads") !=
                                std::string::npos) { // self.count is changed while the file loads
            const std::size_t open = warning.what.text().find('('), close = warning.what.text().find("); the graph");
            const std::string why =
                open < close ? warning.what.text().substr(open + 1, close - open - 1) : warning.what.text();
            std::string node = nodeAt(warning);
            return add(
                Foreseen::Kind::Changed,
                "what depends on no input is computed once, while PyTorch loads the file, and not by each run: " + why,
                "save an exported program as .pt2",
                node.empty() ? std::vector<std::string>() : std::vector{std::move(node)});
        }
        const auto known = std::find_if(std::begin(kHopeless), std::end(kHopeless), [&](const Hopeless& each) {
            return warning.what.text().find(each.message) != std::string::npos;
        });
        if (!notLoadable || known == std::end(kHopeless)) {
            std::string node = nodeAt(warning);
            return add(notLoadable ? Foreseen::Kind::Unloadable : Foreseen::Kind::Changed,
                       warning.what.text() + (warning.where.empty() ? "" : ", " + warning.where), kKeeps,
                       node.empty() ? std::vector<std::string>() : std::vector{std::move(node)});
        }
        std::vector<std::string> nodes;
        for (const Node& node : m_model.graph.nodes())
            if (!known->target.empty() && node.op() == Op::CallFunction && node.target() == known->target)
                nodes.push_back(node.name());
        if (nodes.empty())
            if (std::string node = nodeAt(warning); !node.empty()) nodes.push_back(std::move(node));
        add(Foreseen::Kind::Unloadable,
            warning.what.text().substr(0, warning.what.text().find("; the graph is shown")) +
                (warning.where.empty() ? "" : ", " + warning.where),
            std::string(known->remedy) + ", or " + kKeeps, std::move(nodes));
    }

    /// The node whose statement a warning of tracing is about: it says "line 7: …".
    std::string nodeAt(const Warning& warning) const {
        if (!warning.node.empty()) return warning.node;
        if (!warning.modulePath.empty() || !warning.where.starts_with("line ")) return {};
        const PythonCode code = generatePython(m_model.graph);
        const std::size_t line = std::strtoul(warning.where.c_str() + 5, nullptr, 10);
        if (line == 0 || line > code.lineNodes.size() || code.lineNodes[line - 1] == kNoNode) return {};
        return m_model.graph.node(code.lineNodes[line - 1]).name();
    }

    void names(const Graph& after) {
        const Graph& before = m_model.graph;
        std::string changed;
        std::vector<std::string> nodes;
        NodeId a = before.first(), b = after.first();
        for (; a != kNoNode && b != kNoNode; a = before.next(a), b = after.next(b)) {
            if (before.size() != after.size() && before.node(a).target() != after.node(b).target()) break;
            if (before.node(a).name() == after.node(b).name()) continue;
            nodes.push_back(before.node(a).name());
            if (nodes.size() <= kShownNames)
                changed += (nodes.size() == 1 ? "" : ", ") + before.node(a).name() + " becomes " + after.node(b).name();
        }
        if (before.size() != after.size())
            return add(Foreseen::Kind::Changed,
                       "PyTorch traces the code again when it loads the file: its graph will have " +
                           std::to_string(after.size()) + " nodes instead of " + std::to_string(before.size()),
                       kKeeps, a == kNoNode ? std::vector<std::string>() : std::vector{before.node(a).name()});
        if (nodes.empty()) return;
        if (nodes.size() > kShownNames) changed += " and " + std::to_string(nodes.size() - kShownNames) + " more";
        add(Foreseen::Kind::Renamed, "PyTorch names nodes anew when it loads the file: " + changed,
            "save it as .lancet or .json, which keep the names", std::move(nodes));
    }

    /// A GraphModule that is made anew takes over what its graph needs and each tensor and module once.
    void tensors(const Module& loaded) {
        std::set<std::string> kept;
        forEachModule(loaded, [&](const std::string& path, const Module& module) {
            for (const auto* slots : {&module.parameters, &module.buffers})
                for (const auto& slot : *slots) kept.insert(path.empty() ? slot.name : path + "." + slot.name);
        });
        std::vector<std::string> gone;
        forEachModule(*m_model.root, [&](const std::string& path, const Module& module) {
            for (const auto* slots : {&module.parameters, &module.buffers})
                for (const auto& slot : *slots)
                    if (std::string name = path.empty() ? slot.name : path + "." + slot.name;
                        slot.tensor && !(slot.tensor->storage && slot.tensor->storage->isExpression()) &&
                        !kept.contains(name))
                        gone.push_back(std::move(name));
        });
        if (gone.empty()) return;
        std::string text = gone.front();
        for (std::size_t i = 1; i < std::min(gone.size(), kShownNames); ++i) text += ", " + gone[i];
        if (gone.size() > kShownNames) text += " and " + std::to_string(gone.size() - kShownNames) + " more";
        add(Foreseen::Kind::Lost,
            "PyTorch does not take over " +
                counted(gone.size(),
                        "tensor that it has under another name: ", "tensors that it has under other names: ") +
                text,
            "save it as .lancet or .json, which keep every name");
    }

    void folder() {
        if (std::string lost = lostInFolder(*m_model.root); !lost.empty())
            add(Foreseen::Kind::Lost, std::move(lost), "save it as .pt, which keeps what is shared");
    }

    void exported() {
        if (!dynamic_cast<const Pt2Origin*>(m_model.origin.get())) {
            add(Foreseen::Kind::Refused,
                "only a model with the signature of an export can be saved as .pt2: one that came from a .pt2 file and "
                "is still whole",
                "save it as .pt and export it with torch.export");
            return;
        }
        pt2Form(m_model);
    }

    void source() {
        std::size_t count = 0;
        forEachModule(*m_model.root, [&](const std::string&, const Module& module) {
            count += module.parameters.size() + module.buffers.size();
        });
        if (count > 0)
            add(Foreseen::Kind::Lost,
                "Python source has no weights: " + counted(count, "tensor is", "tensors are") + " not in it",
                "save it as .pt or .lancet too");
    }

    const GraphModule& m_model;
    const Progress& m_progress;
    std::vector<Foreseen> m_found;
};

} // namespace

SavedAs savedAs(std::string_view path) {
    constexpr std::pair<std::string_view, SavedAs> kEndings[] = {{".pt2", SavedAs::Pt2},
                                                                 {"/", SavedAs::Folder},
                                                                 {".json", SavedAs::Description},
                                                                 {".py", SavedAs::Source},
                                                                 {".lancet", SavedAs::Project}};
    for (const auto& [ending, format] : kEndings)
        if (path.ends_with(ending)) return format;
    return SavedAs::GraphModule;
}

std::vector<Foreseen> foresee(const GraphModule& model, SavedAs format, const Progress& progress) {
    if (!isLifted(model) || (format != SavedAs::GraphModule && format != SavedAs::Folder))
        return Foresight(model, progress).look(format);
    try {
        const GraphModule module = unlifted(model);
        auto found = Foresight(module, progress).look(format);
        for (const Warning& warning : module.warnings)
            found.push_back({Foreseen::Kind::Changed, warning.what.text(), {}, {}});
        return found;
    } catch (const Error& error) {
        return {{Foreseen::Kind::Refused, error.what(), error.hint,
                 error.node.empty() ? std::vector<std::string>() : std::vector{error.node}}};
    }
}

Warning warningOf(const Foreseen& foreseen) {
    return {foreseen.what + (foreseen.remedy.empty() ? "" : "; " + foreseen.remedy),
            foreseen.nodes.size() == 1 ? foreseen.nodes.front() : std::string(),
            {},
            {}};
}

} // namespace fx
