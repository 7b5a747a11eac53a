// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/error_report.h"

#include "app/cli/output.h"
#include "core/base/utf8.h"
#include "core/base/visible_text.h"
#include "core/codegen/graph_json.h"
#include "core/json/message_json.h"

#include <algorithm>
#include <iostream>

namespace app {
namespace {

const char* kindName(fx::ErrorKind kind) {
    switch (kind) {
    case fx::ErrorKind::Usage: return "usage";
    case fx::ErrorKind::File: return "file";
    case fx::ErrorKind::Refused: return "refused";
    case fx::ErrorKind::Run: return "run";
    case fx::ErrorKind::Cancelled: return "cancelled";
    }
    return "";
}

constexpr std::size_t kMostBytes = 5000;     ///< of a line
constexpr std::size_t kMostSourceLines = 20; ///< texts from files may be as long as these

void printDetail(const char* label, const std::string& text) {
    if (!text.empty()) std::cerr << "  " << label << shownLine(text) << '\n';
}

/// Lines of a source stay one below the other: the last may be a caret under the place.
void printSource(std::string_view text) {
    const char* label = "  source: ";
    for (std::size_t lines = 0; !text.empty() && lines < kMostSourceLines; ++lines, label = "          ") {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::cerr << label << shownLine(text.substr(0, end)) << '\n';
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (!text.empty()) std::cerr << label << "…\n";
}

void printJson(const fx::Error& error) {
    const std::string hint = hintText(error.hint, error.commandLineHint);
    fx::JsonWriter json;
    json.beginObject(fx::JsonWriter::Layout::Lines).key("error").beginObject(fx::JsonWriter::Layout::Lines);
    json.key("kind").string(kindName(error.kind())).key("exit_code").integer(exitCode(error.kind()));
    json.key("what").string(error.what());
    json.key("message").string(error.what()); // what it was called at first
    fx::writeMessageData(json, error.message());
    const std::pair<const char*, const std::string*> details[] = {
        {"file", &error.file},     {"where", &error.where}, {"node", &error.node}, {"module_path", &error.modulePath},
        {"source", &error.source}, {"hint", &hint}};
    for (const auto& [name, text] : details) {
        json.key(name);
        fx::writeTextOrNull(json, *text);
    }
    writeOutput(json.endObject().endObject().text() + "\n");
}

} // namespace

std::string shownLine(std::string_view text) {
    const std::string_view start = fx::wholeCharacters(text, kMostBytes);
    return fx::visibleLine(start) + (start.size() < text.size() ? "…" : "");
}

std::string hintText(const std::string& hint, const std::string& options) { return options.empty() ? hint : options; }

int exitCode(fx::ErrorKind kind) { return static_cast<int>(kind) + 2; }

int reportError(const fx::Error& error, bool json) {
    std::cerr << "lancet: error: " << shownLine(error.what()) << '\n';
    printDetail("file: ", error.file);
    printDetail("where: ", error.where);
    printDetail("node: ", error.node);
    printDetail("module: ", error.modulePath);
    printSource(error.source);
    printDetail("", hintText(error.hint, error.commandLineHint));
    std::cerr.flush();
    if (json) printJson(error);
    return exitCode(error.kind());
}

} // namespace app
