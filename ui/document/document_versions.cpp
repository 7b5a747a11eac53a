// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/document_versions.h"

#include "core/edit/version_diff.h"
#include "ui/document/document_journal.h"
#include "ui/document/document_operations.h"

namespace ui {

namespace {
/// The result of an edit on another thread.
struct Edited {
    std::shared_ptr<fx::GraphModule> result;
    bool changes = true;
};

bool isNothing(const fx::EditEffect& effect) {
    return effect.created.empty() && effect.erased.empty() && effect.changed.empty();
}

/// What an edit made of a version: nothing, only other names where a pattern was replaced by what was there, or more.
enum class Outcome { Nothing, SameReplacement, Change };

Outcome outcomeOf(const fx::GraphModule& before, const fx::GraphModule& after, const fx::StepList& steps) {
    if (before.root != after.root) return Outcome::Change;
    const fx::EditEffect effect = fx::compareVersions(before.graph, after.graph);
    if (isNothing(effect)) return before.graph.order() == after.graph.order() ? Outcome::Nothing : Outcome::Change;
    if (effect.created.empty() || !steps.has("replace_pattern")) return Outcome::Change;
    const bool isSame = isNothing(fx::VersionDiff(before, after).effect());
    return isSame ? Outcome::SameReplacement : Outcome::Change;
}

fx::Error sameReplacement() { return fx::Error(fx::ErrorKind::Refused, fx::Message("window.same_replacement")); }
} // namespace

DocumentVersions::DocumentVersions(DocumentOperations& operations, DocumentJournal& journal, fx::Readers readers,
                                   QObject* parent)
    : QObject(parent), m_operations(operations), m_journal(journal), m_readers(std::move(readers)) {}

DocumentVersions::~DocumentVersions() { disposeLater(std::move(m_current)); }

void DocumentVersions::begin(fx::History history, std::size_t saved) {
    m_history.emplace(std::move(history));
    m_current = m_history->model();
    m_saved = saved < m_history->entries().size() ? m_history->entries()[saved].model : nullptr;
}

bool DocumentVersions::edit(const QString& name, const fx::StepList& steps) {
    if (!m_current) return false;
    const GuiScope scope("document.edit");
    std::shared_ptr<const fx::GraphModule> result;
    try {
        result = fx::History::edited(*m_current, steps, {}, m_readers);
    } catch (const fx::Error& error) {
        Q_EMIT refused(error);
        return false;
    }
    return adoptEdit(name, steps, std::move(result));
}

bool DocumentVersions::adoptEdit(const QString& name, const fx::StepList& steps,
                                 std::shared_ptr<const fx::GraphModule> result) {
    if (m_refusal) {
        Q_EMIT refused(*m_refusal);
        return false;
    }
    const Outcome outcome = outcomeOf(*m_current, *result, steps);
    if (outcome == Outcome::Nothing) Q_EMIT unchanged(name);
    if (outcome == Outcome::SameReplacement) Q_EMIT refused(sameReplacement());
    if (outcome != Outcome::Change) return false;
    add(name, steps, std::move(result));
    return true;
}

/// Makes `result`, which differs from the current version, the current version.
void DocumentVersions::add(const QString& name, const fx::StepList& steps,
                           std::shared_ptr<const fx::GraphModule> result) {
    const auto& entries = m_history->entries();
    std::vector<fx::History::Entry> undone(entries.begin() + static_cast<std::ptrdiff_t>(m_history->current()) + 1,
                                           entries.end()); // they end as others are made
    m_history->push(name.toStdString(), steps, std::move(result));
    m_journal.record([this](fx::Journal& journal) { journal.edited(*m_history); });
    m_current = m_history->model();
    Q_EMIT edited(name);
    Q_EMIT changed();
    disposeLater(std::move(undone));
}

void DocumentVersions::editInBackground(const QString& name, const fx::StepList& steps, std::function<void()> onDone) {
    if (!m_current) return;
    if (m_refusal) return Q_EMIT refused(*m_refusal);
    if (m_operations.isRunning(DocumentOperations::Kind::Edit)) {
        Q_EMIT refused(fx::Error(fx::ErrorKind::Refused, fx::Message("window.edit_running")));
        return;
    }
    m_operations.start<Edited>(
        DocumentOperations::Kind::Edit, {name, {}},
        [version = m_current, steps, readers = m_readers](const fx::Progress& progress) {
            Edited edited{fx::History::edited(*version, steps, progress, readers)};
            const Outcome outcome = outcomeOf(*version, *edited.result, steps);
            if (outcome == Outcome::SameReplacement) throw sameReplacement();
            edited.changes = outcome == Outcome::Change;
            return edited;
        },
        [this, before = m_current, name, steps, onDone = std::move(onDone)](Edited edited) {
            if (!edited.changes) return Q_EMIT unchanged(name);
            if (m_current == before) {
                add(name, steps, std::move(edited.result));
                return onDone ? onDone() : void();
            }
            Q_EMIT refused(
                fx::Error(fx::ErrorKind::Refused, fx::Message("window.edit_stale", {{"name", name.toStdString()}})));
        },
        [this](const fx::Error& error) { Q_EMIT refused(error); });
}

void DocumentVersions::undo() {
    if (m_history && m_history->canUndo()) goTo(m_history->current() - 1);
}

void DocumentVersions::redo() {
    if (m_history && m_history->canRedo()) goTo(m_history->current() + 1);
}

void DocumentVersions::goTo(std::size_t entry) {
    if (!m_history || entry >= m_history->entries().size() || entry == m_history->current()) return;
    m_history->goTo(entry);
    m_journal.record([this](fx::Journal& journal) { journal.wentTo(m_history->current()); });
    m_current = m_history->model();
    Q_EMIT changed();
}

} // namespace ui
