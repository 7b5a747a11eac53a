// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/joined_path.h"
#include "core/ops/catalogue.h"
#include "core/torchscript/importing/importer.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace fx::script {
namespace {

/// `x.size()`, `x.dtype`, `len(x)`: the result does not depend on elements.
bool describesTensor(const fx::Node& node) {
    static constexpr std::string_view kDescribing[] = {
        "size",           "dim",        "numel",      "stride",      "is_contiguous", "is_floating_point",
        "storage_offset", "is_complex", "get_device", "element_size"};
    const std::string& target = node.target();
    if (node.op() == Op::CallFunction) return target == "getattr" || target == "len";
    return node.op() == Op::CallMethod &&
           std::find(std::begin(kDescribing), std::end(kDescribing), target) != std::end(kDescribing);
}

/// `tensor.to(...)` of a tensor of the model.
bool convertsAttribute(const Graph& graph, const fx::Node& node) {
    const bool converts = (node.op() == Op::CallMethod && node.target() == "to") ||
                          (node.op() == Op::CallFunction && node.target().starts_with("torch.ops.aten.to."));
    return converts && !node.args().empty() && node.args()[0].isNode() &&
           graph.node(node.args()[0].node()).op() == Op::GetAttr;
}

/// Whether a value may differ in the next call on inputs of the same sizes, dtypes and devices: it depends on values of
/// the inputs, on random numbers, or on the tensors at the paths `kept`, which it replaces. Converting these
/// (`tensor.to`) makes no difference. Calls `visit` for each node that it looks at.
bool differsInNextCall(const Graph& graph, const Argument& value, const std::set<std::string>& kept,
                       const std::function<void()>& visit) {
    std::vector<NodeId> open;
    std::unordered_set<NodeId> seen;
    const auto add = [&](NodeId id) {
        if (seen.insert(id).second) open.push_back(id);
    };
    for (forEachNode(value, add); !open.empty();) {
        const fx::Node& node = graph.node(open.back());
        open.pop_back();
        visit();
        if (node.op() == Op::Placeholder || (node.op() == Op::GetAttr && kept.contains(node.target()))) return true;
        if (describesTensor(node)) continue;
        const auto known = node.op() == Op::CallFunction ? ops::findOperator(node.target()) : std::nullopt;
        if (known && known->isNondeterministicSeeded()) return true;
        for (std::size_t i = convertsAttribute(graph, node) ? 1 : 0; i < node.args().size(); ++i)
            forEachNode(node.args()[i], add);
        for (const auto& [name, argument] : node.kwargs()) forEachNode(argument, add);
    }
    return false;
}

} // namespace

/// Whether the next call would compute this value again, so that the graph computes it in each call. Lists of numbers
/// and objects count as computed from sizes, as in an R-CNN.
bool Importer::isCache(const CallFrame& frame, std::uint32_t id, const std::set<std::string>& kept) {
    static constexpr std::string_view kSingle[] = {"int", "float", "bool", "complex", "number", "str"};
    std::string_view type = frame.typeOf(id).text;
    if (type.ends_with('?')) type.remove_suffix(1);
    if (std::find(std::begin(kSingle), std::end(kSingle), type) != std::end(kSingle)) return false; // a counter
    if (type.find("Tensor") == type.npos) return true;
    return !differsInNextCall(m_module->graph, m_recorder.argument(frame, frame.value(id)), kept,
                              [this] { m_recorder.countStep(); });
}

/// The same for what the script assigns to an attribute of a module: anchors on another device, what is None in the
/// file.
bool Importer::isCache(const CallFrame& frame, const Node& assignment, const Object& holder, const std::string& path) {
    const std::uint32_t item = assignment.inputs.at(1);
    const Argument* inFile = holder.setting(m_program, assignment.name);
    if (frame.typeOf(item).text != "Tensor[]" && !(inFile && inFile->isNone())) return false;
    std::set<std::string> kept;
    const Object::Field* field = holder.field(assignment.name);
    if (const auto* list = field ? std::get_if<std::vector<TensorPtr>>(field) : nullptr) {
        const auto constantPath = [this](const TensorPtr& tensor) { return m_constants.pathOf(tensor); };
        const Symbol tensors = tensorList(holder, path, *list, constantPath);
        for (const Symbol& each : *tensors.items) kept.insert(each.path);
    }
    return isCache(frame, item, kept);
}

} // namespace fx::script
