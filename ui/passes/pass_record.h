// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/minimise.h"
#include "core/passes/manager/pass_bisect.h"
#include "ui/passes/pass_choices.h"

#include <memory>

namespace ui {

class PassEngine;

/// One rewrite of a pass, or all of it.
struct PassStep {
    std::shared_ptr<const fx::GraphModule> before, after;
    std::string node; ///< at which it is made; empty for the whole pass
    double millis = 0;
};

/// A pass that ran.
struct RecordedPass {
    std::size_t row = 0; ///< in the list of passes
    std::string name;
    std::optional<fx::PassReport> report; ///< none: it failed
    PassStep whole;                       ///< of one that failed, up to there
    std::vector<PassStep> rewrites;       ///< at most `kMostRewrites`
};

/// What passes did to a model, step by step.
struct PassRecord {
    static constexpr std::size_t kMostRewrites = 2000; ///< of one pass; the last step then has the others, too

    std::shared_ptr<const fx::GraphModule> before, after; ///< `after`: null if a pass failed
    std::vector<RecordedPass> passes;
    std::optional<fx::Error> problem; ///< why a pass failed
    fx::Warnings warnings;
    double millis = 0;

    bool changed() const;
};

/// What is to be run: the passes of a pipeline with the rows that they have in the list.
struct PassJob {
    QByteArray pipeline; ///< JSON of core/passes/manager/pass_pipeline.h
    std::vector<std::size_t> rows;
    bool verifies = false; ///< compares the numbers after each pass
};

/// Runs a job and keeps each step. What passes raise is in the record. Throws Error{Cancelled} and what is wrong with
/// the pipeline. Off the GUI thread.
PassRecord recordPasses(const std::shared_ptr<const fx::GraphModule>& model, const PassJob& job, PassEngine& engine,
                        const fx::Progress& progress);
/// The first pass and rewrite after which lint fails, or with `numbers` the outputs differ.
std::optional<fx::PassBisection> bisectJob(const fx::GraphModule& model, const PassJob& job, PassEngine& engine,
                                           bool numbers, const fx::Progress& progress);
/// The smallest part of the model on which the passes fail, likewise.
fx::Minimised minimiseJob(const fx::GraphModule& model, const PassJob& job, PassEngine& engine, bool numbers,
                          const fx::Progress& progress);

} // namespace ui
