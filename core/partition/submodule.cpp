// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/partition/submodule.h"

#include "core/base/joined_path.h"

namespace fx {

Module* AttributeTree::madeAt(const std::string& path) {
    Module* holder = m_places.at("").module.get();
    for (std::size_t start = 0; start < path.size();) {
        const auto end = std::min(path.find('.', start), path.size());
        const auto [place, isNew] = m_places.try_emplace(path.substr(0, end));
        if (isNew) {
            auto module = emptyModule();
            place->second = {module, true};
            holder->children.push_back({path.substr(start, end - start), std::move(module)});
        }
        if (!place->second.made) return nullptr; // what lies below comes with it
        holder = place->second.module.get();
        start = end + 1;
    }
    return holder;
}

void AttributeTree::putModule(Module& holder, const std::string& name, const std::string& path,
                              const std::shared_ptr<Module>& module) {
    const auto [place, isNew] = m_places.try_emplace(path);
    place->second = {module, false};
    if (isNew) {
        holder.children.push_back({name, module});
        return;
    }
    for (auto& child : holder.children)
        if (child.name == name) child.module = module;
}

void AttributeTree::assign(const std::string& path, const PathTarget& value) {
    if (!m_done.insert(path).second) return;
    const std::string name(lastAtom(path));
    Module* holder = madeAt(std::string(parentPath(path)));
    if (!holder) return;
    if (value.kind == PathTarget::Kind::Module) putModule(*holder, name, path, value.shared);
    else if (value.tensor)
        (value.tensor->isParameter ? holder->parameters : holder->buffers).push_back({name, value.tensor});
    else holder->attributes.emplace_back(name, value.value ? *value.value : Argument());
}

std::shared_ptr<Module> asGraphModule(const std::shared_ptr<Module>& root, Graph graph, const std::string& className) {
    root->className = className;
    root->classModule = "torch.fx.graph_module";
    auto nested = std::make_shared<GraphModule>();
    nested->className = className;
    nested->graph = std::move(graph);
    nested->root = std::make_shared<Module>(*root);
    root->graphModule = std::move(nested);
    return root;
}

std::shared_ptr<Module> rootWithSubgraphs(const GraphModule& model) {
    if (model.subgraphs.empty()) return model.root;
    auto root = std::make_shared<Module>(*model.root);
    for (const auto& [name, graph] : model.subgraphs) {
        if (root->child(name)) continue;
        // They nest as deep as the file's JSON, which is bounded.
        root->children.push_back(
            {name, asGraphModule(std::make_shared<Module>(*rootWithSubgraphs(*graph)), graph->graph, "GraphModule")});
    }
    return root;
}

PathTarget needTarget(PathResolver& paths, const Node& node) {
    PathTarget target = paths.resolve(node.target());
    if (target.kind == PathTarget::Kind::Missing)
        throw Error(ErrorKind::Refused,
                    Message("partition.missing_target",
                            {{"node", node.name()}, {"target", node.target()}, {"missing", target.missingAt}}))
            .onNode(node.name())
            .onModule(node.target());
    return target;
}

NodeId copyNode(Graph& to, const Node& node, const std::function<Argument(NodeId)>& map, std::string_view name,
                const std::string& target) {
    const NodeId copy = to.createCopy(node, map, name, target);
    if (node.sharedMeta()) to.setMeta(copy, node.sharedMeta());
    return copy;
}

} // namespace fx
