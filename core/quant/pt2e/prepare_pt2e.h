// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/pt2e/x86_quantizer.h"
#include "core/quant/report.h"

namespace fx::quant::pt2e {

/// An observer in a prepared program: where it stands and why.
struct Placement {
    std::string observer;  ///< node and attribute: "activation_post_process_3"
    std::string observed;  ///< the node whose value it sees
    std::string cause;     ///< the node for whose annotation it was put there
    bool isOutput = false; ///< it observes the result of `cause`
    std::string pattern;   ///< what the quantizer matched around `cause`: "conv2d, relu"
    std::string rule;      ///< the configuration that annotated `cause`
    SpecPtr spec;
    std::string sharedWith; ///< the first observer with the same instance, or empty
};

/// What `prepare_pt2e` gives: a graph with observers, and what convert needs to know beyond it.
struct PreparedPt2e {
    GraphModule model;
    Annotations annotations;                             ///< by nodes of `model`
    std::unordered_map<std::string, std::string> scopes; ///< last part of the module path, by node name before
    std::vector<Placement> placements;                   ///< in the order in which they were put in
    bool isQat = false;
    Warnings warnings;
};

/// torchao 0.18.0 `prepare_pt2e`, or `prepare_qat_pt2e` if the quantizer's configurations are for QAT, of what
/// `exportedModule` gives. Graph text, names and sharing are torchao's. Throws Error{Refused} for programs that are
/// quantised already, and where torchao raises.
PreparedPt2e preparePt2e(const GraphModule& module, const X86Quantizer& quantizer);

/// The observers of what depends on inputs, for `calibrationWarnings`.
std::vector<ObservedPlace> activationPlaces(const PreparedPt2e& prepared);

/// The calls of the program that no rule quantises, in graph order: they stay in floating point.
std::vector<std::string> inFloatingPoint(const PreparedPt2e& prepared);

/// Whether a graph calls `quantized_decomposed` operators or observers.
bool isQuantisedPt2e(const GraphModule& module);

} // namespace fx::quant::pt2e
