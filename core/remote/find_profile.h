// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"

#include <string>

namespace fx::remote {

class WorkerClient;

/// Makes sure that the cache has the profile `name` ("onednn") of this machine and of the worker's library; when it has
/// not, the worker calls each operator once and the answer is kept (core/timing/operator_profile.h). `worker` must have
/// been started. Throws Error{Refused} when there is no folder for it, else as `WorkerClient::call`.
void findProfile(WorkerClient& worker, const std::string& name, const Progress& progress = {});

} // namespace fx::remote
