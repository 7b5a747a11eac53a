// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/passes/passes_panel.h"

#include "core/files/read_text.h"
#include "core/files/replaced_file.h"
#include "ui/changes/diff_view.h"
#include "ui/document/node_facts.h"
#include "ui/passes/pass_settings_form.h"
#include "ui/passes/pass_step_text.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/file_dialog.h"
#include "ui/widgets/pill_delegate.h"
#include "ui/widgets/role.h"

#include <QCheckBox>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QJsonDocument>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>

namespace ui {

namespace {
constexpr int kRowRole = Qt::UserRole; ///< the row in the choices that an item was made of
constexpr std::uint64_t kMaxPipeline = std::uint64_t{16} << 20;
} // namespace

void PassesPanel::setDocument(Document* document) {
    if (m_document == document) return;
    if (m_session) m_session->disconnect(this);
    setStepping(false);
    m_document = document;
    m_session = document ? PassesSession::of(*document, m_run) : nullptr;
    if (m_session) connectSession();
    m_comparing.cancel();
    m_difference.reset();
    showChoices();
    showState();
    showStep();
}

void PassesPanel::connectSession() {
    connect(m_session, &PassesSession::choicesRestored, this, &PassesPanel::showChoices);
    connect(m_session, &PassesSession::changed, this, &PassesPanel::showState);
    connect(m_session, &PassesSession::changed, this, [this] {
        if (m_stepping && m_document->module() != m_steppedFrom) leaveStep();
    });
    connect(m_session, &PassesSession::progressed, this, &PassesPanel::showState);
    connect(m_session, &PassesSession::placeChanged, this, [this] {
        showRows();
        followPlace();
        m_settled.start();
    });
    connect(m_session, &PassesSession::textFailed, this, &PassesPanel::textFailed);
    connect(m_session, &PassesSession::minimised, this,
            [this](const std::shared_ptr<const fx::GraphModule>& part, const QString& title, const QString& told) {
                Q_EMIT minimised(part, title);
                Q_EMIT notified(told);
            });
    connect(m_session, &PassesSession::optimised, this, [this, document = m_document] { Q_EMIT optimised(document); });
}

// ── the list ─────────────────────────────────────────────────────────────────────────────────────────────────────────

void PassesPanel::showChoices() {
    const int before = currentRow();
    m_filling = true;
    m_list->clear();
    const PassChoices choices = m_session ? m_session->choices() : PassChoices();
    for (std::size_t i = 0; i < choices.passes.size(); ++i) {
        const PassChoice& pass = choices.passes[i];
        auto* item =
            new QListWidgetItem(pass.label() + (pass.isText() && pass.text ? QStringLiteral(" •") : QString()), m_list);
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable | Qt::ItemIsDragEnabled);
        item->setCheckState(pass.ticked ? Qt::Checked : Qt::Unchecked);
        item->setData(kRowRole, static_cast<int>(i));
        item->setToolTip(plainToolTip(rowToolTip(pass)));
    }
    m_list->setCurrentRow(std::min(std::max(before, 0), m_list->count() - 1));
    m_onSelection->setChecked(choices.onSelection);
    m_verifies->setChecked(choices.verifies);
    m_filling = false;
    m_list->setVisible(m_list->count() > 0);
    m_empty->setVisible(m_list->count() == 0);
    const int row = currentRow();
    m_settings->show(row >= 0 ? &choices.passes[static_cast<std::size_t>(row)] : nullptr);
    showRows();
    showState();
}

void PassesPanel::change(const std::function<void(PassChoices&)>& how) {
    if (!m_session || m_filling) return;
    PassChoices choices = m_session->choices();
    how(choices);
    m_session->setChoices(std::move(choices));
}

/// The list after rows were dragged or ticked.
void PassesPanel::takeChoices() {
    change([this](PassChoices& choices) {
        std::vector<PassChoice> passes;
        for (int row = 0; row < m_list->count(); ++row) {
            const auto from = static_cast<std::size_t>(m_list->item(row)->data(kRowRole).toInt());
            if (from >= choices.passes.size()) continue;
            passes.push_back(choices.passes[from]);
            passes.back().ticked = m_list->item(row)->checkState() == Qt::Checked;
        }
        choices.passes = std::move(passes);
    });
    m_filling = true;
    for (int row = 0; row < m_list->count(); ++row) m_list->item(row)->setData(kRowRole, row);
    m_filling = false;
    showState();
}

int PassesPanel::currentRow() const { return m_list->currentRow(); }

void PassesPanel::add(PassChoice choice) {
    if (!m_session) return;
    const int at = currentRow() < 0 ? m_list->count() : currentRow() + 1;
    change([&](PassChoices& choices) { choices.passes.insert(choices.passes.begin() + at, std::move(choice)); });
    showChoices();
    m_list->setCurrentRow(at);
    m_list->setFocus();
}

void PassesPanel::addFiles(const QStringList& files) {
    for (const QString& file : files) {
        PassChoice choice;
        choice.file = QFileInfo(file).absoluteFilePath();
        add(std::move(choice));
    }
}

void PassesPanel::askForFiles() {
    addFiles(FileDialog::openFiles(this, tr("Add Pass Files"), {}, tr("Python (*.py);;All files (*)")));
}

void PassesPanel::setText(const PassChoice& pass) {
    bool known = false;
    change([&](PassChoices& choices) {
        for (PassChoice& each : choices.passes)
            if (each.isText() && each.file == pass.file) each.text = pass.text, known = true;
    });
    if (!known) return add(pass);
    const int row = currentRow();
    showChoices();
    m_list->setCurrentRow(row);
}

void PassesPanel::remove(int row) {
    if (row < 0) return;
    change([&](PassChoices& choices) { choices.passes.erase(choices.passes.begin() + row); });
    showChoices();
}

void PassesPanel::moveRow(int by) {
    const int from = currentRow(), to = from + by;
    if (from < 0 || to < 0 || to >= m_list->count()) return;
    change([&](PassChoices& choices) {
        std::swap(choices.passes[static_cast<std::size_t>(from)], choices.passes[static_cast<std::size_t>(to)]);
    });
    showChoices();
    m_list->setCurrentRow(to);
}

/// The last run of the pass in a row.
std::optional<std::size_t> PassesPanel::passOfRow(std::size_t row) const {
    if (!m_session || !m_session->record()) return {};
    const auto& passes = m_session->record()->passes;
    for (std::size_t i = passes.size(); i-- > 0;)
        if (passes[i].row == row && row < m_session->choices().passes.size() &&
            isRunOf(passes[i], m_session->choices().passes[row]))
            return i;
    return {};
}

void PassesPanel::showRows() {
    const QSignalBlocker quiet(m_list);
    for (int row = 0; row < m_list->count(); ++row) showRow(row);
}

/// The row of the pass that is gone to becomes the current one.
void PassesPanel::followPlace() {
    if (!m_session || !m_session->place() || !m_session->record()) return;
    const QSignalBlocker quiet(m_list);
    const std::size_t row = m_session->record()->passes[m_session->place()->pass].row;
    if (passOfRow(row) && static_cast<int>(row) != currentRow()) m_list->setCurrentRow(static_cast<int>(row));
}

void PassesPanel::showRow(int row) {
    QListWidgetItem* item = m_list->item(row);
    const auto pass = passOfRow(static_cast<std::size_t>(row));
    const RowStatus status = rowStatus(m_session, pass, item->checkState() == Qt::Checked);
    item->setData(kPillTextRole, status.text);
    item->setData(kPillKindRole, static_cast<int>(status.kind));
}

void PassesPanel::rowChosen(int row) {
    if (m_filling || !m_session) return;
    const auto& passes = m_session->choices().passes;
    const bool there = row >= 0 && static_cast<std::size_t>(row) < passes.size();
    m_settings->show(there ? &passes[static_cast<std::size_t>(row)] : nullptr);
    if (!there) return;
    if (const auto pass = passOfRow(static_cast<std::size_t>(row))) {
        if (!m_session->place() || m_session->place()->pass != *pass) m_session->goTo(PassesSession::Place{*pass, 0});
    }
}

void PassesPanel::rowMenu(const QPoint& at) {
    const int row = currentRow();
    if (row < 0 || !m_session) return;
    const PassChoice pass = m_session->choices().passes[static_cast<std::size_t>(row)];
    QMenu menu;
    if (pass.isText()) menu.addAction(tr("Edit Text"), this, [&] { Q_EMIT editRequested(pass); });
    menu.addAction(tr("Move Up"), this, [this] { moveRow(-1); })->setEnabled(row > 0);
    menu.addAction(tr("Move Down"), this, [this] { moveRow(1); })->setEnabled(row + 1 < m_list->count());
    menu.addSeparator();
    menu.addAction(tr("Remove from List"), this, [this, row] { remove(row); });
    menu.exec(m_list->viewport()->mapToGlobal(at));
}

// ── pipelines ────────────────────────────────────────────────────────────────────────────────────────────────────────

void PassesPanel::openPipeline(const QString& path) {
    if (!m_session) return;
    try {
        const QByteArray json = QByteArray::fromStdString(fx::readTextFile(path.toStdString(), kMaxPipeline));
        PassChoices choices = PassChoices::fromPipeline(json, QFileInfo(path).absoluteFilePath());
        choices.onSelection = m_session->choices().onSelection;
        choices.verifies = m_session->choices().verifies;
        m_session->setChoices(std::move(choices));
    } catch (const fx::Error& error) {
        return Q_EMIT failed(tr("Could not open %1").arg(visible(QFileInfo(path).fileName())), error);
    }
    showChoices();
}

void PassesPanel::savePipeline(const QString& path) {
    if (!m_session) return;
    try {
        fx::ReplacedFile file(path.toStdString());
        file.write(QJsonDocument(m_session->choices().pipelineAt(path)).toJson().toStdString());
        file.commit();
        Q_EMIT notified(tr("Saved %1.").arg(path));
    } catch (const fx::Error& error) {
        Q_EMIT failed(tr("Could not save %1").arg(visible(QFileInfo(path).fileName())), error);
    }
}

// ── keys and drops ───────────────────────────────────────────────────────────────────────────────────────────────────

bool PassesPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched != m_list || !m_session) return QWidget::eventFilter(watched, event);
    if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride)
        return QWidget::eventFilter(watched, event);
    const auto& key = static_cast<QKeyEvent&>(*event);
    const bool moves = key.modifiers() == Qt::AltModifier && (key.key() == Qt::Key_Up || key.key() == Qt::Key_Down);
    const bool plain = !(key.modifiers() & ~Qt::KeypadModifier);
    const bool steps = plain && (key.key() == Qt::Key_Left || key.key() == Qt::Key_Right);
    const bool removes = plain && key.key() == Qt::Key_Delete && currentRow() >= 0;
    const bool leaves = plain && key.key() == Qt::Key_Escape && m_stepping;
    if (!moves && !steps && !removes && !leaves) return QWidget::eventFilter(watched, event);
    if (event->type() == QEvent::ShortcutOverride) { // not the window's: there Del erases nodes
        event->accept();
        return true;
    }
    if (moves) moveRow(key.key() == Qt::Key_Up ? -1 : 1);
    if (steps) m_session->stepRewrite(key.key() == Qt::Key_Left ? -1 : 1);
    if (removes) remove(currentRow());
    if (leaves) setStepping(false);
    return true;
}

void PassesPanel::dragEnterEvent(QDragEnterEvent* event) {
    for (const QUrl& url : event->mimeData()->urls())
        if (m_session && url.isLocalFile() && url.path().endsWith(QLatin1String(".py"))) event->acceptProposedAction();
}

void PassesPanel::dropEvent(QDropEvent* event) {
    QStringList files;
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile() && url.path().endsWith(QLatin1String(".py"))) files << url.toLocalFile();
    addFiles(files);
    event->acceptProposedAction();
}

/// Behind other panels, nothing is stepped through.
void PassesPanel::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    if (!event->spontaneous()) setStepping(false);
}

} // namespace ui
