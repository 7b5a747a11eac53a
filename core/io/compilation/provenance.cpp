// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/compilation/provenance.h"

#include "core/json/json_document.h"

#include <algorithm>
#include <cctype>

namespace fx {
namespace {
Provenance::Links linksAt(JsonValue root, std::string_view key) {
    Provenance::Links links;
    const JsonValue map = root.find(key);
    if (!map.exists()) return links;
    for (const JsonValue names : map.needObject()) links[std::string(names.key())] = names.texts();
    return links;
}

/// The line of the first occurrence that ends a line or is followed by something that no name contains.
std::optional<std::size_t> lineOf(std::string_view code, std::string_view text) {
    for (std::size_t at = code.find(text); at != std::string_view::npos; at = code.find(text, at + 1)) {
        const std::size_t end = at + text.size();
        if (end < code.size() && (std::isalnum(static_cast<unsigned char>(code[end])) || code[end] == '_')) continue;
        return static_cast<std::size_t>(std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    }
    return std::nullopt;
}
} // namespace

Provenance readProvenance(const Compilation& compilation) {
    if (compilation.provenance.isEmpty()) return {};
    try {
        const auto document = JsonDocument::parse(compilation.provenance.read());
        const JsonValue root = document->root().needObject();
        return {linksAt(root, "preToPost"), linksAt(root, "postToPre"), linksAt(root, "postToCppCode"),
                linksAt(root, "cppCodeToPost")};
    } catch (Error& error) {
        if (error.file.empty()) error.in(compilation.provenance.file);
        throw;
    }
}

bool isBeforeInductor(const CompilationStage& stage) {
    return stage.name == "dynamo_output_graph" || stage.name.ends_with("pre_grad_graph");
}

std::optional<std::size_t> kernelLine(std::string_view code, std::string_view kernel) {
    if (const auto line = lineOf(code, "[Provenance debug handles] " + std::string(kernel))) return line;
    return lineOf(code, kernel.substr(0, kernel.rfind(':')));
}

} // namespace fx
