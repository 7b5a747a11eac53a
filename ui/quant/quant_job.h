// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/inputs/input_spec.h"
#include "core/model_files/journal/pasted_files.h"
#include "core/remote/quantising.h"
#include "ui/quant/quant_choices.h"
#include "ui/run/worker_service.h"

#include <QByteArray>

#include <mutex>
#include <optional>
#include <unordered_map>

namespace ui {

/// What was measured of a quantised version: ranges of observers and, where it can run, errors of layers.
struct QuantMeasured {
    QuantChoices choices;
    std::string inputs; ///< that were drawn where no file gives data, as JSON
    std::shared_ptr<const fx::GraphModule> before, after;
    fx::remote::Calibration calibration;
    std::optional<fx::remote::LayerErrors> errors; ///< of `after` against `before`
    std::int64_t bytesBefore = 0, bytesAfter = 0;

    /// Bytes of the tensors of each layer before and after, by module path; layers that are no modules are missing.
    std::unordered_map<std::string, std::pair<std::int64_t, std::int64_t>> layerBytes;

    const fx::remote::ObserverState* observer(const QString& name) const;
};

/// What quantisation made of a version.
struct Quantised {
    bool isAnything = false; ///< else nothing would be quantised, and there is no model
    std::shared_ptr<const fx::GraphModule> model;
    QByteArray steps;                           ///< the step `quantize`, which leads to `model`
    std::shared_ptr<const fx::PastedFile> file; ///< that the step reads, as long as this lives
    std::size_t observers = 0, shared = 0, unquantised = 0, batches = 0;
    QuantMeasured measured;
    fx::Warnings warnings;
};

/// Quantises a version as `lancet quantize` does; `inputs` are drawn where no file gives data, and without them layers
/// are not compared. The result is written into `folder`, so that recovery, projects and recipes have it without the
/// worker. On the worker's thread. Throws Error{Refused, File, Run, Cancelled}.
Quantised quantiseVersion(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& version,
                          const QuantChoices& choices, const std::optional<fx::InputDescription>& inputs,
                          const std::string& folder);

/// What a scan of the layers of a version has found, and where it is: written on the worker's thread, read by all.
class QuantScanProgress {
public:
    void put(const fx::quant::SensitivityScan& scan) {
        const std::lock_guard lock(m_mutex);
        m_scan = scan;
    }
    fx::quant::SensitivityScan get() const {
        const std::lock_guard lock(m_mutex);
        return m_scan;
    }

private:
    mutable std::mutex m_mutex;
    fx::quant::SensitivityScan m_scan;
};

/// Scans the layers of a version as `lancet quantize --scan --error-budget` does, after those that `progress` has;
/// keeps each result there. On the worker's thread. Throws like `quantiseVersion`.
fx::remote::LayerScan scanVersion(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& version,
                                  const QuantChoices& choices, const fx::InputDescription& inputs,
                                  QuantScanProgress& progress);

} // namespace ui
