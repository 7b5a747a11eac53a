// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/tasks/task_slot.h"

#include <QObject>

#include <vector>

namespace ui {

/// The running operations of a document that the user may watch or stop: opening, saving, exporting, searching, timing
/// and the like. Operations run concurrently. Each has an id, a label, progress and a way to cancel it, and ends with
/// the document. GUI thread only.
class DocumentOperations final : public QObject {
    Q_OBJECT
public:
    /// The kind of work; closing a document depends on it.
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
        Shapes,
        Verify,
        Timing,
        Profile
    };
    using Id = std::uint64_t; ///< unique in a program run

    /// Texts of an operation: "Exporting net.png" while it runs, "Could not export net.png" when it fails.
    struct Words {
        QString label, failure;
    };
    /// A running operation.
    struct Operation {
        Id id = 0;
        Kind kind = Kind::Open;
        QString label, what;          ///< `what`: the current step, as the work reports it
        double done = 0;              ///< 0..1; 0: unknown
        bool asks = false;            ///< waits for the user's answer
        bool waits = false;           ///< waits for the worker, until it reports progress
        std::function<void()> cancel; ///< stops the work and ends the operation
        std::shared_ptr<void> work;   ///< owns the work; null if it runs elsewhere
    };

    /// Creates an object without operations.
    explicit DocumentOperations(QObject* parent) : QObject(parent) {}

    /// The running operations, in the order in which they began.
    const std::vector<Operation>& running() const { return m_running; }
    /// True if an operation of this kind runs.
    bool isRunning(Kind kind) const;
    /// True for kinds that write a file: closing the document waits for them.
    static bool writes(Kind kind) { return kind == Kind::Save || kind == Kind::Export || kind == Kind::Recipe; }
    /// True if an operation runs that writes a file.
    bool isWriting() const;
    /// True for kinds whose result becomes a version of the model: closing the document asks about them.
    static bool edits(Kind kind) { return kind == Kind::Edit; }

    /// Runs `work` on the thread pool. `onDone` gets the result on the GUI thread unless the operation was cancelled.
    /// Errors go to `onError`, or to `failed` if it is empty.
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

    /// Updates the labels that end in the old title `from`, except those of operations that write files.
    void retitle(const QString& from, const QString& to);
    /// Replaces the way to cancel an operation, for example by one that waits for work already done.
    void setCancel(Id id, std::function<void()> cancel);
    /// Adds an operation whose work runs elsewhere. `cancel` stops the work; the caller calls `end`.
    Id begin(Kind kind, const QString& label, std::function<void()> cancel);
    /// Sets the current step and the fraction done, 0 to 1.
    void report(Id id, const QString& what, double done);
    /// Marks an operation as waiting for the user's answer, or as running again.
    void setAsking(Id id, bool asks);
    /// Marks an operation as waiting for the worker, until the next `report`.
    void setWaiting(Id id);
    /// Removes an operation that has ended.
    void end(Id id);
    /// Cancels one operation; ignores unknown ids.
    void cancel(Id id);
    /// Cancels all operations of a kind.
    void cancel(Kind kind);

Q_SIGNALS:
    /// Emitted when an operation begins, ends or changes its state.
    void changed();
    /// Emitted when an operation of `start` was cancelled.
    void cancelled(DocumentOperations::Kind kind, DocumentOperations::Id id);
    /// Emitted when an operation of `start` failed and has no `onError`.
    void failed(const QString& failure, const fx::Error& error);

private:
    Operation* find(Id id);

    std::vector<Operation> m_running;
};

} // namespace ui
