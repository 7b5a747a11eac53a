// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/code/merge_code.h"
#include "ui/code/draft_check.h"

#include <QPointer>
#include <QTimer>

namespace ui {

/// The code of a document while it is edited: checked while typing, off the GUI thread, and applied as one change.
///
///     Clean ──type──▶ Checking ──▶ Ready ──apply──▶ Clean          the draft is in the document and is only dropped
///                        ▲  └────▶ Faulty                           by `apply` and `revert`
///   Checking ──stop──▶ Stopped ──apply──▶ Checking                       a check that takes more than a second can be
///   stopped
///       any of these ──the model changes elsewhere──▶ Outdated ──merge──▶ Checking
class CodeEditing final : public QObject {
    Q_OBJECT
public:
    enum class State { Clean, Checking, Stopped, Faulty, Ready, Outdated };

    explicit CodeEditing(QObject* parent = nullptr);
    /// The time in milliseconds after which a check reports that it is slow.
    void setSlowAfter(int milliseconds) { m_slowAfter.setInterval(milliseconds); }

    void setDocument(Document* document);
    State state() const { return m_state; }
    /// The errors of the draft from the last check.
    const std::vector<fx::CodeError>& errors() const { return m_errors; }
    /// The effect of applying, or why it is not possible.
    const QString& summary() const { return m_summary; }
    /// Warnings about unknown names that are kept; only while Ready.
    const QStringList& warnings() const { return m_warnings; }

    /// Sets the whole edited code; `base` is the original code.
    void setText(const QByteArray& text, const std::shared_ptr<const fx::PythonCode>& base,
                 const std::shared_ptr<const fx::GraphModule>& version);
    /// Applies the draft if it is valid; otherwise goes to the first error.
    void apply();
    /// True during a slow check, which can be stopped; `summary` shows its progress.
    bool slow() const { return m_slow; }
    /// Stops a slow check; the text is kept and checked again when it changes or is applied.
    void stopCheck();
    /// Drops the draft.
    void revert();
    /// Merges the changes of the draft into the current code of the document.
    void merge();

Q_SIGNALS:
    void stateChanged();
    /// The draft was replaced or dropped other than by setText.
    void textReplaced();
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
    QByteArray m_steps;
    std::shared_ptr<const fx::GraphModule> m_result; ///< the result of the draft; only while Ready
    DocumentOperations::Id m_applying = 0;           ///< while applying waits for the check
    QTimer m_pause;                                  ///< runs while the user types
    QTimer m_slowAfter;                              ///< runs until a check counts as slow
    bool m_slow = false;
    TaskSlot<DraftCheck> m_check{"code.check"};
    TaskSlot<fx::MergedCode> m_merge{"code.merge"};
};

} // namespace ui
