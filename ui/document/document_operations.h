// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/tasks/task_slot.h"

#include <QObject>

#include <vector>

namespace ui {

/// Everything that a document is busy with and that somebody may want to watch or to stop: opening, saving, exporting,
/// searching, timing and the like. Operations run side by side; each has a number, a label, its progress and a way to
/// cancel it, and ends with its document. GUI thread only.
class DocumentOperations final : public QObject {
    Q_OBJECT
public:
    enum class Kind {
        Open,
        Edit,
        Save,
        Export,
        Picture,
        Recipe,
        Preview,
        Compare,
        Search,
        Partition,
        Values,
        Verify,
        Timing,
        Profile
    };
    using Id = std::uint64_t; ///< of one program run, never used twice

    /// "Exporting net.png" while it runs, "Could not export net.png" when it fails.
    struct Words {
        QString label, failure;
    };
    struct Operation {
        Id id = 0;
        Kind kind = Kind::Open;
        QString label, what; ///< `what`: the part of the work that runs now, as the work reports it
        double done = 0;     ///< 0..1; 0: not known
        bool asks = false;   ///< it waits for the user's answer
        std::function<void()> cancel;
        std::shared_ptr<void> work; ///< what ends with the operation; null if it runs elsewhere
    };

    explicit DocumentOperations(QObject* parent) : QObject(parent) {}

    /// In the order in which they began.
    const std::vector<Operation>& running() const { return m_running; }
    bool isRunning(Kind kind) const;
    /// The kinds that write a file: closing the document waits for them.
    static bool writes(Kind kind) { return kind == Kind::Save || kind == Kind::Export || kind == Kind::Recipe; }
    bool isWriting() const;
    /// The kinds whose result becomes a version of the model: closing the document asks about them.
    static bool edits(Kind kind) { return kind == Kind::Edit; }

    /// Runs `work` on the thread pool; `onDone` gets its result on the GUI thread unless it was cancelled. An error
    /// goes to `onError`, without one to `failed`.
    template<class Result> Id start(Kind kind, const Words& words, typename TaskSlot<Result>::Work work,
                                    typename TaskSlot<Result>::OnDone onDone, TaskState::OnError onError = {}) {
        auto slot = std::make_shared<TaskSlot<Result>>("document.operation");
        const Id id = begin(kind, words.label, {});
        find(id)->work = slot;
        setCancel(id, [this, kind, id, slot = slot.get()] {
            slot->cancel();
            end(id);
            Q_EMIT cancelled(kind, id);
        });
        slot->start(
            std::move(work), this,
            [this, id, onDone = std::move(onDone)](Result result) {
                end(id);
                onDone(std::move(result));
            },
            [this, id, failure = words.failure, onError = std::move(onError)](const fx::Error& error) {
                end(id);
                if (error.kind() == fx::ErrorKind::Cancelled) return;
                if (onError) onError(error);
                else Q_EMIT failed(failure, error);
            },
            [this, id](const QString& what, double done) { report(id, what, done); });
        return id;
    }

    /// The document has another title: labels that end in the old one take it, but for those of files that
    /// are written.
    void retitle(const QString& from, const QString& to);
    /// Another way to cancel what `start` began, such as one that waits for what the work has already done.
    void setCancel(Id id, std::function<void()> cancel);
    /// For work that runs elsewhere: `cancel` stops it, and who began it calls `end`.
    Id begin(Kind kind, const QString& label, std::function<void()> cancel);
    void report(Id id, const QString& what, double done);
    /// It waits for an answer of the user, or goes on.
    void setAsking(Id id, bool asks);
    void end(Id id);
    void cancel(Id id);
    void cancel(Kind kind);

Q_SIGNALS:
    /// One began, ended or got further.
    void changed();
    /// Of what `start` began.
    void cancelled(DocumentOperations::Kind kind, DocumentOperations::Id id);
    void failed(const QString& failure, const fx::Error& error);

private:
    Operation* find(Id id);

    std::vector<Operation> m_running;
};

} // namespace ui
