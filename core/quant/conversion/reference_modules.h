// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/prepare.h"
#include "core/quant/quant_engine.h"

namespace fx::quant {

/// A weight of a reference module whose scale and zero point are still to be computed.
struct PendingWeight {
    std::shared_ptr<Module> module; ///< the reference module, which gets the buffers
    std::string name;               ///< "weight", "weight_ih_l0"
    std::shared_ptr<const Module> observer;
    TensorPtr weight;
    std::string path; ///< of the layer
};

/// Makes torch.ao's reference modules: a layer with its float weights and what quantises them.
class ReferenceModules {
public:
    explicit ReferenceModules(const BackendConfig& backend) : m_backend(backend) {}

    /// The reference module of a layer; null if the backend has none for its class. `observer`: the weight's, if it has
    /// one already (QAT); else a new one is made from the QConfig.
    /// `path`: of the layer, for warnings.
    std::shared_ptr<Module> make(const Module& layer, const QConfig& qconfig, const std::shared_ptr<Module>& observer,
                                 const std::string& path);

    /// Computes the scales and zero points; without an engine they are 1 and 0. Returns warnings about weights that
    /// cannot be quantised, which torch.ao does not tell.
    Warnings finish(QuantEngine* engine);

private:
    void addWeight(const std::shared_ptr<Module>& module, const std::string& name, const QConfig& qconfig,
                   const std::shared_ptr<Module>& observer, const std::string& path);

    const BackendConfig& m_backend;
    std::vector<PendingWeight> m_pending;
};

/// Scale and zero point for as long as nothing is computed: 1 and 0, one for each channel of `weight`, or a single one.
QParams plainQParams(const ObserverTraits& traits, const TensorPtr& weight);

} // namespace fx::quant
