// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/joined_path.h"
#include "core/edit/steps/step.h"
#include "core/io/graphmodule/graphmodule_reader.h"
#include "core/io/zip/file_inside.h"
#include "core/module/module_editor.h"
#include "core/trace/retrace.h"

#include <map>

namespace fx {
namespace {

/// Brings the modules and tensors that the nodes of `from` name into a model, under free paths.
class Guests {
public:
    Guests(const GraphModule& from, GraphModule& to) : m_from(from), m_to(to) {}

    /// The path in the model for a target of `from`.
    const std::string& pathOf(const std::string& target) {
        const auto known = m_paths.find(target);
        if (known != m_paths.end()) return known->second;
        const PathTarget guest = resolvePath(*m_from.root, target);
        std::string free = target;
        for (int i = 1; resolvePath(*m_to.root, free).kind != PathTarget::Kind::Missing; ++i)
            free = target + "_" + std::to_string(i);
        if (guest.kind == PathTarget::Kind::Module) addModule(free, *guest.module);
        else if (guest.tensor) addTensor(free, guest);
        return m_paths.emplace(target, std::move(free)).first->second;
    }

private:
    void addModule(const std::string& path, const Module& module) {
        if (!ModuleEditor(m_to).add(path, deepCopy(module)))
            throw Error(ErrorKind::Refused, Message("edit.path_taken", {{"path", path}})).onModule(path);
    }
    void addTensor(const std::string& path, const PathTarget& guest) {
        const std::string holder(parentPath(path));
        if (!holder.empty() && resolvePath(*m_to.root, holder).kind == PathTarget::Kind::Missing)
            addModule(holder, *emptyModule());
        ModuleEditor editor(m_to);
        Module* module = editor.writable(holder);
        if (!module) throw Error(ErrorKind::Refused, Message("edit.path_taken", {{"path", path}})).onModule(path);
        auto& slots = guest.kind == PathTarget::Kind::Parameter ? module->parameters : module->buffers;
        slots.push_back({std::string(lastAtom(path)), deepCopy(guest.tensor)});
    }

    const GraphModule& m_from;
    GraphModule& m_to;
    std::map<std::string, std::string> m_paths;
};

/// What stands for the inputs of the inserted model.
std::map<std::string, Argument> inputsOf(const Step& step, const Graph& guest) {
    std::map<std::string, Argument> inputs;
    for (auto& [name, value] : kwargsFromJson(step.at("inputs"), step.graph())) inputs.emplace(name, value);
    for (const auto& [name, value] : inputs)
        if (const NodeId input = guest.find(name); input == kNoNode || guest.node(input).op() != Op::Placeholder)
            throw step.refused(Message("edit.inserted_input", {{"name", name}}));
    for (const Node& node : guest.nodes())
        if (node.op() == Op::Placeholder && !inputs.contains(node.name())) {
            if (node.args().empty()) throw step.refused(Message("edit.inserted_without", {{"name", node.name()}}));
            inputs.emplace(node.name(), node.args()[0]); // its default
        }
    return inputs;
}

} // namespace

void insertModel(const Step& step) {
    const auto guest =
        readGraphModule(TorchFile::open(ZipArchive::open(openFileInside(step.text("file"))), step.progress),
                        retraceSavedCode, step.progress);
    const auto inputs = inputsOf(step, guest->graph);
    Guests guests(*guest, step.model);
    Graph& graph = step.graph();
    graph.setInsertPoint({InsertPoint::Side::After, step.node("after")});
    std::map<NodeId, Argument> copies;
    const auto mapped = [&](NodeId id) { return copies.at(id); };
    for (const Node& node : guest->graph.nodes()) {
        if (node.op() == Op::Output) continue;
        if (node.op() == Op::Placeholder) {
            copies.emplace(node.id(), inputs.at(node.name()));
            continue;
        }
        const bool named = node.op() == Op::CallModule || node.op() == Op::GetAttr;
        const NodeId made =
            graph.createCopy(node, mapped, node.name(), named ? guests.pathOf(node.target()) : std::string());
        copies.emplace(node.id(), Argument(made));
        graph.setInsertPoint({InsertPoint::Side::After, made});
    }
    graph.setInsertPoint({});
}

} // namespace fx
