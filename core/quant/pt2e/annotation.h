// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/observer_spec.h"

#include <optional>
#include <unordered_map>

/// Quantisation of exported programs as torchao 0.18.0 does it (PT2E): a quantizer annotates nodes with
/// specifications, `preparePt2e` puts observers where they say, `convertPt2e` makes quantize and dequantize calls.
namespace fx::quant::pt2e {

/// A value between two nodes, or the output of a node if there is no `to`. Mirrors torchao's EdgeOrNode.
struct EdgeOrNode {
    NodeId from = kNoNode, to = kNoNode;
    bool isEdge() const { return to != kNoNode; }
    bool operator==(const EdgeOrNode&) const = default;
};
/// For containers whose keys are EdgeOrNode.
struct EdgeOrNodeHash {
    std::size_t operator()(const EdgeOrNode& value) const {
        return std::hash<std::uint64_t>()(std::uint64_t{index(value.from)} << 32 | index(value.to));
    }
};

/// How a value is quantised. Mirrors torchao's QuantizationSpec, FixedQParamsQuantizationSpec, SharedQuantizationSpec
/// and DerivedQuantizationSpec.
struct QuantizationSpec {
    enum class Kind : std::uint8_t {
        Own,    ///< an observer of its own
        Fixed,  ///< scale and zero point are given
        Shared, ///< the observer of `from[0]`
        Derived ///< scale and zero point follow from the observers of `from`
    };
    Kind kind = Kind::Own;
    std::string dtype; ///< "torch.uint8"
    std::optional<std::int64_t> quantMin, quantMax;
    std::string qscheme; ///< "torch.per_tensor_affine"; empty: None
    std::optional<std::int64_t> axis;
    bool isDynamic = false;
    ObserverSpec observer; ///< for Own: class and arguments of `with_args`, without those above
    double scale = 1;      ///< for Fixed
    std::int64_t zeroPoint = 0;
    std::vector<EdgeOrNode> from;

    /// The constructor of the observer, with everything that the specification says. Mirrors
    /// `_create_obs_or_fq_from_qspec`.
    ObserverSpec observerSpec(bool isQat) const;
};
using SpecPtr = std::shared_ptr<const QuantizationSpec>; ///< null is None: not quantised

SpecPtr sharedWith(EdgeOrNode with);

/// What a quantizer says of a node. Mirrors torchao's QuantizationAnnotation.
struct Annotation {
    std::vector<std::pair<NodeId, SpecPtr>> inputs; ///< `input_qspec_map`, in order
    SpecPtr output;
    bool allowImplicitSharing = true;
    bool annotated = false;
    bool isOutputOfPattern = false; ///< X86InductorQuantizer: the last node of a pattern with int8 inputs
    std::string pattern;            ///< what matched: "conv2d, relu"; for people
    std::string rule;               ///< which configuration gave it: "global", "module_name b.c1", ...

    void setInput(NodeId input, SpecPtr spec);
    bool isValid() const { return !inputs.empty() || output; } ///< torchao `is_valid_annotation`
};
using Annotations = std::unordered_map<NodeId, Annotation>;

} // namespace fx::quant::pt2e
