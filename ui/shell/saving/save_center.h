// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/shell/saving/save_job.h"
#include "ui/shell/saving/save_path.h"

#include <QHash>
#include <QSet>

#include <deque>
#include <memory>
#include <mutex>

namespace ui {

/// What saving needs of the window.
struct SaveHost {
    QWidget* window = nullptr;
    std::function<QList<Document*>()> documents;        ///< that are open
    std::function<QByteArray(const Document&)> view;    ///< what a project keeps of how the document is looked at
    std::function<std::string(const Document&)> inputs; ///< what it is run with
    std::function<QString()> folder;                    ///< where the file dialog begins
};

/// Saves documents: asks what has to be asked, and runs the jobs. Several documents are saved at once; the jobs of one
/// document run one after the other, and one that has not begun yet takes the newest version.
class SaveCenter final : public QObject {
    Q_OBJECT
public:
    using Done = std::function<void(SaveJob::Outcome)>;

    explicit SaveCenter(SaveHost host);

    /// To the file that was saved last, or the project that is open; else asks for one. Also asks when that file has
    /// the model of another quantisation, or the one in floating point: this one is not what the file is.
    void save(Document& document, Done done = {});
    void saveAs(Document& document, Done done = {});
    /// Everything that is unsaved. The source and edits of its graph go to two files, which are asked for before
    /// anything is written.
    void saveAll(Document& document, Done done = {});
    /// In the format that the ending of `path` says, as the command line does; a project (.lancet) with its whole
    /// history and how it is looked at.
    void saveTo(Document& document, const QString& path, Done done = {});
    /// Why nothing may be written to the file: another document that stays is open from it, or is being saved to it.
    std::optional<fx::Error> refusal(const QString& path, const Document* writer = nullptr) const;
    /// The document is being closed: until it is called back, others may write its file.
    void letGo(Document& document);
    void callBack(const Document& document) { m_leaving.remove(&document); }
    bool isSaving(const Document& document) const { return m_queues.contains(&document); }
    bool isAsking(const Document& document) const;
    /// The current version will be in a file when the jobs that run have ended.
    bool isBeingSaved(const Document& document) const;
    /// The document that is seen, or null: what other documents ask waits.
    void setInFront(Document* document);

Q_SIGNALS:
    void notified(const QString& what);
    void saved(const QString& path);
    /// No job of the document is left.
    void ended(Document* document);

private:
    struct Entry {
        SaveJob* job;
        std::vector<Done> done;
    };
    using Queue = std::deque<Entry>;
    /// A file that will be written for a document, from the answer of the user to the end of the work.
    struct Claim {
        const Document* document;
        QString path;
    };
    /// What ends the work may be dropped on any thread.
    struct Claims {
        std::mutex mutex;
        QHash<quint64, Claim> open;
        void end(quint64 id) {
            const std::lock_guard lock(mutex);
            open.remove(id);
        }
    };

    /// What was saved to the target of a document: the version that its last quantisation made, null for none.
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
    QPointer<Document> m_front;
    QHash<const Document*, Queue> m_queues; ///< the first of each runs
    QHash<const Document*, Origin> m_origins;
    std::shared_ptr<Claims> m_claims = std::make_shared<Claims>();
    QSet<const Document*> m_leaving;
    quint64 m_lastClaim = 0;
};

} // namespace ui
