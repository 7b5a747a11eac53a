// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/worker_client.h"

#include <QString>

namespace ui {

/// Where and with which limits the window runs models.
struct WorkerSettings {
    QString command;            ///< as in a shell: "ssh box lancet-worker"; empty: lancet-worker beside Lancet
    bool sameFiles = true;      ///< the worker sees this machine's files, so tensors in them need not be sent
    double memoryGigabytes = 0; ///< 0: what the machine has free
    int timeoutSeconds = 120;   ///< of one request, timing apart; 0: none
    QString libraries = {};     ///< that register operators, on the worker's machine, separated by colons

    fx::remote::WorkerOptions options() const;
    bool operator==(const WorkerSettings&) const = default;
};

} // namespace ui
