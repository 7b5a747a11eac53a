// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/foresee.h"
#include "ui/shell/saving/save_request.h"

#include <QDialog>

namespace ui {

/// Saves one version of one document to one file:
///
///     Waiting ──start──▶ Checking ──▶ Asking ──accepted──▶ Writing ──▶ Saved, Failed
///                           └── nothing to ask ──────────────▲        any of these ──cancel──▶ Cancelled
///
/// It is an operation of its document from beginning to end, and deletes itself after that. It asks how PyTorch will
/// read the file, and whether to overwrite changes and files of other programs. Its questions are visible while its
/// document is in front.
class SaveJob final : public QObject {
    Q_OBJECT
public:
    /// The result of a job.
    enum class Outcome { Saved, Failed, Cancelled };

    /// `document` becomes the parent; `window` is the parent of questions.
    SaveJob(Document& document, SaveRequest request, QWidget* window);
    ~SaveJob() override;

    const SaveRequest& request() const { return m_request; } ///< The version and the file to save.
    /// Replaces the request. Call it before `start`.
    void replace(SaveRequest request) { m_request = std::move(request); }
    void start(bool inFront); ///< Starts the job. `inFront`: the document is visible.
    void cancel();            ///< Cancels the job. The file stays as it was, unless it has been written already.
    bool isAsking() const { return m_question; } ///< True while the job waits for an answer.
    /// Shows or hides the question with its document.
    void setInFront(bool inFront);

Q_SIGNALS:
    void notified(const QString& what);      ///< Emitted with messages for the status bar.
    void finished(SaveJob::Outcome outcome); ///< Emitted at the end; the job deletes itself then.

private:
    struct Checked {
        std::vector<fx::Foreseen> points;
        bool changedOnDisk = false;
        std::optional<fx::ModelIdentity> onDisk = {}; ///< the content to be overwritten if that is the document's file
        QString foreignWeights = {};                  ///< a weights file of another model that would be overwritten
    };
    struct Written {
        SavedFile saved;
        /// The file changed during a question, so nothing was written.
        bool changedOnDisk = false;
    };
    void check();
    void askAboutDisk(const Checked& checked);
    void askAboutWeights(const Checked& checked);
    void askAboutPoints(std::vector<fx::Foreseen> points);
    void ask(QDialog* question);
    void leaveWithVersion(QDialog* question);
    void write();
    void take(const Written& written);
    void fail(const fx::Error& error);
    void finish(Outcome outcome);

    Document& m_document;
    SaveRequest m_request;
    QWidget* m_window;
    bool m_inFront = false;
    DocumentOperations::Id m_operation = 0;
    QPointer<QDialog> m_question;
    std::stop_source m_stop;
    TaskSlot<Checked> m_checking{"save.check"};
    std::optional<fx::ModelIdentity> m_onDisk; ///< the content that the user agreed to overwrite
    TaskSlot<Written> m_writing{"save.write"};
};

} // namespace ui
