// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/argument.h"

#include <string>
#include <vector>

namespace fx {

/// The `module.py` of a folder that GraphModule.to_folder wrote, as data: the registrations in its `__init__`, and the
/// code.
struct FolderSource {
    struct Entry {
        enum class Kind : std::uint8_t { Module, PickledModule, Buffer, Parameter };
        Kind kind = Kind::Module;
        std::string name;
        std::string className;           ///< Module: class of torch.nn
        std::vector<Argument> args;      ///< Module: positional settings
        Kwargs kwargs;                   ///< Module: the others
        std::string file;                ///< PickledModule: file name inside the folder
        std::vector<std::int64_t> sizes; ///< Buffer, Parameter
        std::string dtype;               ///< Buffer, Parameter
        std::size_t line = 0;
    };
    std::string className;
    std::string importBlock;
    std::vector<Entry> entries;
    std::string code;          ///< the forward function, as in GraphModule.code
    bool unquotedText = false; ///< a setting is a bare word (`padding_mode=reflect`): Python cannot import the folder
};

/// Reads exactly what to_folder of PyTorch 1.13 to 2.13 writes, line by line, without running it. Throws Error{File}
/// with line and reason for anything else. `path` is used in errors.
FolderSource parseFolderSource(const std::string& source, const std::string& path);

} // namespace fx
