// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

#include <string_view>

namespace fx {

/// The prefix of qualified names of C++ classes.
constexpr std::string_view kScriptClasses = "__torch__.torch.classes.";
/// The Python module of TorchScript blocks and called files.
constexpr std::string_view kScriptParts = "torchscript";

namespace script {
/// Class name of modules that call a whole TorchScript file.
inline constexpr const char* kFileClass = "ScriptFile";
} // namespace script

/// Returns true if a module stands for an object of a C++ class, which PyTorch keeps as a ScriptObject: packed weights
/// (`__torch__.torch.classes.quantized.LinearPackedParamsBase`), or an object in a TorchScript file.
inline bool isScriptObject(const Module& module) {
    // The prefix excludes nearly all modules without building the whole name.
    const std::string& start = module.classModule.empty() ? module.className : module.classModule;
    return start.starts_with("__torch__") && module.qualifiedType().starts_with(kScriptClasses);
}

/// Returns true if a module belongs to a script and not to Python: a block, a called file or an object of a C++ class.
/// Its settings cannot be edited.
inline bool isScriptPart(const Module& module) { return module.classModule == kScriptParts || isScriptObject(module); }

} // namespace fx
