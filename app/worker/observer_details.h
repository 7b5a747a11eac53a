// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/quant/observers.h"
#include "core/remote/quant_message.h"

#include <unordered_map>

namespace app {

/// Compares, while it lives, the data of per-tensor observers with the ranges that they chose: counts, extremes,
/// histogram, saturated values. The observers do not change meanwhile.
class ObserverDetails {
public:
    /// Writes the results to `states`, which must outlive the object.
    ObserverDetails(const std::vector<const fx::Module*>& observers, fx::engine::TensorStore& tensors,
                    std::vector<fx::remote::ObserverState>& states);
    ~ObserverDetails();
    ObserverDetails(const ObserverDetails&) = delete;
    ObserverDetails& operator=(const ObserverDetails&) = delete;

private:
    void choose(const fx::Module& observer, fx::engine::TensorStore& tensors, fx::remote::ObserverState& state);
    static void add(const at::Tensor& seen, fx::remote::ObserverState& state);
    std::unordered_map<const fx::Module*, fx::remote::ObserverState*> m_states;
};

} // namespace app
