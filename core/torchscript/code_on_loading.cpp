// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/code_on_loading.h"

#include "core/base/python_text.h"

#include <algorithm>
#include <string>

namespace fx::script {
namespace {

constexpr std::string_view kSetState = "__setstate__", kPack = "set_weight_bias";

/// The dotted name that ends before `end`.
std::string_view wordBefore(std::string_view line, std::size_t end) {
    std::size_t start = end;
    while (start > 0 && (isNamePart(line[start - 1]) || line[start - 1] == '.')) --start;
    return line.substr(start, end - start);
}

bool isHarmlessCall(std::string_view line, std::size_t open) {
    if (open == 0) return true;
    const char before = line[open - 1];
    if (before == ')' || before == ']') return false;
    const std::string_view name = wordBefore(line, open);
    if (name.empty() || name == "torch.eq") return true;
    if (name == ".set_weight_bias") return line.substr(0, open).ends_with("(self).set_weight_bias");
    return name.starts_with("ops.quantized.conv") && name.ends_with("d_prepack");
}

/// Parts of lists and tuples are read of the state only.
bool isHarmlessIndex(std::string_view line, std::size_t open) {
    if (open == 0) return true;
    const char before = line[open - 1];
    return before == ' ' || before == '(' || before == '[' || line.substr(0, open).ends_with("(state)");
}

/// A statement that assigns, packs or compares, and ends where the line ends.
bool isHarmlessLine(std::string_view line) {
    for (const char* other : {"for ", "while ", "def ", "with ", "class ", ";", "\\", "\"\"\"", "'''", "@", "self ="})
        if (line.find(other) != line.npos) return false;
    int depth = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '(' && !isHarmlessCall(line, i)) return false;
        if (c == '[' && !isHarmlessIndex(line, i)) return false;
        if (c == '(' || c == '[' || c == '{') ++depth;
        if ((c == ')' || c == ']' || c == '}') && --depth < 0) return false;
    }
    return depth == 0;
}

/// Reads `(self: Class,\n    state: Tuple[int, ...]) -> NoneType:` and the lines below that are further in.
bool isHarmlessMethod(std::string_view text) {
    constexpr std::string_view kEnd = ") -> NoneType:\n";
    const std::size_t comma = text.find(','), end = text.find(kEnd);
    if (comma == text.npos || end == text.npos || comma > end) return false;
    const std::string_view parameters = text.substr(comma, end - comma);
    for (const char* other : {"__torch__", "=", "(", "\"", "'"})
        if (parameters.find(other) != parameters.npos) return false;
    for (std::size_t at = end + kEnd.size(); at < text.size();) {
        const std::size_t next = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, next - at);
        if (line.starts_with("  def ") || line.starts_with("def ") || line.starts_with("class ")) break;
        if (!line.starts_with("    ")) return false; // not as PyTorch writes it
        if (!isHarmlessLine(line)) return false;
        at = next + 1;
    }
    return true;
}

/// Every mention of the method is its definition, which is harmless, or a call on the object itself.
bool isHarmless(std::string_view code, std::string_view method) {
    const std::string definition = "\n  def " + std::string(method) + "(self: ";
    for (std::size_t at = code.find(method); at != code.npos; at = code.find(method, at + 1)) {
        const std::size_t start = at - std::min(at, std::string_view("\n  def ").size());
        if (code.substr(0, at).ends_with("(self).")) continue;
        if (!code.substr(start).starts_with(definition) || !isHarmlessMethod(code.substr(at))) return false;
    }
    return true;
}

} // namespace

bool runsOnLoading(std::string_view member, std::string_view code) {
    if (code.find(kSetState) == code.npos) return false;
    return member.find("code/__torch__/torch/ao/nn/") == member.npos || !isHarmless(code, kSetState) ||
           !isHarmless(code, kPack);
}

} // namespace fx::script
