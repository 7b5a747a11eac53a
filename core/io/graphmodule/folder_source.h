// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/argument.h"

#include <string>
#include <vector>

namespace fx {

/// The `module.py` of a folder that GraphModule.to_folder wrote, as data: the code, and the members that its `__init__`
/// registers.
struct FolderSource {
    /// A registered member.
    struct Entry {
        /// The kind of member.
        enum class Kind : std::uint8_t { Module, PickledModule, Buffer, Parameter };
        Kind kind = Kind::Module;
        std::string name;
        std::string className;           ///< of a Module: class in torch.nn
        std::vector<Argument> args;      ///< of a Module: positional settings
        Kwargs kwargs;                   ///< of a Module: keyword settings
        std::string file;                ///< of a PickledModule: file name inside the folder
        std::vector<std::int64_t> sizes; ///< of a Buffer or Parameter
        std::string dtype;               ///< of a Buffer or Parameter
        std::size_t line = 0;
    };
    std::string className;
    std::string importBlock;
    std::vector<Entry> entries;
    std::string code; ///< the forward function, as in `GraphModule.code`
    /// A setting is a bare word (`padding_mode=reflect`), so Python cannot import the folder.
    bool unquotedText = false;
};

/// Parses the output of to_folder of PyTorch 1.13 to 2.13, line by line, without running it. Throws Error{File} with
/// line and reason for other text. `path` is used in errors.
FolderSource parseFolderSource(const std::string& source, const std::string& path);

} // namespace fx
