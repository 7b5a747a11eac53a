// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/code/merge_code.h"
#include "ui/code/draft_check.h"

#include <QPointer>
#include <QTimer>

namespace ui {

/// The code of a document while somebody changes it: checked as one types, off the GUI thread, and applied as one
/// change.
///
///     Clean ──type──▶ Checking ──▶ Ready ──apply──▶ Clean          the draft is in the document and is never dropped
///                        ▲  └────▶ Faulty                           except by `apply` and `revert`
///   Checking ──stop──▶ Stopped ──apply──▶ Checking                       a check that takes more than a second can be
///   stopped
///       any of these ──the model changes elsewhere──▶ Outdated ──merge──▶ Checking
class CodeEditing final : public QObject {
    Q_OBJECT
public:
    enum class State { Clean, Checking, Stopped, Faulty, Ready, Outdated };

    explicit CodeEditing(QObject* parent = nullptr);
    /// A check that runs longer says so. Milliseconds.
    void setSlowAfter(int milliseconds) { m_slowAfter.setInterval(milliseconds); }

    void setDocument(Document* document);
    State state() const { return m_state; }
    /// What is wrong with the draft, as far as it was checked last.
    const std::vector<fx::CodeError>& errors() const { return m_errors; }
    /// What applying would do, or what stands in its way.
    const QString& summary() const { return m_summary; }
    /// Things that are kept although nobody knows them; only while Ready.
    const QStringList& warnings() const { return m_warnings; }

    /// The text has become `text`, the whole code; `base` is the code it was before anybody changed it.
    void setText(const QByteArray& text, const std::shared_ptr<const fx::PythonCode>& base,
                 const std::shared_ptr<const fx::GraphModule>& version);
    /// Makes the draft the model, when it is checked; an error is gone to instead.
    void apply();
    /// True while a check takes long: `summary` says how far it is, and it can be stopped.
    bool slow() const { return m_slow; }
    /// Gives up a check that takes long; the text stays, and is checked again when it changes or is applied.
    void stopCheck();
    /// Drops the draft.
    void revert();
    /// Brings the changes of the draft into the code that the document has now.
    void merge();

Q_SIGNALS:
    void stateChanged();
    /// The draft is another one than what was set by setText, or has gone.
    void textReplaced();
    void errorRequested(const fx::CodeError& error);

private:
    void startCheck();
    void take(DraftCheck checked);
    void showProgress(const QString& what, double done);
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
    std::shared_ptr<const fx::GraphModule> m_result; ///< what the draft makes of its version; only while Ready
    bool m_applyWhenChecked = false;
    QTimer m_pause;     ///< runs while one types
    QTimer m_slowAfter; ///< runs while a check has not yet taken long
    bool m_slow = false;
    TaskSlot<DraftCheck> m_check{"code.check"};
    TaskSlot<fx::MergedCode> m_merge{"code.merge"};
};

} // namespace ui
