// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/torchscript/program_reader.h"
#include "core/remote/message.h"
#include "core/remote/worker_client.h"

namespace fx::remote {

/// Requests what LibTorch reads from the TorchScript file at `path` on the worker's machine.
Frame describeScriptFrame(const std::string& path, std::uint32_t number);
std::string scriptPath(const Frame& frame);
Frame toFrame(const script::ProgramText& program, std::uint32_t number);

/// Asks a worker of its own, which may not survive a damaged file. Throws Error{File} also for a worker that dies, and
/// Error{Run} if none can be started.
script::ProgramText describeByWorker(const std::string& path, const Progress& progress,
                                     const WorkerOptions& options = {});
/// The same of a worker that others use as well; it is started again after it died.
script::ProgramText describeByWorker(const std::string& path, const Progress& progress, WorkerClient& worker);
/// `script::setDescribe` for programs without LibTorch. Call it before the first file is opened.
void readScriptsByWorker(const WorkerOptions& options = {});

} // namespace fx::remote
