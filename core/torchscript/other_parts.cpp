// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/other_parts.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace fx::script {
namespace {

constexpr std::uint64_t kMostComparedCode = 1 << 24;

bool isWordChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// "__torch__.net.Net" as "Net", since files of one class may name it otherwise.
std::string withoutPaths(const std::string& line) {
    constexpr std::string_view prefix = "__torch__.";
    std::string out;
    for (std::size_t i = 0; i < line.size();) {
        if (line.compare(i, prefix.size(), prefix) != 0) {
            out += line[i++];
            continue;
        }
        std::size_t end = i, last = i;
        for (; end < line.size() && (isWordChar(line[end]) || line[end] == '.'); ++end)
            if (line[end] == '.') last = end + 1;
        out += line.substr(last, end - last);
        i = end;
    }
    return out;
}

/// The code of a file, as far as it is compared.
struct FileCode {
    std::map<std::string, std::set<std::string>> methods;  ///< by name: the code of each class that has it
    std::map<std::string, std::set<std::string>> assigned; ///< by attribute that is no tensor
};

/// Reads one source of the archive line by line: classes declare attributes as "  k : int", methods begin with `def`.
void addCode(const std::string& text, FileCode& out) {
    std::map<std::string, std::string> types;
    std::string name, body;
    const auto endMethod = [&] {
        if (!name.empty()) out.methods[name].insert(body);
        name.clear(), body.clear();
    };
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        const std::string line = withoutPaths(text.substr(start, end - start));
        start = end + 1;
        if (!line.starts_with("  ")) endMethod(), types.clear();
        if (line.starts_with("  def ")) {
            endMethod();
            name = line.substr(6, line.find('(') - 6);
        }
        if (!name.empty()) body += line + '\n';
        else if (const std::size_t colon = line.find(" : "); line.starts_with("  ") && colon != line.npos)
            types[line.substr(2, colon - 2)] = line.substr(colon + 3);
        const std::size_t first = line.find_first_not_of(' ');
        if (name.empty() || first == line.npos || line.compare(first, 5, "self.") != 0) continue;
        const std::size_t equals = line.find(" = ", first);
        if (equals == line.npos) continue;
        const std::string attribute = line.substr(first + 5, equals - first - 5);
        if (const auto type = types.find(attribute); type != types.end() && type->second != "Tensor")
            out.assigned[attribute].insert(line.substr(equals));
    }
    endMethod();
}

FileCode codeOf(const ScriptOrigin& origin) {
    FileCode out;
    for (const ZipMember& member : origin.archive.members())
        if (member.name.find("/code/") != std::string::npos && member.name.ends_with(".py"))
            addCode(origin.archive.readText(member, kMostComparedCode), out);
    return out;
}

std::vector<std::string> unlike(const std::map<std::string, std::set<std::string>>& a,
                                const std::map<std::string, std::set<std::string>>& b) {
    std::vector<std::string> names;
    for (const auto& [name, texts] : a)
        if (const auto same = b.find(name); same == b.end() || same->second != texts) names.push_back(name);
    for (const auto& [name, texts] : b)
        if (!a.contains(name)) names.push_back(name);
    return names;
}

} // namespace

OtherParts otherParts(const ScriptOrigin& a, const ScriptOrigin& b) {
    const FileCode codeA = codeOf(a), codeB = codeOf(b);
    OtherParts other{unlike(codeA.methods, codeB.methods), unlike(codeA.assigned, codeB.assigned)};
    std::set<std::string> wanted(a.methods.begin(), a.methods.end());
    wanted.insert(b.methods.begin(), b.methods.end());
    wanted.erase(kForward);
    std::erase_if(other.methods, [&](const std::string& name) { return !wanted.contains(name); });
    return other;
}

} // namespace fx::script
