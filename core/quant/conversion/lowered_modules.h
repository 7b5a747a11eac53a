// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/quant_engine.h"

#include <string_view>

namespace fx::quant {

/// The class path of the quantised module that replaces a reference module; `inner` is the class required inside a
/// fused one.
struct LoweredClass {
    std::string_view type, inner;
};
/// The class for static quantisation; null for classes that have no such form.
const LoweredClass* staticClass(std::string_view type);
/// As `staticClass`, for patterns with two inputs.
const LoweredClass* twoInputClass(std::string_view type);
/// As `staticClass`, for dynamic quantisation.
const LoweredClass* dynamicClass(std::string_view type);
/// As `staticClass`, for weight-only quantisation.
const LoweredClass* weightOnlyClass(std::string_view type);
/// As `staticClass`, for modules with a quantised form but no reference module.
const LoweredClass* specialClass(std::string_view type);

/// Creates quantised modules. Packed parameters are plain tensors: the module that holds them in PyTorch (for
/// LinearPackedParams and EmbeddingPackedParams the child) has the attributes `weight` (quantised) and `bias` instead.
/// Recurrent layers hold them as modules, as the reader of PyTorch files creates them (core/io/graphmodule).
class LoweredModules {
public:
    /// `engine` may be null; then `finish` quantises nothing.
    explicit LoweredModules(QuantEngine* engine) : m_engine(engine) {}

    /// `output` is the scale and zero point of the result.
    std::shared_ptr<Module> make(std::string_view type, const Module& reference, const QParams& output);
    /// Creates the module for dynamic quantisation.
    std::shared_ptr<Module> makeDynamic(std::string_view type, const Module& reference);
    /// Creates the module for weight-only quantisation.
    std::shared_ptr<Module> makeWeightOnly(std::string_view type, const Module& reference);
    /// Creates the quantised form of a module without a reference module. `observer` observes the weight of a PReLU;
    /// null leaves that weight in floating point.
    std::shared_ptr<Module> makeSpecial(std::string_view type, const Module& module, const QParams& output,
                                        const std::shared_ptr<const Module>& observer = {});
    /// Adds an attribute; `finish` sets it to the quantised tensor.
    void addQuantised(const std::shared_ptr<Module>& holder, const std::string& name, QuantizeJob job);
    /// Observes and quantises all weights. Without an engine, weights stay in floating point.
    void finish();

private:
    struct Pending {
        std::shared_ptr<Module> holder;
        std::string attribute;
        QuantizeJob job;
        std::shared_ptr<const Module> observer; ///< computes the job's scale and zero point; null: the job has them
    };
    void observe();
    void addWeight(const std::shared_ptr<Module>& holder, const std::string& attribute, const Module& reference,
                   const std::string& name = "weight");
    void addPackedLinear(Module& holder, const Module& layer);
    std::shared_ptr<Module> packedPart(const Module& layer, const std::string& part);
    std::shared_ptr<Module> packedCell(const Module& layer, const std::string& suffix);
    std::shared_ptr<Module> makeRecurrent(std::string_view type, const Module& reference);

    QuantEngine* m_engine;
    std::vector<Pending> m_pending;
};

} // namespace fx::quant
