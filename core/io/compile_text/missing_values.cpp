// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/compile_text/missing_values.h"

#include "core/base/joined_path.h"
#include "core/base/plain_number.h"
#include "core/base/text_hash.h"
#include "core/module/subgraphs.h"
#include "core/tensor/row_major.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace fx {
namespace {

/// The tensor of an annotation, without values; null if it does not say the shape in numbers.
TensorPtr tensorOf(const Node& node) {
    if (node.meta().values.empty() || !node.meta().values[0].isTensor) return nullptr;
    const ValueInfo& info = node.meta().values[0];
    const auto dtype = dtypeFromName(info.dtype);
    const auto sizes = plainNumbers(info.sizes), strides = plainNumbers(info.strides);
    if (!dtype || !sizes || !strides) return nullptr;
    TensorRef tensor;
    tensor.dtype = *dtype;
    tensor.sizes = *sizes;
    tensor.strides = strides->size() == sizes->size() ? *strides : rowMajorStrides(*sizes);
    tensor.device = info.device.empty() ? "cpu" : info.device;
    return tensor.geometryProblem().empty() ? std::make_shared<const TensorRef>(std::move(tensor)) : nullptr;
}

constexpr std::string_view kNoValue = "<not in the dump>";

bool isNoValue(const Argument* value) {
    const auto* object = value ? value->as<OpaqueObject>() : nullptr;
    return object && object->repr == kNoValue;
}

/// Whether it takes the place of a module that the text does not describe.
bool isUnknown(const Module& module) {
    return !module.graphModule && module.className == "Module" && module.children.empty();
}

class MissingValues {
public:
    explicit MissingValues(GraphModule& module) : m_module(module), m_paths(*module.root) {
        m_modules.emplace("", module.root);
    }

    void add() {
        for (const Node& node : m_module.graph.nodes()) {
            if (node.op() != Op::GetAttr && node.op() != Op::CallModule) continue;
            if (hasSubgraph(m_module, node.target()) || !m_seen.insert(node.target()).second) continue;
            const PathTarget target = m_paths.resolve(node.target());
            m_valueless += target.tensor && !target.tensor->storage; // large buffers of a runnable
            if (target.kind == PathTarget::Kind::Missing) m_added.push_back(node.id());
        }
        for (const NodeId id : m_added) {
            const Node& node = m_module.graph.node(id);
            if (node.op() == Op::CallModule) moduleAt(node.target());
            else addTensor(node);
        }
        warn();
    }

private:
    /// The module at a path, made where it does not exist; null below something else.
    std::shared_ptr<Module> moduleAt(std::string_view path) {
        if (const auto known = m_modules.find(path); known != m_modules.end()) return known->second;
        const std::string_view above = parentPath(path), name = lastAtom(path);
        // Paths are short: their depth is limited by that of expressions.
        const std::shared_ptr<Module> parent = name == path ? m_module.root : moduleAt(above);
        if (!parent) return nullptr;
        const auto child = std::find_if(parent->children.begin(), parent->children.end(),
                                        [&](const Module::Child& each) { return each.name == name; });
        std::shared_ptr<Module> made = child == parent->children.end() ? nullptr : child->module;
        if (!made) {
            made = emptyModule();
            parent->children.push_back({std::string(name), made});
        }
        return m_modules.emplace(std::string(path), std::move(made)).first->second;
    }

    void addTensor(const Node& node) {
        const std::string& path = node.target();
        const std::string name(lastAtom(path));
        const auto holder = name == path ? m_module.root : moduleAt(parentPath(path));
        if (!holder) return;
        if (const TensorPtr tensor = tensorOf(node)) holder->buffers.push_back({name, tensor, true});
        else holder->attributes.emplace_back(name, Argument(OpaqueObject{"", std::string(kNoValue), {}}));
    }

    void warn() {
        std::size_t added = 0;
        for (const NodeId id : m_added) added += m_module.graph.node(id).op() == Op::GetAttr;
        const std::size_t values = added + m_valueless;
        if (values > 0) m_module.warnings.push_back({Message("compile.no_values", {{"count", values}}), {}, {}, {}});
        if (added < m_added.size())
            m_module.warnings.push_back(
                {Message("compile.no_modules", {{"count", m_added.size() - added}}), {}, {}, {}});
    }

    GraphModule& m_module;
    PathResolver m_paths; ///< of the tree before anything is added
    std::vector<NodeId> m_added;
    std::unordered_set<std::string> m_seen;
    std::size_t m_valueless = 0;
    std::unordered_map<std::string, std::shared_ptr<Module>, TextHash, std::equal_to<>> m_modules;
};
} // namespace

void addMissingValues(GraphModule& module) { MissingValues(module).add(); }

void requireValues(const GraphModule& module) {
    if (module.format != Format::CompileGraph) return;
    std::vector<const GraphModule*> open{&module};
    while (!open.empty()) {
        const GraphModule& graph = *open.back();
        open.pop_back();
        for (const auto& [name, inner] : graph.subgraphs) open.push_back(inner.get());
        PathResolver paths(*graph.root);
        for (const Node& node : graph.graph.nodes()) {
            const bool reads = node.op() == Op::GetAttr;
            if ((!reads && node.op() != Op::CallModule) || hasSubgraph(graph, node.target())) continue;
            const PathTarget target = paths.resolve(node.target());
            if (target.module && target.module->graphModule) open.push_back(target.module->graphModule.get());
            const bool isMissing = reads ? (target.tensor && !target.tensor->storage) || isNoValue(target.value)
                                         : target.module && isUnknown(*target.module);
            if (isMissing)
                throw Error(ErrorKind::Refused, Message("compile.values_not_in_dump", {{"name", node.target()}}))
                    .onNode(node.name());
        }
    }
}

} // namespace fx
