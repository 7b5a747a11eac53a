// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/worker_client.h"

#include <QString>

namespace ui {

/// The command and the limits with which the window runs models.
struct WorkerSettings {
    QString command;            ///< shell syntax: "ssh box lancet-worker"; empty: lancet-worker beside Lancet
    bool sameFiles = true;      ///< the worker sees this machine's files, so tensors in them need not be sent
    double memoryGigabytes = 0; ///< 0: the free memory of the machine
    int timeoutSeconds = 120;   ///< per request, except timing; 0: none
    QString libraries = {};     ///< operator libraries on the worker's machine, separated by colons

    fx::remote::WorkerOptions options() const; ///< Converts the settings for `fx::remote::WorkerClient`.
    /// Returns the worker of this machine, which reads and writes scripts. It has `libraries` if those are here.
    fx::remote::WorkerOptions localOptions() const;
    bool operator==(const WorkerSettings&) const = default;
};

} // namespace ui
