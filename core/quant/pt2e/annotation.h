// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/make/observer_spec.h"

#include <optional>
#include <unordered_map>

/// Quantisation of exported programs as in torchao 0.18.0 (PT2E): a quantizer annotates nodes with specifications,
/// `preparePt2e` inserts the observers that they require, and `convertPt2e` replaces these by `quantize` and
/// `dequantize` calls.
namespace fx::quant::pt2e {

/// An edge between two nodes, or the output of `from` if `to` is kNoNode. Mirrors torchao's EdgeOrNode.
struct EdgeOrNode {
    NodeId from = kNoNode, to = kNoNode; ///< source and user of an edge
    /// True for an edge, false for an output.
    bool isEdge() const { return to != kNoNode; }
    bool operator==(const EdgeOrNode&) const = default;
};
/// Hash for containers with EdgeOrNode keys.
struct EdgeOrNodeHash {
    std::size_t operator()(const EdgeOrNode& value) const {
        return std::hash<std::uint64_t>()(std::uint64_t{index(value.from)} << 32 | index(value.to));
    }
};

/// The quantisation of one value. Mirrors torchao's QuantizationSpec, FixedQParamsQuantizationSpec,
/// SharedQuantizationSpec and DerivedQuantizationSpec.
struct QuantizationSpec {
    enum class Kind : std::uint8_t {
        Own,    ///< a separate observer
        Fixed,  ///< given scale and zero point
        Shared, ///< the observer of `from[0]`
        Derived ///< scale and zero point derived from the observers of `from`
    };
    Kind kind = Kind::Own;
    std::string dtype;                              ///< "torch.uint8"
    std::optional<std::int64_t> quantMin, quantMax; ///< unset: the range of `dtype`
    std::string qscheme;                            ///< "torch.per_tensor_affine"; empty: None
    std::optional<std::int64_t> axis;               ///< per channel only
    bool isDynamic = false;                         ///< quantised at run time
    ObserverSpec observer;        ///< Own: class and arguments of `with_args`, without the fields above
    double scale = 1;             ///< Fixed
    std::int64_t zeroPoint = 0;   ///< Fixed
    std::vector<EdgeOrNode> from; ///< Shared: one entry; Derived: the values whose observers are used

    /// Returns the constructor call of the observer, with all settings of the specification. Mirrors
    /// `_create_obs_or_fq_from_qspec`.
    ObserverSpec observerSpec(bool isQat) const;
};
using SpecPtr = std::shared_ptr<const QuantizationSpec>; ///< null is None: not quantised

/// Returns a specification of the kind Shared.
SpecPtr sharedWith(EdgeOrNode with);

/// A quantizer's specifications for the inputs and output of a node. Mirrors torchao's QuantizationAnnotation.
struct Annotation {
    std::vector<std::pair<NodeId, SpecPtr>> inputs; ///< `input_qspec_map`, in order
    SpecPtr output;                                 ///< null: the output is not quantised
    /// True if inputs and output may join the group of another edge. Mirrors torchao's `allow_implicit_sharing`.
    bool allowImplicitSharing = true;
    bool annotated = false;         ///< a rule has handled the node; later rules skip it
    bool isOutputOfPattern = false; ///< X86InductorQuantizer: the last node of a pattern with int8 inputs
    std::string pattern;            ///< the matched pattern, for messages: "conv2d, relu"
    std::string rule;               ///< the rule that annotated the node: "global", "module_name b.c1", ...

    /// Replaces or adds the specification of an input.
    void setInput(NodeId input, SpecPtr spec);
    bool isValid() const { return !inputs.empty() || output; } ///< torchao's `is_valid_annotation`
};
using Annotations = std::unordered_map<NodeId, Annotation>; ///< by id; nodes without an entry are not quantised

} // namespace fx::quant::pt2e
