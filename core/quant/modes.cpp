// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/modes.h"

#include "core/diag/error.h"
#include "core/files/read_text.h"
#include "core/quant/qconfig_json.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace fx::quant {
namespace {

constexpr std::array<std::string_view, 4> kModes{"static", "dynamic", "weight-only", "qat"};
constexpr std::size_t kMaxJson = std::size_t{1} << 24;

QConfigMapping defaultsOf(Backend backend, Mode mode) {
    if (mode == Mode::Static) return defaultMapping(backend, false);
    if (mode == Mode::Qat) { // torch.ao's mapping refuses every model with an embedding
        const QConfigPtr embedding = namedQConfig("default_embedding_qat_qconfig");
        return defaultMapping(backend, true)
            .setObjectType("torch.nn.Embedding", embedding)
            .setObjectType("torch.nn.EmbeddingBag", embedding);
    }
    QConfigMapping mapping;
    const QConfigPtr embedding = namedQConfig("float_qparams_weight_only_qconfig");
    if (mode == Mode::Dynamic) mapping.setGlobal(namedQConfig("default_dynamic_qconfig"));
    return mapping.setObjectType("torch.nn.Embedding", embedding).setObjectType("torch.nn.EmbeddingBag", embedding);
}

constexpr std::string_view kNull = "null"; ///< no QConfig, in JSON

/// A name of a QConfig that is misspelt would else be a file that is not there.
void requireFile(const std::string& name) {
    const bool isPath = name.find_first_of("/.") != name.npos;
    const std::string near = isPath ? std::string() : nearestQConfig(name);
    std::error_code ignored;
    if (near.empty() || std::filesystem::exists(name, ignored)) return;
    throw Error(ErrorKind::File, Message("quant.unknown_file", {{"name", name}, {"near", near}}));
}

/// Reads JSON that is given as text or as a file; an error names the file.
template<class Read> auto readJson(const std::string& json, const Read& read) {
    const bool isText = isJsonText(json);
    if (!isText) requireFile(json);
    const std::string text = isText ? json : readTextFile(json, kMaxJson);
    try {
        const auto document = JsonDocument::parse(text, {}, JsonDocument::Positions::Keep);
        requireKeysOnce(document->root());
        return read(document->root());
    } catch (Error& error) {
        if (!isText) error.in(json);
        throw;
    }
}

} // namespace

bool isJsonText(const std::string& given) {
    if (given.find_first_of("{\n") != given.npos || given == kNull) return true;
    std::error_code ignored;
    return (given.starts_with('[') || given.starts_with('"')) && !std::filesystem::exists(given, ignored);
}

std::string_view modeName(Mode mode) { return kModes[static_cast<std::size_t>(mode)]; }

std::optional<Mode> modeFromName(std::string_view name) {
    const auto found = std::find(kModes.begin(), kModes.end(), name);
    if (found == kModes.end()) return {};
    return static_cast<Mode>(found - kModes.begin());
}

QConfigMapping mappingFor(Backend backend, Mode mode, const std::string& json) {
    QConfigMapping base = defaultsOf(backend, mode);
    if (json.empty()) return base;
    if (json == kNull) return base.setGlobal(nullptr);
    if (QConfigPtr named = namedQConfig(json)) return base.setGlobal(std::move(named));
    return readJson(json, [&](const JsonValue& root) { return mappingFromJson(root, base); });
}

CustomConfig customFor(const std::string& json) {
    if (json.empty() || json == kNull || namedQConfig(json)) return {};
    return readJson(json, [](const JsonValue& root) { return customFromJson(root); });
}

} // namespace fx::quant
