// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/code/draft_check.h"

#include "core/json/json_writer.h"

namespace ui {

namespace {
std::string_view codeText(const QByteArray& bytes) {
    return {bytes.constData(), static_cast<std::size_t>(bytes.size())};
}
} // namespace

QByteArray stepsForCode(const QByteArray& text) {
    fx::JsonWriter json;
    json.beginArray().beginObject();
    json.key("step").string("set_code").key("code").string(codeText(text));
    json.endObject().endArray();
    return QByteArray::fromStdString(json.text());
}

DraftCheck checkDraft(const std::shared_ptr<const fx::GraphModule>& version, const QByteArray& text,
                      const fx::Progress& progress) {
    DraftCheck checked;
    fx::CodeEdit edit = fx::editCode(*version, codeText(text), progress);
    checked.errors = std::move(edit.errors);
    if (!checked.errors.empty()) return checked;
    checked.result = fx::History::edited(*version, stepsForCode(text).toStdString(),
                                         progress); // as it is done when the step is repeated, with lint
    checked.warnings = std::move(edit.warnings);
    const fx::EditEffect effect = fx::compareVersions(version->graph, checked.result->graph);
    checked.created = effect.created.size();
    checked.changed = effect.changed.size();
    checked.erased = effect.erased.size();
    return checked;
}

} // namespace ui
