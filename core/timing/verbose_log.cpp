// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/verbose_log.h"

#include <algorithm>

namespace fx::timing {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> out;
    while (true) {
        const std::size_t end = text.find(separator);
        out.push_back(text.substr(0, end));
        if (end == text.npos) return out;
        text.remove_prefix(end + 1);
    }
}

/// `src:f32::blocked:acdb::f0` (3.7: fields by colons) or `src_f32::blocked:acdb:f0` (before) as `src:f32:acdb`.
std::string shortFormat(std::string_view tensor) {
    const auto parts = split(tensor, ':');
    std::string name(parts[0]);
    std::size_t next = 1;
    if (const std::size_t dash = name.find('_'); dash != name.npos) name[dash] = ':';
    else if (parts.size() > 1) name += ":" + std::string(parts[next++]);
    for (; next + 1 < parts.size(); ++next)
        if (parts[next] == "blocked") return name + ":" + std::string(parts[next + 1]);
    return name;
}

std::string shortFormats(std::string_view tensors) {
    std::string out;
    for (const std::string_view each : split(tensors, ' '))
        if (!each.empty()) out += (out.empty() ? "" : " ") + shortFormat(each);
    return out;
}

void readOneDnn(VerboseLog& log, std::string_view line) {
    auto fields = split(line, ',');
    if (const auto info = std::find(fields.begin(), fields.end(), "info");
        info != fields.end() && info + 1 != fields.end()) {
        const std::string_view what = *(info + 1);
        if (what.starts_with("oneDNN v")) log.version = what.substr(7, what.find(' ', 7) - 7);
        if (what == "cpu" && info + 2 != fields.end() && (info + 2)->starts_with("isa:"))
            log.isa = (info + 2)->substr(4);
        return;
    }
    const auto exec = std::find(fields.begin(), fields.end(), "exec");
    if (fields.end() - exec < 8) return;
    Primitive out;
    out.kind = exec[2], out.implementation = exec[3], out.formats = shortFormats(exec[5]),
    out.problem = fields[fields.size() - 2];
    log.primitives.push_back(std::move(out));
}

void readMkl(VerboseLog& log, std::string_view line) {
    const std::size_t open = line.find('('), close = line.find(')');
    if (open == line.npos || close == line.npos || line.find(' ') < open)
        return; // its first line, which describes the library
    Primitive out;
    out.library = "MKL";
    for (const char c : line.substr(0, open)) out.kind += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    out.implementation = "mkl";
    for (const std::string_view each : split(line.substr(open + 1, close - open - 1), ','))
        if (!each.starts_with("0x")) out.problem += (out.problem.empty() ? "" : ",") + std::string(each);
    log.primitives.push_back(std::move(out));
}

} // namespace

VerboseLog parseVerbose(std::string_view text) {
    constexpr std::string_view kMkl = "MKL_VERBOSE ";
    VerboseLog log;
    for (const std::string_view line : split(text, '\n')) {
        if (line.starts_with("onednn_verbose,") || line.starts_with("dnnl_verbose,")) readOneDnn(log, line);
        else if (line.starts_with(kMkl)) readMkl(log, line.substr(kMkl.size()));
    }
    return log;
}

} // namespace fx::timing
