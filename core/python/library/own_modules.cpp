// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/nn_modules.h"
#include "core/python/imports/sources.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

namespace fx::python {
namespace {

#include "core/python/library/library.inc" // the .py files of this folder, sorted by module: tools/library packs them

/// Classes of torch.nn as PyTorch's text has them (`ops::NnModule::forwardText`), after their bases.
class LayerClasses {
public:
    explicit LayerClasses(std::string_view before) {
        for (const std::string_view line : ops::split(before, "\n"))
            if (line.starts_with("class ")) m_known.insert(line.substr(6, line.find_first_of("(:") - 6));
        for (std::uint32_t row = 0; row < ops::moduleCount(); ++row)
            if (const auto type = ops::moduleAt(row); isWhole(type.forwardText())) write(type);
    }
    std::string text;

private:
    /// False for those whose check is a method.
    static bool isWhole(std::string_view forward) {
        return !forward.empty() && forward.find("self._check") == forward.npos;
    }

    void write(const ops::NnModule& type) {
        if (!m_known.insert(type.name()).second) return;
        std::string bases;
        bool inherits = false;
        for (const std::string_view path : type.bases()) {
            const auto base = ops::findModule(path);
            if (base) write(*base);
            inherits |= base && base->forwardText() == type.forwardText();
            bases += (bases.empty() ? "" : ", ") + std::string(path.substr(path.rfind('.') + 1));
        }
        text += "class " + std::string(type.name()) + "(" + (bases.empty() ? "Module" : bases) + "):\n    pass\n";
        if (!inherits) text += "    def forward" + indented(type.forwardText()) + "\n";
        const auto attributes = type.attributes();
        if (std::ranges::any_of(attributes, [](const auto& each) { return each.kind == Kind::Parameter; }))
            text += "    def reset_parameters(self):\n        __reset_module__(self)\n";
    }

    static std::string indented(std::string_view lines) {
        std::string out;
        for (const std::string_view line : ops::split(lines, "\n"))
            out += (out.empty() ? "" : "\n    ") + std::string(line);
        return out;
    }

    using Kind = ops::NnModule::Attribute::Kind;
    std::set<std::string_view> m_known;
};

std::string_view packed(std::string_view name) {
    const auto* found = std::ranges::lower_bound(kLibrary, name, {}, [](const auto& module) { return module.first; });
    return found == std::end(kLibrary) || found->first != name ? std::string_view() : found->second;
}

/// torch.nn.modules with the classes that its text leaves to the table.
const std::string& layers() {
    static const std::string kText = [] {
        constexpr std::string_view kMark = "# core/ops/nn_modules.tsv\n";
        const std::string_view text = packed("torch.nn.modules");
        const std::size_t at = text.find(kMark);
        return std::string(text.substr(0, at)) + LayerClasses(text).text + std::string(text.substr(at));
    }();
    return kText;
}

} // namespace

std::string_view ownModule(std::string_view name) {
    if (name == "torch.nn.modules") return layers();
    return packed(name == "typing_extensions" ? "typing" : name);
}

} // namespace fx::python
