// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/split.h"
#include "core/remote/partition_times.h"

#include <QString>

#include <functional>

namespace ui {

class Document;

/// Functions for timing partitions, provided by the window. GUI thread only. Each function that starts work returns a
/// function that stops it; after that, no callback is called.
struct PartitionTimer {
    using Cancel = std::function<void()>;                 ///< stops the work
    using Failed = std::function<void(const fx::Error&)>; ///< called with the error that ended the work
    /// Called with the current step and the fraction done, 0 to 1.
    using Progressed = std::function<void(const QString& what, double done)>;
    using Version = std::shared_ptr<const fx::GraphModule>; ///< the model to time

    /// Returns the reason why timing is not possible now, or empty.
    std::function<QString()> missing{};
    /// Times each partition and the whole model.
    std::function<Cancel(Document&, Version, std::vector<fx::Partition>,
                         std::function<void(const fx::remote::PartitionTimes&)> done, Failed, Progressed)>
        partitions{};
    /// Times each node of the version.
    std::function<Cancel(Document&, Version, std::function<void(const fx::NodeTimes&)> done, Failed, Progressed)>
        nodes{};
    /// Ensures that the profile `name` ("onednn") exists. Runs each operator once if necessary.
    std::function<Cancel(Document&, const std::string& name, std::function<void()> done, Failed, Progressed)> profile{};
};

} // namespace ui
