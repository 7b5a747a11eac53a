// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fx {
class SourceReader;
class TensorEngine;

namespace script {
/// A program as the worker describes it: JSON, and the bytes of the tensors among its constants. The format is private
/// to Lancet's programs; app/worker/script/describe_script.cpp writes it.
struct ProgramText {
    std::string json;
    std::shared_ptr<const std::vector<std::byte>> bytes; ///< null if empty
};
} // namespace script

/// How a program reads what it must not follow itself. Each program makes one at its start and passes it to whatever
/// opens or edits models.
struct Readers {
    std::shared_ptr<SourceReader> python = {}; ///< follows sources, patterns and passes; null: this process does
    /// Describes the program of a TorchScript file with LibTorch; empty: such files are refused.
    std::function<script::ProgramText(const std::string& path, const Progress& progress)> script = {};
    /// Makes the engine for tensors that a source computes; empty: such sources are refused.
    std::function<std::unique_ptr<TensorEngine>(const Progress& progress)> engine = {};
};

} // namespace fx
