// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/manager/pass_bisect.h"

#include <algorithm>

namespace fx {
namespace {

/// Keeps the model before and after each pass, and counts the rewrites of each.
class Snapshots : public PassInstrument {
public:
    struct Taken {
        PassPlace place;
        GraphModule before;
        std::size_t rewrites = 0;
    };
    void beforePass(const PassPlace& place, const GraphModule& model) override { m_taken.push_back({place, model, 0}); }
    bool beforeRewrite(const RewritePlace&, const GraphModule&) override { return ++m_taken.back().rewrites, true; }
    const std::vector<Taken>& taken() const { return m_taken; }

private:
    std::vector<Taken> m_taken;
};

class Bisecting {
public:
    Bisecting(PassManager manager, const ModelCheck& check, Warnings& warnings, const Progress& progress)
        : m_manager(std::move(manager)), m_check(check), m_warnings(warnings), m_progress(progress) {
        m_manager.runChecksAfterEachPass = false;
        m_manager.solveConstraints();
    }

    std::optional<PassBisection> find(const GraphModule& model) {
        if (const auto problem = problemOf(model))
            throw Error(ErrorKind::Refused, Message("passes.broken_before", {{"reason", problem->what()}}));
        Snapshots shots;
        GraphModule last = model;
        PassManager all = m_manager;
        all.instruments.push_back(&shots);
        const auto thrown = failure([&] { all.run(last, m_warnings, m_progress); });
        const auto& taken = shots.taken();
        if (taken.empty() || (!thrown && !problemOf(last))) return std::nullopt;
        const auto modelAfter = [&](std::size_t i) { return i + 1 < taken.size() ? taken[i + 1].before : last; };
        // The first pass after which the model is broken: known of the last one, since it threw or its result is.
        std::size_t good = 0, bad = taken.size() - 1; // the model before `good` is right, that after `bad` is not
        while (good < bad) {
            const std::size_t middle = (good + bad) / 2;
            if (problemOf(modelAfter(middle))) bad = middle;
            else good = middle + 1;
        }
        return inPass(taken[bad]);
    }

private:
    template<class Work> std::optional<Error> failure(const Work& work) {
        try {
            work();
            return std::nullopt;
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled || error.kind() == ErrorKind::Usage) throw; // nothing of the model
            return error;
        }
    }

    std::optional<Error> problemOf(const GraphModule& model) {
        ++m_checks;
        m_progress.check();
        return m_check ? failure([&] { m_check(model); }) : std::nullopt;
    }

    /// The model after the first rewrites of a pass, and what is wrong with it.
    struct Trial {
        GraphModule model;
        std::optional<Error> problem;
        RewritePlace last;
    };
    Trial tried(const Snapshots::Taken& shot, std::size_t rewrites) {
        Trial trial{shot.before, std::nullopt, {}};
        RewriteLimit limit(rewrites);
        PassManager one(PassSchedule{{requestOf(shot)}, {}});
        one.engine = m_manager.engine;
        one.selection = m_manager.selection;
        if (one.selection)
            std::erase_if(*one.selection, [&](const auto& name) { return shot.before.graph.find(name) == kNoNode; });
        one.instruments = {&limit};
        trial.problem = failure([&] { one.run(trial.model, m_warnings, m_progress); });
        if (!trial.problem) trial.problem = problemOf(trial.model);
        trial.last = limit.last();
        return trial;
    }

    /// The request that this run of a pass came from, once.
    PassRequest requestOf(const Snapshots::Taken& shot) const {
        PassRequest request = m_manager.passes()[shot.place.request];
        request.times = 1;
        return request;
    }

    PassBisection inPass(const Snapshots::Taken& shot) {
        std::size_t good = 0, bad = shot.rewrites;
        Trial broken = tried(shot, bad), whole = tried(shot, good);
        PassBisection found{shot.place.pass,
                            shot.place.index,
                            std::nullopt,
                            shot.rewrites,
                            Error(ErrorKind::Refused, Message("passes.unstable")),
                            shot.before,
                            {},
                            0};
        if (whole.problem || !broken.problem) { // not by a rewrite, or not again
            if (whole.problem) found.problem = *whole.problem;
            found.after = std::move(whole.model), found.checks = m_checks;
            return found;
        }
        while (bad - good > 1) {
            const std::size_t middle = good + (bad - good) / 2;
            Trial trial = tried(shot, middle);
            (trial.problem ? bad : good) = middle;
            (trial.problem ? broken : whole) = std::move(trial);
        }
        found.rewrite = broken.last;
        found.rewrite->place = shot.place;
        found.problem = *broken.problem;
        found.before = std::move(whole.model), found.after = std::move(broken.model), found.checks = m_checks;
        return found;
    }

    PassManager m_manager;
    const ModelCheck& m_check;
    Warnings& m_warnings;
    const Progress& m_progress;
    std::size_t m_checks = 0;
};

} // namespace

std::optional<PassBisection> bisectPasses(const GraphModule& model, PassManager manager, const ModelCheck& check,
                                          Warnings& warnings, const Progress& progress) {
    return Bisecting(std::move(manager), check, warnings, progress).find(model);
}

} // namespace fx
