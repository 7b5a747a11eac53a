// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/pass_actions.h"

#include "core/passes/pass_list.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/changes/compare_window.h"
#include "ui/document/current_document.h"
#include "ui/passes/optimise_report.h"
#include "ui/passes/pass_text_panel.h"
#include "ui/passes/passes_panel.h"
#include "ui/passes/step_canvas.h"
#include "ui/run/run_center.h"
#include "ui/shell/document_page.h"
#include "ui/shell/window/document_tabs.h"
#include "ui/shell/window/panel_docks.h"
#include "ui/shell/window_actions.h"
#include "ui/timing/timing_panel.h"
#include "ui/timing/timing_session.h"
#include "ui/widgets/failure_box.h"

#include <QListWidget>
#include <QMenu>

namespace ui {

namespace {

/// To the version with this model, if the history has it.
void goToModel(Document& document, const std::shared_ptr<const fx::GraphModule>& model) {
    const auto& entries = document.versions().history()->entries();
    for (std::size_t entry = 0; entry < entries.size(); ++entry)
        if (entries[entry].model == model) return document.versions().goTo(entry);
}

} // namespace

PassActions::PassActions(WindowActions& actions, Panels& panels, PanelDocks& docks, DocumentTabs& tabs, QWidget* window)
    : QObject(window), m_actions(actions), m_panels(panels), m_docks(docks), m_tabs(tabs), m_window(window) {
    connectActions();
    connectPanels();
    fillMenu();
    // After the run centre, which knows the inputs of a document.
    m_panels.document.subscribe(m_panels.passes);
    m_panels.document.subscribe(m_panels.passText);
}

void PassActions::connectActions() {
    const auto on = [this](QAction* action, void (PassesSession::*what)(), bool showsPanel) {
        connect(action, &QAction::triggered, this, [this, what, showsPanel] {
            if (showsPanel) m_docks.show(Panel::Passes);
            PassesSession* session = m_panels.passes->session();
            if (!session) return;
            if (const QString why = session->whyNot(); showsPanel && !why.isEmpty())
                return Q_EMIT notified(tr("%1.").arg(why));
            (session->*what)();
        });
    };
    connect(m_actions.passes, &QAction::triggered, this, [this] {
        m_docks.show(Panel::Passes);
        m_panels.passes->list()->setFocus();
    });
    on(m_actions.runPasses, &PassesSession::run, true);
    on(m_actions.findBadRewrite, &PassesSession::bisect, true);
    on(m_actions.minimise, &PassesSession::minimise, true);
    connect(m_actions.optimise, &QAction::triggered, this, [this] {
        const RunSession* run = m_panels.run.session();
        if (run && !run->missing().isEmpty()) return m_panels.run.editInputs();
        if (PassesSession* session = m_panels.passes->session()) session->optimise();
    });
}

void PassActions::connectPanels() {
    PassesPanel* passes = m_panels.passes;
    PassTextPanel* text = m_panels.passText;
    const auto fail = [this](const QString& what, const fx::Error& error) { showFailure(m_window, what, error); };
    connect(passes, &PassesPanel::editRequested, this, [this, text](const PassChoice& pass) {
        text->edit(pass);
        m_docks.show(Panel::PassText);
    });
    connect(passes, &PassesPanel::newTextRequested, this, [this, text](const QString& name) {
        m_docks.show(Panel::PassText);
        text->editNew(name);
    });
    connect(text, &PassTextPanel::textChanged, passes, &PassesPanel::setText);
    connect(passes, &PassesPanel::textFailed, text, &PassTextPanel::showError);
    connect(passes, &PassesPanel::failed, this, fail);
    connect(text, &PassTextPanel::failed, this, fail);
    connect(passes, &PassesPanel::notified, this, &PassActions::notified);
    connect(text, &PassTextPanel::notified, this, &PassActions::notified);
    connect(passes, &PassesPanel::stepShown, this, &PassActions::showStep);
    connect(passes, &PassesPanel::compareRequested, this,
            [this](Document*, const std::shared_ptr<const VersionDifference>& difference, const QString& title) {
                (new CompareWindow(difference, title, {}, m_window))->show();
            });
    connect(passes, &PassesPanel::minimised, this,
            [this](const std::shared_ptr<const fx::GraphModule>& part, const QString& title) {
                Q_EMIT moduleMade(part, title, {});
            });
    connect(passes, &PassesPanel::optimised, this, &PassActions::showReport);
}

/// Each pass alone with its default settings, also in the palette.
void PassActions::fillMenu() {
    for (const fx::Pass& pass : fx::allPasses()) {
        if (!pass.run) continue;
        const QString name = fromCore(pass.name);
        auto* action = new QAction(name, &m_actions); // which lists it as long as it lives
        action->setProperty("needs", static_cast<int>(Need::File));
        action->setProperty("about", linesFromCore(pass.about));
        connect(action, &QAction::triggered, this, [this, name] { runPass(name); });
        m_actions.adopt(action, {}, {});
        m_actions.passMenu->addAction(action);
    }
}

/// In the panel, which shows what the pass did or why it did nothing.
void PassActions::runPass(const QString& name) {
    m_docks.show(Panel::Passes);
    PassesSession* session = m_panels.passes->session();
    if (!session) return;
    if (session->isBusy()) return Q_EMIT notified(tr("Passes are running."));
    PassChoice pass;
    pass.name = name;
    session->runAlone(pass, false);
}

/// Over the canvas of its document, whichever is in front.
void PassActions::showStep(Document* document, const std::shared_ptr<const VersionDifference>& difference,
                           const QString& title) {
    if (!document) return;
    DocumentPage* page = m_tabs.pageOf(*document);
    if (!page) return;
    StepCanvas::showOn(page->canvas(), difference, title);
    if (StepCanvas* shown = StepCanvas::on(page->canvas()))
        connect(shown, &StepCanvas::left, m_panels.passes, &PassesPanel::leaveStep, // queued: it deletes the sender
                static_cast<Qt::ConnectionType>(Qt::QueuedConnection | Qt::UniqueConnection));
}

/// What the pass says of each layer; meanwhile the whole is timed for the result card.
void PassActions::showReport(Document* document) {
    PassesSession* session = document ? PassesSession::of(*document, m_panels.run) : nullptr;
    if (!session || !session->record() || session->record()->passes.empty()) return;
    const auto& report = session->record()->passes.back().report;
    if (!report) {
        m_docks.show(Panel::Passes);
        return;
    }
    auto* shown = new OptimiseReport(document->file().title(), *report, session->record()->warnings, m_window);
    connect(shown, &OptimiseReport::nodeChosen, document, [document](const std::string& name) {
        if (document->state() != Document::State::Ready) return;
        if (const fx::NodeId node = document->module()->graph.find(name); node != fx::kNoNode)
            document->selection().goTo(node, nullptr);
    });
    // To look at another version is no edit: closing the report goes back, unless somebody has gone elsewhere since.
    struct Visit {
        std::shared_ptr<const fx::GraphModule> left, seen;
    };
    auto visit = std::make_shared<Visit>();
    connect(shown, &OptimiseReport::heatRequested, document, [this, document, visit](bool after) {
        const auto now = document->module();
        if (now != visit->seen) visit->left = now;
        showHeat(document, after);
        visit->seen = document->module();
    });
    connect(shown, &QDialog::finished, document, [document, visit] {
        if (visit->left && document->module() == visit->seen) goToModel(*document, visit->left);
    });
    connect(document, &QObject::destroyed, shown, &QWidget::close);
    shown->show();
    RunSession* run = m_panels.run.sessionOf(*document);
    if (run && report->changed) TimingSession::of(*run, m_panels.run.worker())->start();
}

/// The times of the nodes as colours, of the version before or after, which is gone to for that.
void PassActions::showHeat(Document* document, bool after) {
    DocumentPage* page = m_tabs.pageOf(*document);
    PassesSession* session = PassesSession::of(*document, m_panels.run);
    if (!page || !session->record() || !document->versions().history()) return;
    m_tabs.setCurrentWidget(page);
    goToModel(*document, after ? session->record()->after : session->record()->before);
    if (m_actions.heatMap->isEnabled() && !m_actions.heatMap->isChecked()) m_actions.heatMap->trigger();
    if (!m_actions.heatMap->isEnabled()) Q_EMIT notified(tr("The nodes are still being timed."));
}

} // namespace ui
