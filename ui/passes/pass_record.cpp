// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/passes/pass_record.h"

#include "core/passes/manager/pass_pipeline.h"
#include "core/textpasses/text_pass.h"
#include "ui/passes/pass_engine.h"

#include <algorithm>
#include <chrono>

namespace ui {

namespace {

using Clock = std::chrono::steady_clock;

double millisSince(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::shared_ptr<const fx::GraphModule> kept(const fx::GraphModule& model) {
    return std::make_shared<const fx::GraphModule>(model); // shares all that stays as it is
}

/// Keeps the model before and after each pass and rewrite.
class Recorder final : public fx::PassInstrument {
public:
    Recorder(PassRecord& record, const std::vector<std::size_t>& rows) : m_record(record), m_rows(rows) {}

    void beforePass(const fx::PassPlace& place, const fx::GraphModule& model) override {
        RecordedPass pass;
        pass.row = place.request < m_rows.size() ? m_rows[place.request] : place.request;
        pass.name = place.pass;
        pass.whole.before = pass.whole.after = kept(model);
        m_record.passes.push_back(std::move(pass));
    }
    bool beforeRewrite(const fx::RewritePlace&, const fx::GraphModule&) override {
        m_began = Clock::now();
        return true;
    }
    void afterRewrite(const fx::RewritePlace& rewrite, const fx::GraphModule& model) override {
        RecordedPass& pass = m_record.passes.back();
        const double millis = millisSince(m_began);
        if (pass.rewrites.size() == PassRecord::kMostRewrites) {
            pass.rewrites.back().after = kept(model);
            return;
        }
        const auto before = pass.rewrites.empty() ? pass.whole.before : pass.rewrites.back().after;
        pass.rewrites.push_back({before, kept(model), rewrite.node, millis});
        pass.whole.after = pass.rewrites.back().after;
    }
    void afterPass(const fx::PassPlace&, const fx::GraphModule& model, const fx::PassReport& report) override {
        RecordedPass& pass = m_record.passes.back();
        pass.report = report;
        pass.whole.after = kept(model);
        pass.whole.millis = report.millis;
        if (!report.changed) pass.rewrites.clear(), pass.whole.after = pass.whole.before; // what it did, it took back
        if (!pass.rewrites.empty()) pass.rewrites.back().after = pass.whole.after;        // modules go at the end
    }

private:
    PassRecord& m_record;
    const std::vector<std::size_t>& m_rows;
    Clock::time_point m_began;
};

/// A job as passes; the JSON lives as long as they do.
struct ReadJob {
    std::shared_ptr<const fx::JsonDocument> json;
    fx::PassManager manager;
    ReadJob(const PassJob& job, PassEngine& engine)
        : json(fx::JsonDocument::parse(job.pipeline.toStdString())),
          manager(fx::readPipeline(json->root(), fx::textPasses(job.readers))) {
        manager.engine = &engine;
    }
};

} // namespace

bool PassRecord::changed() const {
    return std::any_of(passes.begin(), passes.end(),
                       [](const RecordedPass& pass) { return pass.report && pass.report->changed; });
}

PassRecord recordPasses(const std::shared_ptr<const fx::GraphModule>& model, const PassJob& job, PassEngine& engine,
                        const fx::Progress& progress) {
    PassRecord record;
    record.before = model;
    ReadJob read(job, engine);
    Recorder recorder(record, job.rows);
    read.manager.instruments = {&recorder};
    read.manager.runChecksAfterEachPass = job.verifies;
    if (job.verifies)
        read.manager.addCheck([&](const fx::GraphModule& now) {
            if (!record.passes.empty()) engine.compare(*model, now);
        });
    fx::GraphModule changed = *model;
    const auto start = Clock::now();
    try {
        (void)read.manager.run(changed, record.warnings, progress);
        record.after = kept(changed);
    } catch (const fx::Error& error) {
        if (error.kind() == fx::ErrorKind::Cancelled) throw;
        record.problem = error;
    }
    record.millis = millisSince(start);
    return record;
}

std::optional<fx::PassBisection> bisectJob(const fx::GraphModule& model, const PassJob& job, PassEngine& engine,
                                           bool numbers, const fx::Progress& progress) {
    const ReadJob read(job, engine);
    fx::ModelCheck check;
    if (numbers) check = [&](const fx::GraphModule& now) { engine.compare(model, now); };
    fx::Warnings warnings;
    return fx::bisectPasses(model, read.manager, check, warnings, progress);
}

fx::Minimised minimiseJob(const fx::GraphModule& model, const PassJob& job, PassEngine& engine, bool numbers,
                          const fx::Progress& progress) {
    const ReadJob read(job, engine);
    const auto failure = [&](const fx::GraphModule& part) -> std::optional<fx::Error> {
        fx::PassManager manager = read.manager;
        manager.selection.reset(); // a part has other nodes
        fx::GraphModule changed = part;
        fx::Warnings warnings;
        try {
            (void)manager.run(changed, warnings, progress);
            if (numbers) engine.compare(part, changed);
        } catch (const fx::Error& error) {
            if (error.kind() == fx::ErrorKind::Cancelled) throw;
            return error;
        }
        return std::nullopt;
    };
    return fx::minimise(model, failure, progress);
}

} // namespace ui
