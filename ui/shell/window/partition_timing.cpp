// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/partition_timing.h"

#include "core/remote/find_profile.h"
#include "ui/partition/partition_session.h"
#include "ui/partition/stages/stages_session.h"
#include "ui/run/run_center.h"
#include "ui/run/run_request.h"
#include "ui/timing/time_version.h"

namespace ui {

PartitionTimer partitionTimer(RunCenter& run, QObject* receiver) {
    using Kind = WorkerService::Kind;
    const auto cancelOf = [&run](WorkerService::Key key) -> PartitionTimer::Cancel {
        return [worker = QPointer(&run.worker()), key] { // documents may outlive the worker
            if (worker) worker->cancel(key);
        };
    };
    PartitionTimer timer;
    timer.missing = [&run] { return run.session() ? run.session()->missing() : RunCenter::tr("no file is open"); };
    timer.partitions = [&run, receiver, cancelOf](Document& document, PartitionTimer::Version version,
                                                  std::vector<fx::Partition> partitions, auto done, auto failed,
                                                  auto progressed) {
        const WorkerService::Key key{Kind::Timing, &document};
        run.worker().request<fx::remote::PartitionTimes>(
            key,
            [version, partitions, inputs = run.sessionOf(document)->inputs()](const WorkerCall& call) {
                constexpr double kSeconds = 3;
                return fx::remote::timePartitions(call.client, requestToRun(version, inputs, call.progress), partitions,
                                                  kSeconds, call.timeout, call.progress);
            },
            receiver, done, failed, progressed);
        return cancelOf(key);
    };
    timer.nodes = [&run, receiver, cancelOf](Document& document, PartitionTimer::Version version, auto done,
                                             auto failed, auto progressed) {
        const WorkerService::Key key{Kind::Timing, &document};
        run.worker().request<fx::NodeTimes>(
            key,
            [version, inputs = run.sessionOf(document)->inputs()](const WorkerCall& call) {
                fx::NodeTimes times;
                const fx::timing::BenchResult result = timeVersion(call, version, version, inputs, {}, true);
                for (const fx::timing::NodeTiming& node : result.reports.front().nodes) times[node.name] = node.ms;
                return times;
            },
            receiver, done, failed, progressed);
        return cancelOf(key);
    };
    timer.profile = [&run, receiver, cancelOf](Document& document, const std::string& name, auto done, auto failed,
                                               auto progressed) {
        const WorkerService::Key key{Kind::Verify, &document};
        run.worker().request<bool>(
            key,
            [name](const WorkerCall& call) {
                fx::remote::findProfile(call.client, name, call.progress);
                return true;
            },
            receiver, [done](bool) { done(); }, failed, progressed);
        return cancelOf(key);
    };
    return timer;
}

void dropTimes(Document& document) {
    for (auto* session : document.findChildren<PartitionSession*>(QString(), Qt::FindDirectChildrenOnly))
        session->inputsChanged();
    for (auto* session : document.findChildren<StagesSession*>(QString(), Qt::FindDirectChildrenOnly))
        session->inputsChanged();
}

} // namespace ui
