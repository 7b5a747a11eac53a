// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/quant/pt2e/annotation.h"

namespace fx::quant::pt2e {

/// How operators are quantised: torchao's QuantizationConfig.
struct X86Config {
    SpecPtr input, output, weight, bias;
    bool isQat = false;
};
using X86ConfigPtr = std::shared_ptr<const X86Config>; ///< null is None: not quantised

/// torchao `get_default_x86_inductor_quantization_config`. `reduceRange`: 7-bit activations, for processors without
/// VNNI.
X86ConfigPtr defaultX86Config(bool isQat, bool isDynamic, bool reduceRange = false);

/// torchao `get_x86_inductor_linear_dynamic_fp16_config`: weights of linear layers in half precision.
X86ConfigPtr linearFp16Config();

/// torchao X86InductorQuantizer: which operators are quantised, and with what. Rules are applied in the order module
/// names, operators, global; a node that a rule has annotated is left alone by those after it.
class X86Quantizer {
public:
    /// The setters skip a configuration that mixes static with dynamic, or QAT with another, as torchao does, with a
    /// warning.
    void setGlobal(X86ConfigPtr config);
    void setModuleName(const std::string& path, X86ConfigPtr config);
    /// `type`: a module class or function ("torch.nn.Linear", "torch.matmul", "torch.nn.functional.conv2d"), or an
    /// operator ("torch.ops.aten.matmul.default"). Throws Error{Refused} for a type that the quantizer does not know.
    void setType(const std::string& type, X86ConfigPtr config);

    /// Annotates the nodes of a model, as `annotate`. Where torchao raises because a module is called more than once,
    /// each call is taken for itself, with a warning. Throws Error{Refused} where torchao raises otherwise.
    Annotations annotate(const GraphModule& model, Warnings& warnings) const;

    bool isQat() const;
    bool isDynamic() const;
    const Warnings& warnings() const { return m_warnings; }

private:
    bool mixes(const X86ConfigPtr& config, const std::string& name);
    std::vector<X86ConfigPtr> configs() const;

    X86ConfigPtr m_global;
    std::vector<std::pair<std::string, X86ConfigPtr>> m_operators, m_modules;
    Warnings m_warnings;
};

} // namespace fx::quant::pt2e
