// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/quant_engine.h"

#include <string_view>

namespace fx::quant {

/// The module that a reference module becomes: its class path, and for a fused one the class that must be inside.
struct LoweredClass {
    std::string_view type, inner;
};
/// Classes for static, dynamic and weight-only quantisation, for patterns with two inputs, and for modules that have a
/// quantised form without a reference one; null for others.
const LoweredClass* staticClass(std::string_view type);
const LoweredClass* twoInputClass(std::string_view type);
const LoweredClass* dynamicClass(std::string_view type);
const LoweredClass* weightOnlyClass(std::string_view type);
const LoweredClass* specialClass(std::string_view type);

/// Makes quantised modules. Packed parameters are plain tensors here: the module that holds them in PyTorch has the
/// attributes `weight` (quantised) and `bias` instead, for LinearPackedParams and EmbeddingPackedParams that
/// child. Recurrent layers have their objects as modules, as files of PyTorch are read (core/io/graphmodule).
class LoweredModules {
public:
    explicit LoweredModules(QuantEngine* engine) : m_engine(engine) {}

    /// `output`: scale and zero point of the result, for static modules.
    std::shared_ptr<Module> make(std::string_view type, const Module& reference, const QParams& output);
    std::shared_ptr<Module> makeDynamic(std::string_view type, const Module& reference);
    std::shared_ptr<Module> makeWeightOnly(std::string_view type, const Module& reference);
    /// `observer` looks at the weight of a PReLU, which has no reference form; null: it stays as it is.
    std::shared_ptr<Module> makeSpecial(std::string_view type, const Module& module, const QParams& output,
                                        const std::shared_ptr<const Module>& observer = {});
    /// Adds an attribute that is the quantised tensor once `finish` has run.
    void addQuantised(const std::shared_ptr<Module>& holder, const std::string& name, QuantizeJob job);
    /// Observes and quantises all weights; without an engine they stay as they are.
    void finish();

private:
    struct Pending {
        std::shared_ptr<Module> holder;
        std::string attribute;
        QuantizeJob job;
        std::shared_ptr<const Module> observer; ///< gives the job's scale and zero point; null: it has them
    };
    void observe();
    void addWeight(const std::shared_ptr<Module>& holder, const std::string& attribute, const Module& reference,
                   const std::string& name = "weight");
    std::shared_ptr<Module> packedPart(const Module& layer, const std::string& part);
    std::shared_ptr<Module> packedCell(const Module& layer, const std::string& suffix);
    std::shared_ptr<Module> makeRecurrent(std::string_view type, const Module& reference);

    QuantEngine* m_engine;
    std::vector<Pending> m_pending;
};

} // namespace fx::quant
