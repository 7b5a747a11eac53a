// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"
#include "ui/passes/pass_record.h"
#include "ui/passes/recorded_steps.h"
#include "ui/run/run_session.h"

#include <deque>

namespace ui {

class RunCenter;

/// The passes of one document: the list, the record of the last run, and verdict and speed after each step as far as
/// they are known. Runs are operations of the document and continue while another document is in front. GUI thread
/// only.
class PassesSession final : public QObject {
    Q_OBJECT
public:
    PassesSession(Document& document, RunCenter& run); ///< Use `of` instead; `document` becomes the parent.
    ~PassesSession() override;
    /// Returns the session of a document. Creates it on first use; the document owns it.
    static PassesSession* of(Document& document, RunCenter& run);

    Document& document() const { return m_document; }        ///< The document of the session.
    const PassChoices& choices() const { return m_choices; } ///< The list and its options.
    void setChoices(PassChoices choices);                    ///< Replaces the list and its options.

    /// Runs the ticked passes, and makes the result one change that can be undone.
    void run();
    /// Runs one pass, which need not be in the list, on the selected nodes or on the whole model.
    void runAlone(const PassChoice& pass, bool onSelection);
    /// Runs only the pass `onednn`; emits `optimised`.
    void optimise();
    /// Finds the first pass and rewrite that break the model, and goes to it.
    void bisect();
    /// Finds the smallest part of the model on which the passes fail; emits `minimised`.
    void minimise();
    void cancel();                                   ///< Cancels the running operation.
    bool isBusy() const { return m_operation != 0; } ///< True while an operation runs.
    const QString& doing() const { return m_doing; } ///< The current step; only while busy.
    double done() const { return m_done; }           ///< The fraction done, 0 to 1.
    /// Returns the reason why the passes cannot run, or empty.
    QString whyNot() const;

    /// The record of the last run; null if there was none.
    const std::shared_ptr<const PassRecord>& record() const { return m_record; }
    /// True if the document shows the result of the last run.
    bool isCurrent() const;
    /// A step of the record: a pass, and one of its rewrites from 1, or 0 for the whole pass.
    struct Place {
        std::size_t pass = 0, rewrite = 0;
        bool operator==(const Place&) const = default;
    };
    /// The current step; nullopt if none exists.
    const std::optional<Place>& place() const { return m_place; }
    void goTo(std::optional<Place> place); ///< Goes to a step; nullopt: to none.
    /// Goes to the next or the previous rewrite, across passes.
    void stepRewrite(int by);
    /// The current step; null if none exists.
    const PassStep* step() const { return stepAt(m_place); }
    /// Returns a step of the record; null if none exists.
    const PassStep* stepAt(const std::optional<Place>& place) const;

    /// The comparison of the outputs after a step with those before the run.
    struct Checked {
        std::optional<fx::VerifyReport> report;
        std::optional<fx::Error> error; ///< why the outputs could not be compared
    };
    /// Returns the comparison for a step; null while unknown.
    const Checked* checked(const PassStep& step) const;
    /// Returns the time of the model after a step compared with that before the run; null: not measured.
    const fx::onednn::WholeTimes* timed(const PassStep& step) const;
    bool isTiming() const { return m_timing; } ///< True while a step is timed.
    void timeStep();                           ///< Times the current step.

    /// The result of the last bisection; nullopt if it has not run or found nothing.
    const std::optional<fx::PassBisection>& bisection() const { return m_bisection; }
    /// The message of the last action; an error if `toldBad`.
    const QString& told() const { return m_told; }
    bool toldBad() const { return m_toldBad; } ///< True if `told` is an error.

Q_SIGNALS:
    void choicesRestored(); ///< Emitted when choices were read from the view of the document.
    /// Emitted when anything except `place` and the progress changes.
    void changed();
    void progressed();   ///< Emitted when `doing` or `done` change.
    void placeChanged(); ///< Emitted when `place` changes.
    /// Emitted when `minimise` found a smaller model that fails.
    void minimised(const std::shared_ptr<const fx::GraphModule>& part, const QString& title, const QString& told);
    void optimised(); ///< Emitted when `optimise` has ended.
    /// Emitted when a pass in Python text failed at a position of its file.
    void textFailed(const QString& file, const fx::Error& error);

private:
    struct Asked {
        QString name;
        PassJob job;
        bool optimises = false;
    };
    PassJob jobOf(const PassChoices& choices) const;
    PassJob jobOf(const PassChoice& pass, bool onSelection) const;
    void start(Asked asked);
    void take(const Asked& asked, PassRecord record, const RecordedSteps& steps);
    void adopt(const Asked& asked, const RecordedSteps& steps);
    void tell(const QString& what, bool isBad);
    void end();
    bool begins();
    bool checksNumbers() const;
    void failed(const fx::Error& error);
    template<class Result> void operate(DocumentOperations::Kind kind, const QString& label,
                                        std::function<Result(PassEngine&, const fx::Progress&)> work,
                                        std::function<void(Result)> done);
    void showBisection(const std::shared_ptr<const fx::GraphModule>& model, const std::vector<std::size_t>& rows);
    void checkSteps();
    void checkNext();
    void forgetChecks();
    void forgetRefusals();

    Document& m_document;
    RunCenter& m_run;
    QPointer<WorkerService> m_worker;
    PassChoices m_choices;
    DocumentOperations::Id m_operation = 0;
    QString m_doing;
    double m_done = 0;
    std::shared_ptr<const PassRecord> m_record;
    std::vector<std::shared_ptr<const fx::PastedFile>> m_files; ///< files that the history needs
    std::optional<Place> m_place;
    QHash<const fx::GraphModule*, Checked> m_checked; ///< for steps of the record
    QHash<const fx::GraphModule*, fx::onednn::WholeTimes> m_times;
    std::deque<std::shared_ptr<const fx::GraphModule>> m_toCheck;
    bool m_checking = false, m_timing = false;
    std::optional<fx::PassBisection> m_bisection;
    QString m_told;
    bool m_toldBad = false, m_toldRefusal = false;
    std::shared_ptr<const fx::GraphModule> m_toldOf; ///< the version that was current then
};

} // namespace ui
