// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/session.h"

namespace app {

/// `info` of a TorchScript file, which the worker loads. Throws Error{Refused} when loading would run code of the file.
int printScriptInfo(Session& session, const std::string& path);
/// `graph` of one: the inlined graph of forward as LibTorch prints it.
int printScriptGraph(Session& session, const std::string& path);

} // namespace app
