// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

#include <string_view>

namespace fx {

constexpr std::string_view kScriptClasses = "__torch__.torch.classes.";
/// The Python module of blocks of script and called files.
constexpr std::string_view kScriptParts = "torchscript";

/// Whether a module stands for an object of a C++ class, which PyTorch keeps as a ScriptObject: packed weights
/// (`__torch__.torch.classes.quantized.LinearPackedParamsBase`), or one that a TorchScript file holds.
inline bool isScriptObject(const Module& module) {
    // Of nearly all modules the start tells it, without the whole name being put together.
    const std::string& start = module.classModule.empty() ? module.className : module.classModule;
    return start.starts_with("__torch__") && module.qualifiedType().starts_with(kScriptClasses);
}

/// Whether a module is part of a script and not of Python: a block, a called file or an object of a C++ class. It has
/// no settings that can be edited.
inline bool isScriptPart(const Module& module) { return module.classModule == kScriptParts || isScriptObject(module); }

} // namespace fx
