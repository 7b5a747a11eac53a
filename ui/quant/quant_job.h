// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps/step_list.h"
#include "core/inputs/input_spec.h"
#include "core/journal/pasted_files.h"
#include "core/remote/quantising.h"
#include "ui/quant/quant_choices.h"
#include "ui/run/worker_service.h"

#include <mutex>
#include <optional>
#include <unordered_map>

namespace ui {

/// Measurements of a quantised version: ranges of observers and, if it can run, errors of layers.
struct QuantMeasured {
    QuantChoices choices;                                 ///< the settings of the run
    std::string inputs;                                   ///< the random inputs without a data file, as JSON
    std::shared_ptr<const fx::GraphModule> before, after; ///< the versions before and after quantisation
    fx::remote::Calibration calibration;                  ///< state of the observers
    std::optional<fx::remote::LayerErrors> errors;        ///< of `after` compared with `before`
    std::int64_t bytesBefore = 0, bytesAfter = 0;         ///< sizes of all tensors

    /// Bytes of the tensors of each layer before and after, by module path; only layers that are modules.
    std::unordered_map<std::string, std::pair<std::int64_t, std::int64_t>> layerBytes;

    /// Returns an observer by name, or null.
    const fx::remote::ObserverState* observer(const QString& name) const;
};

/// The result of quantising a version.
struct Quantised {
    bool isAnything = false;                      ///< false: nothing would be quantised, and there is no model
    std::shared_ptr<const fx::GraphModule> model; ///< the quantised version
    fx::StepList steps;                           ///< the step `quantize`, which leads to `model`
    std::shared_ptr<const fx::PastedFile> file;   ///< the file that the step reads, kept alive by this
    std::size_t observers = 0, shared = 0, unquantised = 0, batches = 0; ///< counts for the message
    QuantMeasured measured;                                              ///< measurements of `model`
    fx::Warnings warnings;                                               ///< of the run
};

/// Quantises a version like `lancet quantize`. `inputs` are the random inputs without a data file; without them, layers
/// are not compared. Writes the result to `folder`, so that recovery, projects and recipes do not need the worker. Call
/// it on the worker's thread. Throws Error{Refused, File, Run, Cancelled}.
Quantised quantiseVersion(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& version,
                          const QuantChoices& choices, const std::optional<fx::InputDescription>& inputs,
                          const std::string& folder);

/// The results of a running scan of layers. The worker's thread writes them, any thread reads them.
class QuantScanProgress {
public:
    /// Replaces the results. Thread-safe.
    void put(const fx::quant::SensitivityScan& scan) {
        const std::lock_guard lock(m_mutex);
        m_scan = scan;
    }
    /// Returns a copy of the results. Thread-safe.
    fx::quant::SensitivityScan get() const {
        const std::lock_guard lock(m_mutex);
        return m_scan;
    }

private:
    mutable std::mutex m_mutex;
    fx::quant::SensitivityScan m_scan;
};

/// Scans the layers of a version like `lancet quantize --scan --error-budget`, except those in `progress`, and stores
/// each result there. Call it on the worker's thread. Throws like `quantiseVersion`.
fx::remote::LayerScan scanVersion(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& version,
                                  const QuantChoices& choices, const fx::InputDescription& inputs,
                                  QuantScanProgress& progress);

} // namespace ui
