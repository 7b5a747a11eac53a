// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/run_message.h"
#include "core/remote/worker_client.h"
#include "core/torchscript/program_reader.h"

namespace fx::remote {

/// Encodes a request to describe the TorchScript file at `path` on the worker's machine, as LibTorch reads it.
Frame describeScriptFrame(const std::string& path, std::uint32_t number);
/// Returns the path of such a request.
std::string scriptPath(const Frame& frame);
/// Encodes the result: JSON, and bytes of tensors.
Frame toFrame(const script::ProgramText& program, std::uint32_t number);

/// Describes a TorchScript file in a separate worker, which may not survive a damaged file. Throws Error{File}, also if
/// the worker dies, and Error{Run} if none can be started.
script::ProgramText describeByWorker(const std::string& path, const Progress& progress,
                                     const WorkerOptions& options = {});
/// The same in a shared worker, which restarts after a crash.
script::ProgramText describeByWorker(const std::string& path, const Progress& progress, WorkerClient& worker);
/// Returns `Readers::script` for programs without LibTorch: one worker per file.
decltype(Readers::script) scriptsByWorker(const WorkerOptions& options = {});

} // namespace fx::remote
