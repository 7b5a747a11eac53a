// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/pt2/pt2_graph_writer.h"

namespace fx {

/// The input name in a spec of the signature; empty for literals without a name.
std::string pt2SpecName(JsonValue spec);

/// Writes the signature of an exported program and the nesting of user inputs and outputs, for a graph that may have
/// been edited.
class Pt2SignatureWriter {
public:
    /// `asRead`: the `graph_module` of the document.
    Pt2SignatureWriter(JsonWriter& json, Pt2GraphWriter& graph, const GraphModule& model, const GraphModule& before,
                       JsonValue asRead, Warnings& warnings);

    void write(JsonValue signature);
    void writeCallGraph(JsonValue entries);
    /// Whether the user's inputs differ from those in the file.
    bool inputsChanged() const { return m_inputsChanged; }

private:
    void inputSpec(const LiftedInput& input, const std::unordered_map<std::uint32_t, JsonValue>& old);
    void outputSpecs(JsonValue old);
    std::string_view renamed(std::string_view name) const;
    void needInput(std::string_view name, std::string_view kind) const;
    void moduleSignature(JsonValue old);
    void findChanges();

    JsonWriter& m_json;
    Pt2GraphWriter& m_graph;
    const GraphModule &m_model, &m_before;
    JsonValue m_asRead;
    Warnings& m_warnings;
    std::vector<std::string> m_userInputs; ///< names
    std::size_t m_userOutputs = 0;
    bool m_inputsChanged = false, m_outputsChanged = false;
};

} // namespace fx
