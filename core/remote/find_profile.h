// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"

#include <string>

namespace fx::remote {

class WorkerClient;

/// Ensures that the cache contains the profile `name` ("onednn") for this machine and the worker's library. Otherwise
/// the worker calls each operator once and the result is cached (core/timing/operator_profile.h). `worker` must be
/// running. Throws Error{Refused} without a cache folder, else like `WorkerClient::call`.
void findProfile(WorkerClient& worker, const std::string& name, const Progress& progress = {});

} // namespace fx::remote
