// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/pt2e/x86_quantizer.h"
#include "core/quant/report.h"

namespace fx::quant::pt2e {

/// An observer in a prepared program: its position and the reason for it.
struct Placement {
    std::string observer;   ///< name of the node and the attribute: "activation_post_process_3"
    std::string observed;   ///< the node whose value it observes
    std::string cause;      ///< the node whose annotation requires it
    bool isOutput = false;  ///< true if it observes the result of `cause`
    std::string pattern;    ///< the pattern matched around `cause`: "conv2d, relu"
    std::string rule;       ///< the rule that annotated `cause`
    SpecPtr spec;           ///< of the value
    std::string sharedWith; ///< the first observer with the same instance, or empty
};

/// The result of `preparePt2e`: a graph with observers, and the data that `convertPt2e` needs in addition.
struct PreparedPt2e {
    GraphModule model;
    Annotations annotations; ///< by nodes of `model`
    /// The last component of the module path, by the node's name before preparation.
    std::unordered_map<std::string, std::string> scopes;
    std::vector<Placement> placements; ///< in insertion order
    bool isQat = false;                ///< prepared by a quantizer with QAT configurations
    Warnings warnings;
};

/// Inserts observers into the result of `exportedModule`. Mirrors torchao 0.18.0 `prepare_pt2e`, or `prepare_qat_pt2e`
/// if the quantizer's configurations are for QAT; graph text, names and sharing are torchao's. Throws Error{Refused}
/// for programs that are already quantised, and where torchao raises.
PreparedPt2e preparePt2e(const GraphModule& module, const X86Quantizer& quantizer);

/// Returns the observers of values that depend on inputs, for `calibrationWarnings`.
std::vector<ObservedPlace> activationPlaces(const PreparedPt2e& prepared);

/// Returns the calls that no rule quantises, in graph order; they stay in floating point.
std::vector<std::string> inFloatingPoint(const PreparedPt2e& prepared);

/// True if a graph calls `quantized_decomposed` operators or observers.
bool isQuantisedPt2e(const GraphModule& module);

} // namespace fx::quant::pt2e
