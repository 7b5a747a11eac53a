// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/graph_edits.h"

#include "core/base/memory.h"
#include "core/edit/steps/steps.h"
#include "ui/document/edit_text.h"
#include "ui/document/node_facts.h"
#include "ui/edit/erase_dialog.h"
#include "ui/edit/value_steps.h"
#include "ui/shell/operations/previews.h"
#include "ui/shell/settings.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/readable_width.h"

#include <QMessageBox>
#include <QPointer>
#include <QPushButton>

namespace ui {

namespace {

QString nameOf(const fx::Graph& graph, fx::NodeId node) { return fromCore(graph.node(node).name()); }

/// Null for a node that is not there.
const fx::Node* find(const fx::Graph& graph, fx::NodeId id) {
    return fx::index(id) < graph.idLimit() && !graph.node(id).erased() ? &graph.node(id) : nullptr;
}

/// Nodes whose last user has gone. Linear.
std::vector<fx::NodeId> newlyUnused(const fx::Graph& before, const fx::Graph& after) {
    std::vector<fx::NodeId> unused;
    for (const fx::Node& node : after.nodes())
        if (node.users().empty() && node.op() != fx::Op::Output && node.op() != fx::Op::Placeholder &&
            fx::index(node.id()) < before.idLimit() && !before.node(node.id()).users().empty())
            unused.push_back(node.id());
    return unused;
}

/// What the version warns of that the one before it did not: writes in place that are no longer made.
QStringList newlyLostWrites(const fx::GraphModule& before, const fx::GraphModule& after) {
    const auto textsIn = [](const fx::GraphModule& model) {
        QStringList texts;
        for (const fx::Warning& warning : model.warnings)
            if (warning.what.is("edit.writer_gone")) texts << elidedLines(warning.what.text(), 300);
        return texts;
    };
    QStringList lost = textsIn(after);
    for (const QString& known : textsIn(before)) lost.removeOne(known);
    return lost;
}

/// So that the next action goes on from there.
void selectCreated(Document& document, const fx::GraphModule& before) {
    const fx::EditEffect effect = fx::compareVersions(before.graph, document.module()->graph);
    if (!effect.created.empty()) document.selection().select(effect.created, nullptr);
}

} // namespace

GraphEdits::GraphEdits(Settings& settings, Previews& previews, QWidget* window)
    : QObject(window), m_settings(settings), m_previews(previews), m_window(window) {}

void GraphEdits::insertOrChange(Document& document, CallDialog::Task task) {
    open(document, new CallDialog(document, document.selection().inGraphOrder(), task, m_window));
}

void GraphEdits::insertBetween(Document& document, fx::NodeId from, fx::NodeId to) {
    auto* dialog = new CallDialog(document, {from}, CallDialog::Task::InsertAfter, m_window);
    dialog->setOnlyUser(to);
    open(document, dialog);
}

void GraphEdits::open(Document& document, CallDialog* dialog) {
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setModal(true);
    const QString recent = QStringLiteral("calls");
    dialog->setRecent(m_settings.panel(recent));
    connect(dialog, &QDialog::accepted, &document, [this, recent, dialog, &document] {
        m_settings.setPanel(recent, dialog->recent());
        makeNodes(document, dialog->name(), dialog->steps());
    });
    connect(dialog, &CallDialog::previewRequested, &document,
            [this, dialog, &document](const QString& name, const fx::StepList& steps) {
                const auto before = document.module();
                m_previews.preview(document, name, steps, dialog, [&document, before, still = QPointer(dialog)] {
                    selectCreated(document, *before);
                    if (still) still->reject(); // it is done
                });
            });
    dialog->open();
}

void GraphEdits::makeNodes(Document& document, const QString& name, const fx::StepList& steps) {
    change(document, name, steps, [&document, before = document.module()] { selectCreated(document, *before); });
}

/// New weights are made in the background when they are large, and only when the user agrees when they are very large.
void GraphEdits::change(Document& changed, const QString& name, const fx::StepList& steps,
                        std::function<void()> onDone) {
    constexpr std::uint64_t kAtOnce = 4 << 20, kUnasked = std::uint64_t{1} << 30;
    const QPointer<Document> document = &changed;
    const auto before = document->module();
    std::uint64_t size = 0;
    try {
        if (steps.createsModules()) size = fx::History::tried(*before, steps, {}, document->readers()).weightBytes;
    } catch (const fx::Error&) {
        // The edit itself says why not.
    }
    if (size > kUnasked) {
        QMessageBox box(QMessageBox::Warning, tr("Large Module"),
                        tr("The new weights need %1 of memory.").arg(fromCore(fx::bytesInWords(size))),
                        QMessageBox::Cancel, m_window);
        QPushButton* create = box.addButton(tr("Create Anyway"), QMessageBox::AcceptRole);
        box.setDefaultButton(QMessageBox::Cancel);
        setReadableWidth(box);
        box.exec();
        if (box.clickedButton() != create || !document || document->module() != before) return;
    }
    if (size > kAtOnce) document->versions().editInBackground(name, steps, std::move(onDone));
    else if (document->versions().edit(name, steps) && onDone) onDone();
}

void GraphEdits::connectNodes(Document& document, fx::NodeId from, fx::NodeId user, fx::NodeId input) {
    const fx::Graph& graph = document.module()->graph;
    document.versions().edit(tr("Connect %1 to %2").arg(nameOf(graph, from), nameOf(graph, user)),
                             fx::StepList().setInput(graph, user, input, from));
}

void GraphEdits::eraseSelected(Document& document) {
    Erasure erasure(document.shapes().shown(), document.selection().inGraphOrder());
    if (!erasure.needsAnswer()) return erase(document, tr("Erase %1").arg(erasure.what()), erasure.steps(false));
    auto* dialog = new EraseDialog(std::move(erasure), m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, &document, [this, dialog, &document, asked = document.module()] {
        if (document.module() == asked) erase(document, dialog->name(), dialog->steps());
    });
    dialog->open();
}

void GraphEdits::erase(Document& document, const QString& name, const fx::StepList& steps) {
    const auto before = document.module();
    if (!document.versions().edit(name, steps)) return;
    const std::vector<fx::NodeId> unused = newlyUnused(before->graph, document.module()->graph);
    if (!unused.empty())
        Q_EMIT notified(doneText(name, tr("Left unused: %1.").arg(namesInWords(before->graph, unused))));
}

void GraphEdits::removeUnused(Document& document) {
    const QString name = tr("Remove unused nodes");
    document.versions().editInBackground(
        name, fx::StepList().deadCode(), [this, &document, name, before = document.module()] {
            const QStringList lost = newlyLostWrites(*before, *document.module());
            if (lost.isEmpty()) return;
            const QString text = tr("Warning: %1.").arg(lost.front());
            Q_EMIT notified(doneText(name, lost.size() == 1 ? text : text + u' ' + tr("See Problems for the others.")));
        });
}

void GraphEdits::expandModule(Document& document) {
    const std::string& name = document.module()->graph.node(document.selection().nodes().front()).name();
    document.versions().edit(tr("Expand %1").arg(fromCore(name)), fx::StepList().inlineModule(name));
}

/// A text that is no value is refused in words, as a step is that cannot be done.
void GraphEdits::changeInPlace(Document& document, const QString& name, const std::function<fx::StepList()>& steps) {
    if (document.state() != Document::State::Ready) return;
    fx::StepList made;
    try {
        made = steps();
    } catch (const fx::Error& error) { return tellRefusal(document, error); }
    change(document, name, made, {});
}

void GraphEdits::rename(Document& document, const QString& old, const QString& name) {
    fx::Graph trial = document.module()->graph; // torch.fx makes the name valid and unique
    const fx::NodeId node = trial.find(old.toStdString());
    if (node == fx::kNoNode) return;
    trial.rename(node, name.toStdString());
    changeInPlace(document, tr("Rename %1 to %2").arg(old, nameOf(trial, node)),
                  [&] { return renameSteps(old.toStdString(), name.toStdString()); });
}

void GraphEdits::changeCell(Document& document, fx::NodeId id, NodeRowsModel::Field field, const QString& text) {
    const fx::Graph& graph = document.module()->graph;
    const fx::Node* node = find(graph, id);
    if (!node) return;
    using Field = NodeRowsModel::Field;
    if (field == Field::Name) return rename(document, QString::fromStdString(graph.node(id).name()), text);
    changeInPlace(document, tr("Change the arguments of %1").arg(nameOf(graph, id)), [&] {
        return field == Field::Args ? callSteps(graph, *node, text, {}, document.readers())
                                    : callSteps(graph, *node, {}, text, document.readers());
    });
}

void GraphEdits::changeArgument(Document& document, fx::NodeId id, const QString& place, const QString& text) {
    const fx::Graph& graph = document.module()->graph;
    const fx::Node* node = find(graph, id);
    if (!node) return;
    changeInPlace(document, tr("Change the arguments of %1").arg(nameOf(graph, id)),
                  [&] { return argumentSteps(graph, *node, place, text, document.readers()); });
}

void GraphEdits::changeSetting(Document& document, const QString& modulePath, const QString& name,
                               const QString& text) {
    changeInPlace(document, tr("Set %1 of %2").arg(name, modulePath), [&] {
        return settingSteps(*document.module(), modulePath.toStdString(), name, text, document.readers());
    });
}

void GraphEdits::tellRefusal(const Document& document, const fx::Error& error) const {
    QMessageBox box(QMessageBox::Information, tr("%1 Was Not Changed").arg(document.file().title()),
                    linesFromCore(error.what()), QMessageBox::Ok, m_window);
    box.setTextFormat(Qt::PlainText);
    if (!error.hint.empty()) box.setInformativeText(linesFromCore(error.hint));
    setReadableWidth(box);
    box.exec();
}

} // namespace ui
