// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/code/draft_check.h"

#include "core/edit/steps/step_list.h"

#include <QCoreApplication>

namespace ui {

namespace {
std::string_view codeText(const QByteArray& bytes) {
    return {bytes.constData(), static_cast<std::size_t>(bytes.size())};
}
struct ApplyText {
    Q_DECLARE_TR_FUNCTIONS(ui::CodeEditing)
};

fx::Error errorOf(const fx::CodeError& first) {
    return {fx::ErrorKind::Refused,
            fx::Message("window.code_line",
                        {{"line", first.line}, {"reason", first.message.text()}, {"cause", first.message.code()}})};
}
} // namespace

DraftCheck checkDraft(const std::shared_ptr<const fx::GraphModule>& version, const QByteArray& text,
                      const fx::Progress& progress) {
    DraftCheck checked;
    fx::CodeEdit edit = fx::editCode(*version, codeText(text), progress);
    checked.errors = std::move(edit.errors);
    if (!checked.errors.empty()) return checked;
    checked.steps.setCode(codeText(text));
    checked.result = fx::History::edited(*version, checked.steps, progress); // with lint, as when it is repeated
    checked.warnings = std::move(edit.warnings);
    const fx::EditEffect effect = fx::compareVersions(version->graph, checked.result->graph);
    checked.created = effect.created.size();
    checked.changed = effect.changed.size();
    checked.erased = effect.erased.size();
    return checked;
}

void applyDraft(Document& document, const std::function<void(bool)>& done) {
    const CodeDraft draft = *document.draft();
    const QString failure = ApplyText::tr("Could not apply the code of %1").arg(document.file().title());
    const auto fail = [operations = &document.operations(), failure, done](const fx::Error& error) {
        Q_EMIT operations->failed(failure, error);
        done(false);
    };
    if (draft.version != document.module()) {
        return fail(fx::Error(fx::ErrorKind::Refused, fx::Message("window.code_stale")));
    }
    document.operations().start<DraftCheck>(
        DocumentOperations::Kind::Edit,
        {ApplyText::tr("Applying the code of %1").arg(document.file().title()), failure},
        [draft](const fx::Progress& progress) { return checkDraft(draft.version, draft.text, progress); },
        [document = &document, draft, fail, done](DraftCheck checked) {
            if (!checked.errors.empty()) return fail(errorOf(checked.errors.front()));
            if (document->module() != draft.version || !document->draft() || document->draft()->text != draft.text)
                return fail(fx::Error(fx::ErrorKind::Refused, fx::Message("window.code_changed")));
            document->setDraft({});
            document->versions().adoptEdit(ApplyText::tr("Edit code"), checked.steps, std::move(checked.result));
            done(true);
        },
        fail);
}

} // namespace ui
