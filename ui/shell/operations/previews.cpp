// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/operations/previews.h"

#include "ui/changes/compare_window.h"
#include "ui/changes/steps_widget.h"
#include "ui/run/run_center.h"
#include "ui/shell/operations/preview_check.h"

#include <QPointer>
#include <QWidget>

namespace ui {

Previews::Previews(RunCenter& run, QWidget* window) : QObject(window), m_run(run), m_window(window) {}

void Previews::preview(Document& document, const QString& name, const fx::StepList& steps, QWidget* parent,
                       std::function<void()> applied) {
    document.operations().cancel(DocumentOperations::Kind::Preview); // the newest is what somebody wants to see
    document.operations().start<Tried>(
        DocumentOperations::Kind::Preview, {tr("Preview of %1").arg(document.file().title()), {}},
        [before = document.module(), steps, readers = document.readers()](const fx::Progress& progress) {
            Tried tried{fx::rehearse(*before, steps, progress, readers), nullptr};
            if (const auto& after = tried.rehearsal.after)
                tried.difference = std::make_shared<const VersionDifference>(
                    differenceOf({{{}, {}, {}, before}, {{}, steps, {}, after}}, progress));
            return tried;
        },
        [this, document = &document, asked = Asked{name, steps, parent ? parent : m_window, std::move(applied)}](
            const Tried& tried) { show(*document, asked, tried); },
        [document = &document](const fx::Error& error) { Q_EMIT document->versions().refused(error); });
}

void Previews::show(Document& document, const Asked& asked, const Tried& tried) {
    if (!asked.parent) return; // it was closed meanwhile
    const fx::Rehearsal& rehearsal = tried.rehearsal;
    if (!tried.difference && rehearsal.steps.size() == 1) return Q_EMIT document.versions().refused(*rehearsal.refusal);
    if (!tried.difference) return (new RefusedSteps(rehearsal, asked.name, asked.parent))->open();
    const QString title = tr("Preview of %1: %2").arg(document.file().title(), asked.name);
    auto* window = new CompareWindow(tried.difference, title, asked.name, asked.parent);
    if (rehearsal.steps.size() > 1) window->showSteps(rehearsal);
    if (document.module() == tried.difference->before) window->setShown(0, document.shapes().shown());
    if (RunSession* session = m_run.sessionOf(document); session && !tried.difference->isEmpty())
        new PreviewCheck(*window, *session, m_run.worker());
    connect(window, &QDialog::accepted, &document, [document = &document, asked, difference = tried.difference] {
        if (document->module() != difference->before)
            return document->versions().editInBackground(asked.name, asked.steps, asked.applied);
        const bool added =
            document->versions().adoptEdit(asked.name, asked.steps, difference->after); // what was looked at
        if (added && asked.applied) asked.applied();
    });
    window->open();
}

void Previews::compare(Document& document) {
    document.operations().cancel(DocumentOperations::Kind::Compare);
    const QString title = document.file().title();
    document.operations().start<Difference>(
        DocumentOperations::Kind::Compare,
        {tr("Comparing %1 with the original").arg(title), tr("Could not compare %1 with the original").arg(title)},
        [versions = versionsOf(*document.versions().history())](const fx::Progress& progress) {
            return std::make_shared<const VersionDifference>(differenceOf(versions, progress));
        },
        [this, title](Difference difference) {
            const QString name = tr("%1: original and modified").arg(title);
            (new CompareWindow(std::move(difference), name, {}, m_window))->show();
        });
}

} // namespace ui
