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
/// It is an operation of its document from the beginning to the end, and deletes itself after that. What it asks (what
/// PyTorch will make of the file, whether changes by other programs are to be overwritten) is seen while its document
/// is in front.
class SaveJob final : public QObject {
    Q_OBJECT
public:
    enum class Outcome { Saved, Failed, Cancelled };

    /// A child of the document; `window` is what its questions belong to.
    SaveJob(Document& document, SaveRequest request, QWidget* window);
    ~SaveJob() override;

    const SaveRequest& request() const { return m_request; }
    /// Before `start`: saves this instead.
    void replace(SaveRequest request) { m_request = std::move(request); }
    void start(bool inFront);
    void cancel();
    bool isAsking() const { return m_question; }
    /// Its document is the one that is seen.
    void setInFront(bool inFront);

Q_SIGNALS:
    void notified(const QString& what);
    void finished(SaveJob::Outcome outcome);

private:
    struct Checked {
        std::vector<fx::Foreseen> points;
        bool changedOnDisk = false;
        std::optional<fx::ModelIdentity> onDisk = {}; ///< what will be overwritten, where that is the document's file
    };
    struct Written {
        SavedFile saved;
        bool changedOnDisk = false; ///< while something was asked: nothing was written
    };
    void check();
    void askAboutDisk(const std::vector<fx::Foreseen>& points);
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
    std::optional<fx::ModelIdentity> m_onDisk; ///< what the user knows to be overwritten
    TaskSlot<Written> m_writing{"save.write"};
};

} // namespace ui
