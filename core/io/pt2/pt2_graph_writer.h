// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/pt2/pt2_graph.h"
#include "core/io/pt2/pt2_link.h"
#include "core/io/pt2/pt2_tables.h"
#include "core/ops/catalogue.h"

namespace fx {

/// Writes a graph as the JSON of a `schema.Graph`. Unedited parts keep their text; other parts follow the schemas of
/// the operators, like `torch.export.save`. Throws Error{Refused} for content that an exported graph cannot hold.
class Pt2GraphWriter {
public:
    /// `before` is the model as it was read, `asRead` the positions of its parts in the document.
    Pt2GraphWriter(JsonWriter& json, const GraphModule& module, const GraphModule& before,
                   const Pt2GraphsAsRead& asRead, Warnings& warnings);

    /// Writes the graph as the next value.
    void write();
    /// Writes a value as an Argument of the schema: `{"as_tensor": {"name": "x"}}`.
    void argument(const Argument& value, std::string_view type = {});
    /// Maps nodes to those of `before`.
    const Pt2Link& link() const { return m_link; }
    /// Returns the values that the graph returns.
    std::vector<Argument> results() const;

private:
    void inputs();
    void nodes();
    void outputs();
    void node(const Node& node);
    void nodeInputs(const Node& node, const Node* before, JsonValue asRead);
    std::pair<JsonValue, std::vector<std::string_view>> callInFile(const Node& node) const;
    std::vector<std::string_view> argumentNames(const Node& node) const;
    std::size_t resultsInFile(const Node& node) const;
    void copyInputs(JsonValue inputs);
    void input(std::string_view name, const Argument& value, int kind, std::string_view type = {});
    void nodeOutputs(const Node& node, const Node* before, JsonValue asRead);
    void newOutputs(const Node& node, const ops::Operator& op);
    void newOutputs(const Node& node, std::size_t count);
    std::vector<NodeId> itemsOf(const Node& node) const;
    void newTensor(const Node& node, const std::vector<NodeId>& items, std::size_t place, bool areFlat);
    void metadata(const Node& node, const Node* before, JsonValue asRead);
    void subgraph(const std::string& name);
    void sequence(const std::vector<Argument>& items, std::string_view type);
    void symbols(const char* tag, const std::vector<Argument>& items);
    void optionalTensor(const Argument& value);
    bool torchConstant(const Argument& value);
    bool literal(const Argument& value);
    bool isNodeOf(const Argument& value, Pt2Kind kind) const;
    /// Records the meaning of a name. `node` is the node with this value, or kNoNode; `oldName` is the name in the
    /// file, or empty.
    void define(const std::string& name, NodeId node, const std::string& oldName, const Node& madeBy);
    void defineNames(JsonValue outputs, const Node& node);
    ValueInfo guess(const Node& node, const std::string& name);
    bool isImplicit(const Node& node) const;
    [[noreturn]] void refuse(const Node& node, const Message& what) const;

    JsonWriter& m_json;
    const GraphModule &m_module, &m_before;
    const Graph& m_graph;
    const Pt2GraphsAsRead& m_allAsRead;
    const Pt2GraphAsRead& m_asRead;
    Warnings& m_warnings;
    Pt2Link m_link;
    Pt2Tables m_tables;
    const Node* m_writing = nullptr;
};

/// Returns true if the node calls an operator, known or not.
inline bool isPt2Operator(const Node& node) {
    return node.callable() && node.callable()->kind == Callable::Kind::OpOverload;
}
/// Returns true if the operator has one result, a list of tensors.
bool returnsTensorList(const ops::Operator& op);

} // namespace fx
