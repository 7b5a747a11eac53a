// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/inputs/input_spec.h"
#include "ui/shell/saving/save_job.h"
#include "ui/widgets/save_path.h"

#include <QHash>
#include <QSet>

#include <deque>
#include <memory>
#include <mutex>

namespace ui {

/// Returns the file that contains the model at `path`: `path` itself, or the dump of a stage.
QString fileOnDisk(const QString& path);

/// Functions of the window that saving needs.
struct SaveHost {
    QWidget* window = nullptr;                                  ///< parent of dialogs
    std::function<QList<Document*>()> documents;                ///< the open documents
    std::function<QByteArray(const Document&)> view;            ///< the view to store in a project
    std::function<std::string(const Document&)> inputs;         ///< the inputs to store in a project
    std::function<fx::InputDescription(const Document&)> tried; ///< guessed inputs with which it has run; may be empty
    std::function<fx::remote::WorkerOptions()> worker;          ///< the worker for scripts and constants
    std::function<QString()> folder;                            ///< initial folder of the file dialog
};

/// Saves documents: asks the necessary questions and runs the jobs. Several documents are saved concurrently. The jobs
/// of one document run one after the other, and a job that has not begun takes the newest version.
class SaveCenter final : public QObject {
    Q_OBJECT
public:
    /// Called with the outcome on the GUI thread; may be empty.
    using Done = std::function<void(SaveJob::Outcome)>;

    explicit SaveCenter(SaveHost host); ///< The window of `host` becomes the parent.

    /// Saves to the last saved file or the open project, else asks for a file. Also asks if that file contains the
    /// model of another quantisation or in floating point, because this model differs from it.
    void save(Document& document, Done done = {});
    void saveAs(Document& document, Done done = {}); ///< Asks for a file and saves to it.
    /// Saves everything that is unsaved. Source and edits of its graph go to two files; asks for both before writing
    /// anything.
    void saveAll(Document& document, Done done = {});
    /// Saves in the format of the extension of `path`, like the command line. A project (.lancet) contains the whole
    /// history and the view.
    void saveTo(Document& document, const QString& path, Done done = {});
    /// Returns the reason why nothing may be written to a file: another document that stays is open from it or is being
    /// saved to it. Nullopt if `writer` may write it.
    std::optional<fx::Error> refusal(const QString& path, const Document* writer = nullptr) const;
    /// Marks a document as closing: until `callBack`, other documents may write its file.
    void letGo(Document& document);
    void callBack(const Document& document) { m_leaving.remove(&document); } ///< Reverts `letGo`.
    /// True while a save job of the document exists.
    bool isSaving(const Document& document) const { return m_queues.contains(&document); }
    /// True while a save job of the document waits for an answer.
    bool isAsking(const Document& document) const;
    /// True if the current version will be in a file when the running jobs have ended.
    bool isBeingSaved(const Document& document) const;
    /// Sets the visible document, or null. Questions of other documents wait.
    void setInFront(Document* document);

Q_SIGNALS:
    void notified(const QString& what); ///< Emitted with messages for the status bar.
    void saved(const QString& path);    ///< Emitted when a file was written.
    /// Emitted when no job of the document is left.
    void ended(Document* document);

private:
    struct Entry {
        SaveJob* job;
        std::vector<Done> done;
    };
    using Queue = std::deque<Entry>;
    /// A file that will be written for a document, from the user's answer to the end of the work.
    struct Claim {
        const Document* document;
        QString path;
    };
    /// Shared, because the closure that ends a claim may be destroyed on any thread.
    struct Claims {
        std::mutex mutex;
        QHash<quint64, Claim> open;
        void end(quint64 id) {
            const std::lock_guard lock(mutex);
            open.remove(id);
        }
    };

    /// The version that the last quantisation before a save made; null if there was none. Recorded for the target of a
    /// document.
    using Origin = std::shared_ptr<const fx::GraphModule>;
    bool targetIsOther(const Document& document) const;
    void noteOrigin(const Document& document, const SaveRequest& request);
    Done claiming(const Document& document, const QString& path, Done done);
    bool isRefused(const Document& document, const QString& path, const Done& done) const;
    QString askPath(const Document& document, const QString& title, const std::vector<SaveFormat>& formats) const;
    std::optional<ReplacedLoss> lossOf(const Document& document, const QString& path) const;
    QString sourcePath(const Document& document) const;
    void saveSource(Document& document, const QString& path, Done done);
    void saveTraced(Document& document, const QString& path, Done done);
    void whenDrawn(Document& document, const QString& path, const Done& done,
                   std::function<void(const QString& problem)> then);
    bool settleDraft(Document& document, const QString& path, const Done& done);
    void enqueue(Document& document, const QString& path, Done done);
    void startNext(Document& document);
    void jobEnded(Document* document, SaveJob* job, SaveJob::Outcome outcome);
    SaveRequest requestFor(Document& document, const QString& path) const;

    SaveHost m_host;
    const std::unique_ptr<PathGuard> m_guard;
    QPointer<Document> m_front;
    QHash<const Document*, Queue> m_queues; ///< the first job of each queue runs
    QHash<const Document*, Origin> m_origins;
    std::shared_ptr<Claims> m_claims = std::make_shared<Claims>();
    QSet<const Document*> m_leaving;
    quint64 m_lastClaim = 0;
};

} // namespace ui
