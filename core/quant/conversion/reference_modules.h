// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/prepare.h"
#include "core/quant/quant_engine.h"

namespace fx::quant {

/// A weight of a reference module whose scale and zero point are computed later.
struct PendingWeight {
    std::shared_ptr<Module> module; ///< the reference module, which receives the buffers
    std::string name;               ///< "weight", "weight_ih_l0"
    std::shared_ptr<const Module> observer;
    TensorPtr weight;
    std::string path; ///< of the layer
};

/// Creates torch.ao's reference modules: a layer with its float weights and their quantisation parameters.
class ReferenceModules {
public:
    /// `backend` must outlive this object.
    explicit ReferenceModules(const BackendConfig& backend) : m_backend(backend) {}

    /// Returns the reference module of a layer, or null if the backend has none for its class. `observer` is the
    /// weight's existing observer (QAT); null creates one from the QConfig. Warnings name the layer by `path`.
    std::shared_ptr<Module> make(const Module& layer, const QConfig& qconfig, const std::shared_ptr<Module>& observer,
                                 const std::string& path);

    /// Computes scales and zero points; without an engine they are 1 and 0. Returns warnings, absent in torch.ao,
    /// about weights that cannot be quantised.
    Warnings finish(QuantEngine* engine);

private:
    void addWeight(const std::shared_ptr<Module>& module, const std::string& name, const QConfig& qconfig,
                   const std::shared_ptr<Module>& observer, const std::string& path);

    const BackendConfig& m_backend;
    std::vector<PendingWeight> m_pending;
};

/// Returns default parameters: scale 1 and zero point 0, one pair for each channel of `weight` or a single pair.
QParams plainQParams(const ObserverTraits& traits, const TensorPtr& weight);

} // namespace fx::quant
