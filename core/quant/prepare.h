// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/quant/backend_config.h"
#include "core/quant/custom_config.h"
#include "core/quant/qconfig_mapping.h"
#include "core/shapes/node_shapes.h"

#include <map>
#include <memory>
#include <unordered_map>
#include <unordered_set>

namespace fx::quant {

/// The kind of a QConfigMapping's rule that assigns a node its QConfig.
enum class RuleKind : std::uint8_t { None, Global, ObjectType, Regex, ModuleName, Order };
std::string_view ruleName(RuleKind kind); ///< "global", "object_type", "module_name_regex", ...

/// The QConfig of a node and the rule that assigned it.
struct NodeQConfig {
    QConfigPtr qconfig; ///< null: not quantised
    RuleKind kind = RuleKind::None;
    std::string key; ///< the rule's key in the mapping: a class path, a module name, a regular expression
};

/// An observer in a prepared model: its position and the reason for it.
struct Placement {
    enum class Role : std::uint8_t {
        Input,  ///< quantises an input of `cause`
        Weight, ///< quantises the weight of a functional call
        Output  ///< quantises the output of `cause`
    };
    std::string observer; ///< name of the node and the attribute: "activation_post_process_3"
    std::string observed; ///< the node whose value it observes
    std::string cause;    ///< the node that requires the observer
    Role role = Role::Output;
    std::string pattern;            ///< the pattern matched around `cause`: "(ReLU, Conv2d)"
    NodeQConfig rule;               ///< the rule of `cause`
    ObserverPtr spec;               ///< its constructor call
    std::vector<std::string> users; ///< the nodes that use its output, in order
    std::string sharedWith;         ///< the observer whose instance it uses, or empty
};

/// A node that could be quantised but is not, and the reason.
struct Unquantised {
    enum class Reason : std::uint8_t {
        NoPattern,    ///< the backend has no pattern for it
        NoQConfig,    ///< its QConfig is None
        NotSupported, ///< the backend has no kernel for the dtypes
        ReusesInput   ///< it has weights, and its QConfig only reuses the observer of its input
    };
    std::string node; ///< name of the node
    Reason reason = Reason::NoPattern;
    NodeQConfig rule;                       ///< the rule that assigned its QConfig
    const PatternConfig* pattern = nullptr; ///< the backend's pattern for the node; null for NoPattern
};

/// The scope of a node: the path and class of the module that calls it.
struct Scope {
    std::string path, type; ///< empty for the root
};

/// The data of a prepared model that `convert` needs in addition to its graph.
struct PreparedState {
    const BackendConfig* backend = nullptr; ///< never null in a prepared model
    QConfigMapping mapping;                 ///< as passed to `prepare`, with the rules for fused and QAT classes
    CustomConfig custom;
    bool isQat = false;
    std::unordered_map<std::string, NodeQConfig> qconfigs; ///< by node name
    std::unordered_map<std::string, Scope> scopes;         ///< by node name
    /// The attribute `qconfig` that torch.ao sets on modules, by path.
    std::unordered_map<std::string, QConfigPtr> moduleQConfigs;
    std::unordered_set<std::string> observed; ///< names of nodes in quantised patterns
    /// Maps the name of each node in a matched pattern of several nodes to the names of all its nodes.
    std::unordered_map<std::string, std::vector<std::string>> patterns;
    /// State of the modules that were prepared separately, by path; the module tree holds their graphs.
    std::map<std::string, std::shared_ptr<const PreparedState>> standalone;
};

/// A linear layer into which a BatchNorm1d was folded, by node names: right for values of two dimensions only.
struct LinearFold {
    std::string layer, norm;
};

/// A model with observers, as `prepare` returns it.
struct PreparedModel {
    GraphModule model;
    PreparedState state;
    std::vector<Placement> placements; ///< in insertion order
    std::vector<Unquantised> unquantised;
    Warnings warnings;
    std::vector<LinearFold> linearFolds = {}; ///< in graph order
};

/// Settings of `prepare`.
struct PrepareOptions {
    const BackendConfig* backend = nullptr; ///< null: native
    bool isQat = false;                     ///< mirrors prepare_qat_fx
    CustomConfig custom;
};

/// Fuses layers, matches the backend's patterns and inserts observers into a copy of the model. Mirrors torch.ao
/// `prepare_fx` and `prepare_qat_fx`: graph text, names, sharing and modules are those of PyTorch 2.13. Throws
/// Error{Refused} for models that are already quantised and where torch.ao raises.
PreparedModel prepare(const GraphModule& model, const QConfigMapping& mapping, const PrepareOptions& options = {});

/// Returns a warning for each of `linearFolds` after which the model computes other values, because the value of the
/// layer has other than two dimensions, or whose dimensions are unknown: by `shapes`, else by the metadata of `model`,
/// the model that was prepared.
Warnings linearFoldWarnings(const PreparedModel& prepared, const GraphModule& model, const NodeShapes& shapes);

/// Fuses layers in a copy of the model. Mirrors torch.ao's `fuse_fx`.
GraphModule fuse(const GraphModule& model, const BackendConfig& backend, bool isQat);

} // namespace fx::quant
