// SPDX-License-Identifier: GPL-3.0-or-later
// lancet-worker: runs models for lancet and lancet-gui. Messages (core/remote/frame.h) on standard input and output.
#include "app/worker/bench_models.h"
#include "app/worker/calibrate.h"
#include "app/worker/evaluate_all.h"
#include "app/worker/fault.h"
#include "app/worker/give_up_rights.h"
#include "app/worker/inbox.h"
#include "app/worker/layer_errors.h"
#include "app/worker/leave_last_words.h"
#include "app/worker/machine_description.h"
#include "app/worker/measure_layers.h"
#include "app/worker/node_values.h"
#include "app/worker/operator_libraries.h"
#include "app/worker/run_model.h"
#include "app/worker/script/describe_script.h"
#include "app/worker/script/script.h"
#include "app/worker/script/write_script.h"
#include "app/worker/shapes_of_model.h"
#include "app/worker/verify_models.h"
#include "app/worker/warnings.h"
#include "app/worker/worker_self_test.h"
#include "core/base/memory.h"
#include "core/engine/machine.h"
#include "core/engine/outside.h"
#include "core/engine/own/own_call.h"
#include "core/engine/timing/profile_operators.h"
#include "core/json/json_document.h"
#include "core/json/json_writer.h"
#include "core/model_files/open.h"
#include "core/remote/descriptor_channel.h"
#include "core/remote/layer_times_message.h"
#include "core/remote/script_message.h"
#include "core/torchscript/torchscript.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace app {
namespace {

struct Channel {
    int in = -1, out = -1;
    int descriptors = -1; ///< where files come from; -1: nowhere
};

/// Whether whoever started this process gave it a socket for descriptors.
bool hasDescriptorChannel() {
    struct stat status {};
    return ::fstat(fx::remote::kDescriptorChannel, &status) == 0 && S_ISSOCK(status.st_mode);
}

/// Takes standard input and output for messages; whatever prints later (LibTorch, oneDNN) goes to standard error. What
/// else was inherited is closed: a model has no use for it.
Channel takeChannel() {
    Channel channel;
    if (hasDescriptorChannel()) channel.descriptors = fx::remote::kDescriptorChannel;
    ::close_range(static_cast<unsigned>(std::max(STDERR_FILENO, channel.descriptors)) + 1, ~0U, 0);
    channel.in = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), channel.out = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    ::close(nothing);
    return channel;
}

/// An allocation beyond the limit fails in the node that makes it, instead of the system ending some process.
void limitMemory(std::uint64_t bytes) {
    rlimit limit{};
    if (bytes == 0 || ::getrlimit(RLIMIT_DATA, &limit) != 0) return;
    limit.rlim_cur = std::min<rlim_t>(bytes, limit.rlim_max);
    ::setrlimit(RLIMIT_DATA, &limit);
}

fx::remote::Frame answer(const fx::remote::Frame& frame, const Context& context) {
    const fx::engine::OwnCallsStop stop(context.progress);
    const std::string verb = fx::remote::verbOf(frame);
    if (verb == "bench")
        return fx::remote::toFrame(benchModels(fx::remote::benchRequest(frame), context), frame.request);
    if (verb == "profile")
        return {fx::remote::FrameKind::Result,
                frame.request,
                fx::timing::toJson(fx::engine::profileOperators(context.progress)),
                {},
                {}};
    if (verb == "verify")
        return fx::remote::toFrame(verifyModels(fx::remote::verifyRequest(frame), context), frame.request);
    if (verb == "probe")
        return fx::remote::toFrame(probeModels(fx::remote::verifyRequest(frame), context), frame.request);
    if (verb == "run") return fx::remote::toFrame(runModel(fx::remote::runRequest(frame), context), frame.request);
    if (verb == "script")
        return fx::remote::toFrame(describeScript(fx::remote::scriptPath(frame), context.progress), frame.request);
    if (verb == "write_script")
        return writeScriptFile(fx::remote::runRequest(frame), context),
               fx::remote::Frame{fx::remote::FrameKind::Result, frame.request, "{}", {}, {}};
    if (verb == "check_script")
        return fx::remote::toFrame(checkScriptFile(fx::remote::runRequest(frame), context), frame.request);
    if (verb == "run_script") return fx::remote::toFrame(runScript(fx::remote::runRequest(frame)), frame.request);
    if (verb == "evaluate")
        return fx::remote::toFrame(evaluateAll(fx::remote::evaluateRequest(frame), context), frame.request);
    if (verb == "shapes")
        return fx::remote::toFrame(shapesOfModel(fx::remote::shapesRequest(frame), context), frame.request);
    if (verb == "layer_times")
        return fx::remote::toFrame(layerTimes(fx::remote::layerTimesRequest(frame), context), frame.request);
    if (verb == "calibrate")
        return fx::remote::toFrame(calibrate(fx::remote::calibrateRequest(frame), context), frame.request);
    if (verb == "layer_errors")
        return fx::remote::toFrame(layerErrors(fx::remote::layerErrorsRequest(frame), context), frame.request);
    if (verb == "values")
        return fx::remote::toFrame(nodeValues(fx::remote::valuesRequest(frame), context), frame.request);
    if (verb == "fault" && std::getenv("LANCET_WORKER_FAULTS"))
        return fault(frame.json, context.channel),
               fx::remote::Frame{fx::remote::FrameKind::Result, frame.request, "{}", {}, {}};
    throw fx::Error(fx::ErrorKind::Run, fx::Message("worker.unknown_request", {{"verb", verb}}));
}

fx::remote::Frame guarded(const fx::remote::Frame& frame, const Context& context) {
    try {
        return answer(frame, context);
    } catch (const fx::remote::MissingModels& missing) {
        return missing.toFrame(frame.request);
    } catch (const fx::Error& error) {
        return fx::remote::toFrame(error, frame.request);
    } catch (const std::bad_alloc&) {
        return fx::remote::toFrame(fx::Error(fx::ErrorKind::Run, fx::Message("worker.no_memory")), frame.request);
    } catch (const std::exception& error) {
        fx::Message what = fx::engine::torchFailure(error);
        if (!what.is("engine.allocation"))
            what = fx::Message("worker.failed", {{"detail", fx::engine::messageOf(error)}});
        return fx::remote::toFrame(fx::Error(fx::ErrorKind::Run, std::move(what)), frame.request);
    }
}

/// How a verb reports: at most a frame every 20 ms, none when nobody waits for the answer any more.
fx::Progress progressOf(std::uint32_t request, const std::stop_token& stop, int descriptor) {
    using Clock = std::chrono::steady_clock;
    return fx::Progress(stop, [=, last = Clock::time_point()](std::string_view what, double done) mutable {
        if (stop.stop_requested() || Clock::now() - last < std::chrono::milliseconds(20)) return;
        last = Clock::now();
        fx::JsonWriter json;
        json.beginObject()
            .key("done")
            .integer(std::lround(done * 1000))
            .key("of")
            .integer(1000)
            .key("what")
            .string(what)
            .endObject();
        fx::remote::writeFrame(descriptor, {fx::remote::FrameKind::Progress, request, json.text(), {}, {}});
    });
}

/// LibTorch reads scripts here, in the sandbox.
std::shared_ptr<const fx::GraphModule> openModel(const std::string& path) {
    fx::OpenOptions options;
    options.readers.script = describeScript;
    return fx::script::runnable(fx::openModel(path, options));
}

/// The client has started the Python of a source.
void takePython(const fx::remote::Frame& frame, int channel) {
    const auto document = fx::JsonDocument::parse(frame.json);
    const std::vector<int> ends = fx::remote::receiveDescriptors(channel);
    if (ends.size() != 2) return; // its calls are refused
    fx::engine::addOwnPython(std::string(document->root().at("source").asText()), ends[0], ends[1],
                             std::chrono::seconds(document->root().at("seconds").asInt()));
}

int serve(Channel channel) {
    using fx::remote::FrameKind;
    const std::string hello = machineDescription(channel.descriptors >= 0);
    if (!fx::remote::writeFrame(channel.out, {FrameKind::Hello, 0, hello, {}, {}})) return 1;
    static Inbox inbox(giveUpRights(channel.in)); // its thread lives as long as the process
    fx::remote::ModelStore models(openModel, fx::remote::ModelStore::kKept, channel.descriptors);
    while (true) {
        const fx::remote::Frame frame = inbox.next();
        if (frame.kind == FrameKind::Storages || frame.kind == FrameKind::Model) models.add(frame);
        if (frame.kind == FrameKind::Python) takePython(frame, channel.descriptors);
        if (frame.kind != FrameKind::Request) continue;
        const fx::Progress progress = progressOf(frame.request, inbox.stopToken(), channel.out);
        if (!fx::remote::writeFrame(
                channel.out, guarded(frame, {models, progress, channel.out, frame.request, channel.descriptors})))
            return 1;
    }
}

} // namespace
} // namespace app

namespace {

struct Options {
    std::uint64_t memory = fx::freeMemory();
    std::vector<std::string> libraries = app::operatorLibrariesOfEnvironment();
};

/// False for a wrong command line.
bool read(int argc, char** argv, Options& out) {
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 >= argc) return false;
        if (std::strcmp(argv[i], "--memory") == 0) out.memory = std::strtoull(argv[i + 1], nullptr, 10);
        else if (std::strcmp(argv[i], "--library") == 0) out.libraries.emplace_back(argv[i + 1]);
        else return false;
    }
    return true;
}

} // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::strcmp(argv[1], "--version") == 0) {
        std::puts(fx::engine::libraryDescription().c_str());
        return 0;
    }
    if (argc == 2 && std::strcmp(argv[1], "--check") == 0) return app::selfTest();
    Options options;
    if (!read(argc, argv, options)) {
        std::fputs("usage: lancet-worker [--memory BYTES] [--library FILE]...\n"
                   "       lancet-worker --check\n"
                   "It speaks to lancet on standard input and output.\n",
                   stderr);
        return 2;
    }
    if (::isatty(STDOUT_FILENO)) {
        std::fputs("lancet-worker runs models for lancet, which starts it by itself.\n", stderr);
        return 2;
    }
    try {
        const app::Channel channel = app::takeChannel();
        app::leaveLastWords(channel.out);
        app::tellWarningsOnce();
        if (!options.libraries.empty()) fx::engine::disarmScriptOperators(); // else when a script comes: 20 ms
        app::loadOperatorLibraries(options.libraries);
        app::limitMemory(options.memory);
        return app::serve(channel);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "lancet-worker: %s\n", error.what());
        return 1;
    }
}
