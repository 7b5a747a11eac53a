// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/quant/backend_config.h"
#include "core/quant/custom_config.h"
#include "core/quant/qconfig_mapping.h"

#include <map>
#include <memory>
#include <unordered_map>
#include <unordered_set>

namespace fx::quant {

/// Which kind of rule of a QConfigMapping gave a node its QConfig.
enum class RuleKind : std::uint8_t { None, Global, ObjectType, Regex, ModuleName, Order };
std::string_view ruleName(RuleKind kind); ///< "global", "object_type", "module_name_regex", ...

/// The QConfig of a node and the rule that gave it.
struct NodeQConfig {
    QConfigPtr qconfig;
    RuleKind kind = RuleKind::None;
    std::string key; ///< the rule's key as kept in the mapping: a class path, a module name, a regular expression
};

/// An observer in a prepared model: where it stands and why.
struct Placement {
    enum class Role : std::uint8_t {
        Input,  ///< a node wants its input quantised
        Weight, ///< of a functional call
        Output  ///< a node gives its output quantised
    };
    std::string observer; ///< node and attribute: "activation_post_process_3"
    std::string observed; ///< the node whose value it sees
    std::string cause;    ///< the node for which it was put there
    Role role = Role::Output;
    std::string pattern;            ///< what matched around `cause`: "(ReLU, Conv2d)"
    NodeQConfig rule;               ///< of `cause`
    ObserverPtr spec;               ///< what it is made from
    std::vector<std::string> users; ///< the nodes that read through it, in order
    std::string sharedWith;         ///< the observer whose instance it uses, or empty
};

/// A node that is not quantised although it could be, and why.
struct Unquantised {
    enum class Reason : std::uint8_t {
        NoPattern,    ///< the backend knows no pattern for it
        NoQConfig,    ///< its QConfig is None
        NotSupported, ///< the backend has no kernel for these dtypes
        ReusesInput   ///< it has weights, and its QConfig only takes over its input's observer
    };
    std::string node;
    Reason reason = Reason::NoPattern;
    NodeQConfig rule;
    const PatternConfig* pattern = nullptr; ///< what the backend would do with it; null for NoPattern
};

/// Where a node was called: its module and that module's class.
struct Scope {
    std::string path, type;
};

/// What convert needs to know of a prepared model beyond its graph.
struct PreparedState {
    const BackendConfig* backend = nullptr;
    QConfigMapping mapping;
    CustomConfig custom;
    bool isQat = false;
    std::unordered_map<std::string, NodeQConfig> qconfigs;      ///< by node name
    std::unordered_map<std::string, Scope> scopes;              ///< by node name
    std::unordered_map<std::string, QConfigPtr> moduleQConfigs; ///< torch.ao's attribute `qconfig` of modules, by path
    std::unordered_set<std::string> observed;                   ///< names of nodes in quantised patterns
    /// Names of all nodes of a quantised pattern, by the name of each of them; not of patterns of one node.
    std::unordered_map<std::string, std::vector<std::string>> patterns;
    /// Modules that were prepared on their own, by path; the tree of the model has their graphs.
    std::map<std::string, std::shared_ptr<const PreparedState>> standalone;
};

/// A model with observers.
struct PreparedModel {
    GraphModule model;
    PreparedState state;
    std::vector<Placement> placements; ///< in the order in which they were put in
    std::vector<Unquantised> unquantised;
    Warnings warnings;
};

/// Settings of `prepare`.
struct PrepareOptions {
    const BackendConfig* backend = nullptr; ///< null: native
    bool isQat = false;
    CustomConfig custom;
};

/// torch.ao `prepare_fx` and `prepare_qat_fx`: fuses layers, matches the backend's patterns and puts observers in.
/// Graph text, names, sharing and modules are those of PyTorch 2.13. The given model is not changed. Throws
/// Error{Refused} for models that are quantised already and where torch.ao raises.
PreparedModel prepare(const GraphModule& model, const QConfigMapping& mapping, const PrepareOptions& options = {});

/// torch.ao `fuse_fx`.
GraphModule fuse(const GraphModule& model, const BackendConfig& backend, bool isQat);

} // namespace fx::quant
