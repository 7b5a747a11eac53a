// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/pt2/pt2_graph_writer.h"

namespace fx {

/// Returns the input name in a spec of the signature; empty for literals without a name.
std::string pt2SpecName(JsonValue spec);

/// Writes the signature of an exported program and the nesting of user inputs and outputs, for a possibly edited graph.
class Pt2SignatureWriter {
public:
    /// `asRead` is the `graph_module` of the document.
    Pt2SignatureWriter(JsonWriter& json, Pt2GraphWriter& graph, const GraphModule& model, const GraphModule& before,
                       JsonValue asRead, Warnings& warnings);

    /// Writes the signature as the next value. Call it before `writeCallGraph`.
    void write(JsonValue signature);
    /// Writes the module call graph, which holds the nesting.
    void writeCallGraph(JsonValue entries);
    /// True if the user inputs differ from those in the file.
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
