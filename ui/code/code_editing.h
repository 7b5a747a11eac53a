// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/code/merge_code.h"
#include "ui/code/draft_check.h"

#include <QPointer>
#include <QTimer>

namespace ui {

/// Edits the code of a document: checks it while the user types, off the GUI thread, and applies it as one change.
///
///     Clean ──type──▶ Checking ──▶ Ready ──apply──▶ Clean          the draft is in the document and is only dropped
///                        ▲  └────▶ Faulty                           by `apply` and `revert`
///   Checking ──stop──▶ Stopped ──apply──▶ Checking                 only a check of over a second can be stopped
///       any of these ──the model changes elsewhere──▶ Outdated ──merge──▶ Checking
class CodeEditing final : public QObject {
    Q_OBJECT
public:
    /// Clean: there is no draft. Outdated: the draft belongs to another version.
    enum class State { Clean, Checking, Stopped, Faulty, Ready, Outdated };

    explicit CodeEditing(QObject* parent = nullptr); ///< Creates an object without a document.
    /// Sets the time in milliseconds after which a check counts as slow.
    void setSlowAfter(int milliseconds) { m_slowAfter.setInterval(milliseconds); }

    /// Turns to another document and its draft. A draft that waits to be applied is still applied.
    void setDocument(Document* document);
    State state() const { return m_state; } ///< The state of the draft.
    /// The errors of the draft from the last check.
    const std::vector<fx::CodeError>& errors() const { return m_errors; }
    /// The effect of applying, or the reason why that is not possible.
    const QString& summary() const { return m_summary; }
    /// Warnings about unknown names that are kept; only while Ready.
    const QStringList& warnings() const { return m_warnings; }

    /// Sets the whole edited code. `base` is the original code, of `version`.
    void setText(const QByteArray& text, const std::shared_ptr<const fx::PythonCode>& base,
                 const std::shared_ptr<const fx::GraphModule>& version);
    /// Applies a valid draft, after the check if one is due. Otherwise goes to the first error.
    void apply();
    /// True during a slow check, which can be stopped; `summary` shows its progress.
    bool slow() const { return m_slow; }
    /// Stops a check. The text is kept, and checked again when it changes or is applied.
    void stopCheck();
    /// Drops the draft.
    void revert();
    /// Merges the changes of the draft into the current code of the document, off the GUI thread.
    void merge();

Q_SIGNALS:
    void stateChanged(); ///< Emitted when `state` or `summary` change.
    /// Emitted when the draft was replaced or dropped other than by `setText`.
    void textReplaced();
    /// Emitted when the view should show an error of the draft.
    void errorRequested(const fx::CodeError& error);

private:
    void startCheck();
    void take(DraftCheck checked);
    void showProgress(const QString& what, double done);
    void waitToApply(bool waits);
    void finishApply();
    void follow();
    void followDraft();
    void clear();
    void setState(State state, const QString& summary = {});

    QPointer<Document> m_document;
    State m_state = State::Clean;
    std::vector<fx::CodeError> m_errors;
    QString m_summary, m_mergeNote;
    QStringList m_warnings;
    fx::StepList m_steps;                            ///< the step of the draft; only while Ready
    std::shared_ptr<const fx::GraphModule> m_result; ///< the result of the draft; only while Ready
    DocumentOperations::Id m_applying = 0;           ///< set while applying waits for the check
    QTimer m_pause{this};                            ///< runs while the user types
    QTimer m_slowAfter{this};                        ///< runs until a check counts as slow
    bool m_slow = false;
    TaskSlot<DraftCheck> m_check{"code.check"};
    TaskSlot<fx::MergedCode> m_merge{"code.merge"};
};

} // namespace ui
