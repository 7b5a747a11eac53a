// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/quant/pt2e/annotation.h"

namespace fx::quant::pt2e {

/// The specifications for an operator. Mirrors torchao's QuantizationConfig.
struct X86Config {
    SpecPtr input, output, weight, bias; ///< null: not quantised
    bool isQat = false;                  ///< fake quantisation instead of observers
};
using X86ConfigPtr = std::shared_ptr<const X86Config>; ///< null is None: not quantised

/// Mirrors torchao's `get_default_x86_inductor_quantization_config`. `reduceRange` selects 7-bit activations, for
/// processors without VNNI.
X86ConfigPtr defaultX86Config(bool isQat, bool isDynamic, bool reduceRange = false);

/// Mirrors torchao's `get_x86_inductor_linear_dynamic_fp16_config`: linear layers with half-precision weights.
X86ConfigPtr linearFp16Config();

/// Selects operators and their specifications. Mirrors torchao's X86InductorQuantizer. Rules apply in the order module
/// names, operators, global; a rule skips nodes that an earlier one has annotated.
class X86Quantizer {
public:
    /// Sets the configuration of all nodes without a more specific rule. As in torchao, the setters skip, with a
    /// warning, a configuration that mixes static with dynamic, or QAT with non-QAT.
    void setGlobal(X86ConfigPtr config);
    /// Sets the configuration of a module and its children; null excludes them.
    void setModuleName(const std::string& path, X86ConfigPtr config);
    /// Sets the configuration of a module class or function ("torch.nn.Linear", "torch.matmul",
    /// "torch.nn.functional.conv2d"), or of an operator ("torch.ops.aten.matmul.default"). Throws Error{Refused} for a
    /// type unknown to the quantizer.
    void setType(const std::string& type, X86ConfigPtr config);

    /// Annotates the nodes of a model; mirrors `annotate`. Where torchao raises because a module has several calls,
    /// each call is annotated separately, with a warning. Throws Error{Refused} where torchao raises otherwise.
    Annotations annotate(const GraphModule& model, Warnings& warnings) const;

    /// True if any configuration is for QAT.
    bool isQat() const;
    /// True if any configuration is dynamic.
    bool isDynamic() const;
    /// Warnings of the setters.
    const Warnings& warnings() const { return m_warnings; }

private:
    bool mixes(const X86ConfigPtr& config, const std::string& name);
    std::vector<X86ConfigPtr> configs() const;

    X86ConfigPtr m_global;
    std::vector<std::pair<std::string, X86ConfigPtr>> m_operators, m_modules;
    Warnings m_warnings;
};

} // namespace fx::quant::pt2e
