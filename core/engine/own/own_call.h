// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/engine/tensor_store.h"

#include <chrono>

/// Calls that only the user's Python can run. Python is a child of the client, in its own sandbox; the worker has two
/// pipes to it for each source (`remote::FrameKind::Python`).
namespace fx::engine {

/// Makes the Python of a source known, which takes requests from `to` and answers to `from`. Owns the descriptors,
/// which must not block. Each call may take `limit`.
void addOwnPython(const std::string& source, int to, int from, std::chrono::seconds limit);

/// Calls wait no longer once `progress` requests a stop; while it lives.
class OwnCallsStop {
public:
    explicit OwnCallsStop(const Progress& progress);
    ~OwnCallsStop();
    OwnCallsStop(const OwnCallsStop&) = delete;
    OwnCallsStop& operator=(const OwnCallsStop&) = delete;
};

/// The time that calls of this process took so far, with the transfer of their values.
struct OwnTime {
    std::size_t calls = 0;
    double seconds = 0;
};
OwnTime ownTime();

/// Returns true if a module (`kOwnPython`) is run by a Python that is known.
bool isOwnCall(const Module& module);
/// Runs the call of a module or function in Python. Its objects live as long as the tensors of the model, until
/// `TensorStore::restore`; what it changes in place changes in `tensors` and in the arguments.
///
/// Throws Error{Run} with the exception that Python raised, if Python ends, takes too long, or answers with something
/// else than a result, and Error{Cancelled}.
Value callOwn(const Module& module, TensorStore& tensors, const Arguments& arguments);

} // namespace fx::engine
