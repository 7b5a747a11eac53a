// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/foresee.h"

namespace fx {

SavedAs savedAs(std::string_view path) {
    constexpr std::pair<std::string_view, SavedAs> kEndings[] = {
        {".pt2", SavedAs::Pt2},   {"/", SavedAs::Folder},        {".json", SavedAs::Description},
        {".py", SavedAs::Source}, {".lancet", SavedAs::Project}, {".ts", SavedAs::TorchScript}};
    for (const auto& [ending, format] : kEndings)
        if (path.ends_with(ending)) return format;
    return SavedAs::GraphModule;
}

Format formatOf(SavedAs format) {
    switch (format) {
    case SavedAs::GraphModule: return Format::GraphModule;
    case SavedAs::Folder: return Format::Folder;
    case SavedAs::Pt2: return Format::Pt2;
    case SavedAs::Description: return Format::Ir;
    case SavedAs::Source: return Format::Python;
    case SavedAs::Project: return Format::Lancet;
    case SavedAs::TorchScript: return Format::TorchScript;
    }
    return Format::GraphModule;
}

Warning warningOf(const Foreseen& foreseen) {
    return {foreseen.what, foreseen.nodes.size() == 1 ? foreseen.nodes.front() : std::string(), {}, {}};
}

} // namespace fx
