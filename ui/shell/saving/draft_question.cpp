// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/saving/draft_question.h"

#include "ui/code/draft_check.h"

#include <QMessageBox>
#include <QPushButton>

namespace ui {

namespace {

fx::Error errorOf(const fx::CodeError& first) {
    return {fx::ErrorKind::Refused, fx::Message("window.code_line", {{"line", first.line},
                                                                     {"reason", first.message.text()},
                                                                     {"cause", first.message.code()}})};
}

} // namespace

DraftChoice askAboutDraft(QWidget* window, const Document& document) {
    QMessageBox box(QMessageBox::Question, QMessageBox::tr("Unapplied Code"),
                    QMessageBox::tr("Apply the code that was typed before saving %1?").arg(document.title()),
                    QMessageBox::Cancel, window);
    box.setTextFormat(Qt::PlainText);
    box.setInformativeText(QMessageBox::tr("The file gets the model. Code that is not applied is not in it."));
    const auto* apply = box.addButton(QMessageBox::tr("Apply and Save"), QMessageBox::AcceptRole);
    const auto* without = box.addButton(QMessageBox::tr("Save Without It"), QMessageBox::DestructiveRole);
    box.exec();
    return box.clickedButton() == apply     ? DraftChoice::Apply
           : box.clickedButton() == without ? DraftChoice::Without
                                            : DraftChoice::Cancel;
}

void applyDraft(Document& document, const std::function<void(bool)>& done) {
    const CodeDraft draft = *document.draft();
    const QString failure = QMessageBox::tr("Could not apply the code of %1").arg(document.title());
    const auto fail = [operations = &document.operations(), failure, done](const fx::Error& error) {
        Q_EMIT operations->failed(failure, error);
        done(false);
    };
    if (draft.version != document.module()) {
        return fail(fx::Error(fx::ErrorKind::Refused, fx::Message("window.code_stale")));
    }
    document.operations().start<DraftCheck>(
        DocumentOperations::Kind::Edit, {QMessageBox::tr("Applying the code of %1").arg(document.title()), failure},
        [draft](const fx::Progress& progress) { return checkDraft(draft.version, draft.text, progress); },
        [document = &document, draft, fail, done](DraftCheck checked) {
            if (!checked.errors.empty()) return fail(errorOf(checked.errors.front()));
            if (document->module() != draft.version || !document->draft() || document->draft()->text != draft.text)
                return fail(fx::Error(fx::ErrorKind::Refused, fx::Message("window.code_changed")));
            document->setDraft({});
            document->adoptEdit(QMessageBox::tr("Edit code"), stepsForCode(draft.text), std::move(checked.result));
            done(true);
        },
        fail);
}

} // namespace ui
