// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/call_text.h"
#include "core/module/graph_module.h"
#include "core/ops/family.h"

#include <string>
#include <unordered_map>

namespace fx {

/// The texts of the card of a node:
///
///     ┃ conv1           64×56×56        ┃ mean           4×512        ┃ weight        2.0 MB
///     ┃ Conv2d 64→64 3×3                ┃ aten.mean(-1, -2)           ┃ Parameter 1000×512
struct CardText {
    std::string name;        ///< name without the path of the enclosing box
    std::string what;        ///< operation, with the most informative settings
    std::uint32_t brief = 0; ///< bytes of `what` before the settings: "Conv2d", "aten.mean"
    std::string side;        ///< shape, or the bytes of a parameter; empty if unknown
    ops::Family family = ops::Family::Other;
};

/// Creates the texts of cards. Keeps references into the module, which must not change. Not thread-safe.
class CardTexts {
public:
    explicit CardTexts(const GraphModule& module);
    /// Returns the texts of a node in the box of the module at `box` ("layer1.0"; "" at top level).
    ///
    /// | kind          | what                                                                                     |
    /// |---------------|------------------------------------------------------------------------------------------|
    /// | call_module   | class and `briefSettings`: `Conv2d 3→32 3×3 /2`                                            |
    /// | call_function | operators of Python as expressions: `x + 1`, `x[:, 0]`; others by their short name and the |
    /// |               | constants that are not defaults: `gelu(approximate='tanh')`, `aten.addmm`                  |
    /// | call_method   | the method and its arguments: `view(4, -1)`                                                |
    /// | get_attr      | what the path leads to: `Parameter 1000×512`                                               |
    /// | placeholder   | `Input int64`, `Input = None`; lifted ones as get_attr                                     |
    /// | output        | `return logits`                                                                            |
    CardText of(const Node& node, std::string_view box = {});

    /// Removes the prefix of the box from a name: "conv1" for "layer1_0_conv1" in the box "layer1.0". Other names are
    /// unchanged.
    static std::string nameInside(std::string_view name, std::string_view box);

private:
    struct Signature {
        CallParameters parameters;
        ops::Family family = ops::Family::Other;
    };
    const Signature& signatureOf(const Node& node);
    void describe(const Node& node, std::string_view box, CardText& text);
    void describeInput(const Node& node, std::string_view box, CardText& text);
    void describeAttribute(std::string_view path, CardText& text);
    void describeModule(const Node& node, CardText& text);
    void describeCall(const Node& node, std::string_view box, CardText& text);

    const GraphModule& m_module;
    PathResolver m_paths;
    std::unordered_map<std::string, Signature> m_signatures; ///< by opcode and target
    std::unordered_map<std::string, ops::Family> m_families; ///< by class
    std::unordered_map<std::uint32_t, const LiftedInput*> m_lifted;
};

} // namespace fx
