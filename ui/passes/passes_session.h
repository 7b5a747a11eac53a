// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"
#include "ui/passes/kept_result.h"
#include "ui/passes/pass_record.h"
#include "ui/run/run_session.h"

#include <deque>

namespace ui {

class RunCenter;

/// The passes of one document: what is in the list, what the last run did step by step, and what is known of the
/// numbers and the speed after each step. Runs are operations of the document: they continue while another document is
/// in front. GUI thread only.
class PassesSession final : public QObject {
    Q_OBJECT
public:
    PassesSession(Document& document, RunCenter& run);
    ~PassesSession() override;
    /// The session of a document; created on first use and destroyed with it.
    static PassesSession* of(Document& document, RunCenter& run);

    Document& document() const { return m_document; }
    const PassChoices& choices() const { return m_choices; }
    void setChoices(PassChoices choices);

    /// Runs the ticked passes, and makes the result one change that can be undone.
    void run();
    /// Runs one pass, whether or not it is in the list, on the selected nodes or on all.
    void runAlone(const PassChoice& pass, bool onSelection);
    /// Runs the pass `onednn` alone; `optimised` follows.
    void optimise();
    /// Finds the first pass and rewrite that break the model. The session goes to it.
    void bisect();
    /// Finds the smallest part of the model on which the passes fail; `minimised` follows.
    void minimise();
    void cancel();
    bool isBusy() const { return m_operation != 0; }
    const QString& doing() const { return m_doing; } ///< while busy
    double done() const { return m_done; }           ///< 0..1
    /// Why nothing can be run, or empty.
    QString whyNot() const;

    /// Of the last run; null: there was none.
    const std::shared_ptr<const PassRecord>& record() const { return m_record; }
    /// Whether the document shows what the last run made.
    bool isCurrent() const;
    /// A step of the record: a pass, and one of its rewrites from 1, or 0 for the whole pass.
    struct Place {
        std::size_t pass = 0, rewrite = 0;
        bool operator==(const Place&) const = default;
    };
    const std::optional<Place>& place() const { return m_place; }
    void goTo(std::optional<Place> place);
    /// To the next rewrite or the one before, through all passes.
    void stepRewrite(int by);
    /// The step of the place; null if there is none.
    const PassStep* step() const { return stepAt(m_place); }
    const PassStep* stepAt(const std::optional<Place>& place) const;

    /// The numbers after a step against those before the run.
    struct Checked {
        std::optional<fx::VerifyReport> report;
        std::optional<fx::Error> error; ///< why that is not known
    };
    /// Null: not known yet.
    const Checked* checked(const PassStep& step) const;
    /// The time of the model after a step against that before the run; null: not measured.
    const fx::onednn::WholeTimes* timed(const PassStep& step) const;
    bool isTiming() const { return m_timing; }
    void timeStep();

    /// What bisection found; nothing: it has not run, or found nothing.
    const std::optional<fx::PassBisection>& bisection() const { return m_bisection; }
    /// What the last action has to say, as a sentence; `isBad`: it is an error.
    const QString& told() const { return m_told; }
    bool toldBad() const { return m_toldBad; }

Q_SIGNALS:
    void choicesRestored();
    /// Something else than the place has changed.
    void changed();
    void progressed();
    void placeChanged();
    void minimised(const std::shared_ptr<const fx::GraphModule>& part, const QString& title, const QString& told);
    void optimised();
    /// A pass of Python text failed at a place of its file.
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

    Document& m_document;
    RunCenter& m_run;
    QPointer<WorkerService> m_worker;
    PassChoices m_choices;
    DocumentOperations::Id m_operation = 0;
    QString m_doing;
    double m_done = 0;
    std::shared_ptr<const PassRecord> m_record;
    std::vector<std::shared_ptr<const fx::PastedFile>> m_files; ///< that the history needs
    std::optional<Place> m_place;
    QHash<const fx::GraphModule*, Checked> m_checked; ///< of the record's steps
    QHash<const fx::GraphModule*, fx::onednn::WholeTimes> m_times;
    std::deque<std::shared_ptr<const fx::GraphModule>> m_toCheck;
    bool m_checking = false, m_timing = false;
    std::optional<fx::PassBisection> m_bisection;
    QString m_told;
    bool m_toldBad = false;
    std::shared_ptr<const fx::GraphModule> m_toldOf; ///< the version that was current then
};

} // namespace ui
