// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/minimise.h"
#include "core/io/readers.h"
#include "core/passes/manager/pass_bisect.h"
#include "ui/passes/pass_choices.h"

#include <memory>

namespace ui {

class PassEngine;

/// One rewrite of a pass, or the whole pass.
struct PassStep {
    std::shared_ptr<const fx::GraphModule> before, after; ///< the model before and after the step
    std::string node;                                     ///< the rewritten node; empty for the whole pass
    double millis = 0;                                    ///< duration
};

/// A pass that ran.
struct RecordedPass {
    std::size_t row = 0;                  ///< in the list of passes
    std::string name;                     ///< name of the pass
    std::optional<fx::PassReport> report; ///< nullopt: it failed
    PassStep whole;                       ///< a failed pass: up to the failure
    std::vector<PassStep> rewrites;       ///< at most `kMostRewrites`
};

/// The effect of passes on a model, step by step.
struct PassRecord {
    /// Limit of a pass; its last step then includes all further rewrites.
    static constexpr std::size_t kMostRewrites = 2000;

    std::shared_ptr<const fx::GraphModule> before, after; ///< `after`: null if a pass failed
    std::vector<RecordedPass> passes;                     ///< in the order in which they ran
    std::optional<fx::Error> problem;                     ///< why a pass failed
    fx::Warnings warnings;                                ///< of all passes
    double millis = 0;                                    ///< duration of the run

    bool changed() const; ///< True if a pass changed the model.
};

/// The input of a run: the passes of a pipeline with their rows in the list.
struct PassJob {
    QByteArray pipeline;           ///< JSON of core/passes/manager/pass_pipeline.h
    std::vector<std::size_t> rows; ///< by pass of the pipeline
    bool verifies = false;         ///< compare the outputs after each pass
    fx::Readers readers = {};      ///< for passes in Python
};

/// Runs a job and records each step. Errors of passes are in the record. Throws Error{Cancelled}, and errors of the
/// pipeline. Call it off the GUI thread.
PassRecord recordPasses(const std::shared_ptr<const fx::GraphModule>& model, const PassJob& job, PassEngine& engine,
                        const fx::Progress& progress);
/// Returns the first pass and rewrite after which lint fails, or with `numbers` the outputs differ; nullopt if none
/// does. Call it off the GUI thread.
std::optional<fx::PassBisection> bisectJob(const fx::GraphModule& model, const PassJob& job, PassEngine& engine,
                                           bool numbers, const fx::Progress& progress);
/// Returns the smallest part of the model on which the passes fail, by the same criteria. Call it off the GUI thread.
fx::Minimised minimiseJob(const fx::GraphModule& model, const PassJob& job, PassEngine& engine, bool numbers,
                          const fx::Progress& progress);

} // namespace ui
