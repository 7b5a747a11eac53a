// SPDX-License-Identifier: GPL-3.0-or-later
// lancet-reader: follows one Python source for lancet and lancet-gui, in a sandbox. Messages (core/remote/frame.h) on
// standard input and output: a request (core/reader/source_request.h), and its result.
#include "app/reader/become.h"
#include "app/reader/reader_self_test.h"
#include "core/model_files/load_weights.h"
#include "core/python/tracing/trace_calls.h"
#include "core/python/tracing/trace_definition.h"
#include "core/reader/byte_arena.h"
#include "core/reader/last_words.h"
#include "core/reader/remote_engine.h"
#include "core/reader/traced_model.h"
#include "core/remote/descriptor_channel.h"
#include "core/remote/run_message.h"
#include "core/sandbox/sandbox.h"
#include "core/textpasses/computing.h"
#include "core/textpasses/file_classes.h"
#include "core/textpasses/text_pass.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace app {
namespace {

using fx::remote::Frame;
using fx::remote::FrameKind;
using fx::remote::FrameReader;

struct Channel {
    int in = -1, out = -1;
};

/// Takes standard input and output for messages; what is printed goes to standard error.
Channel takeChannel() {
    const Channel channel{::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)};
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    ::close(nothing);
    return channel;
}

/// At most a frame every 20 ms.
fx::Progress progressTo(int descriptor, std::uint32_t request) {
    using Clock = std::chrono::steady_clock;
    return fx::Progress({}, [=, last = Clock::time_point()](std::string_view what, double done) mutable {
        if (Clock::now() - last < std::chrono::milliseconds(20)) return;
        last = Clock::now();
        fx::JsonWriter json;
        json.beginObject().key("done").integer(std::lround(done * 1000)).key("what").string(what).endObject();
        const fx::reader::LastWordsHeld held;
        fx::remote::writeFrame(descriptor, {FrameKind::Progress, request, json.text(), {}, {}});
    });
}

Frame definition(const fx::reader::SourceRequest& request, std::uint32_t number, const fx::Progress& progress) {
    const fx::SourceOptions& options = request.options;
    fx::NewModules made;
    const fx::DefinitionSettings settings{options.kwargs, options.seed,  request.needsValues,
                                          &made,          request.known, progress};
    auto module = fx::traceDefinition(request.text, {options.name, request.isClass}, settings);
    return fx::reader::toFrame({std::make_shared<const fx::GraphModule>(std::move(module)), std::move(made)}, number);
}

/// The model of a request; when it did not come whole, that is no error of the pass.
fx::GraphModule modelOf(const fx::reader::SourceRequest& request, fx::remote::ModelStore& models) {
    try {
        return *models.get(request.model);
    } catch (const fx::Error&) { throw fx::Error(fx::ErrorKind::Refused, fx::Message("reader.bad_message")); }
}

/// Follows a pass to see whether that ends.
Frame rehearsed(const fx::reader::SourceRequest& request, std::uint32_t number, const fx::Progress& progress,
                fx::TensorEngine& engine, fx::remote::ModelStore& models) {
    fx::GraphModule model = modelOf(request, models);
    fx::PassManager manager;
    const std::string& name = request.options.name;
    manager.addPass(fx::textPass(request.file + (name.empty() ? "" : ":" + name), request.text));
    manager.selection = request.selection;
    manager.engine = request.hasMachine ? &engine : nullptr;
    fx::Warnings warnings;
    manager.run(model, warnings, progress);
    return {FrameKind::Result, number, "{}", {}, {}};
}

Frame traced(fx::reader::SourceRequest& request, std::uint32_t number, const fx::Progress& progress,
             fx::TensorEngine& engine, fx::remote::ModelStore& models) {
    if (request.verb == fx::reader::Verb::Definition) return definition(request, number, progress);
    fx::SourceOptions& options = request.options;
    if (request.hasMachine) options.machine = fx::computing(engine);
    if (request.hasFx) options.fx = fx::fxClasses(options.notes);
    if (request.loads)
        options.load = [&](fx::GraphModule& made) {
            fx::loadConstructed(made, {options.weightsFiles, options.strictWeights}, progress);
        };
    if (request.verb == fx::reader::Verb::Calls)
        return fx::reader::toFrame(fx::traceCalls(request.file, request.text, modelOf(request, models),
                                                  request.selection.value_or(std::vector<std::string>()), options,
                                                  progress),
                                   number);
    if (request.verb == fx::reader::Verb::Type)
        return fx::reader::toFrame(fx::traceSource(request.file, request.text, options, progress), number);
    return fx::reader::toFrame(fx::traceText(request.file, request.text, options, progress), number);
}

Frame guarded(fx::reader::SourceRequest& request, std::uint32_t number, const fx::Progress& progress,
              fx::TensorEngine& engine, fx::remote::ModelStore& models) {
    try {
        if (request.verb == fx::reader::Verb::Pass) return rehearsed(request, number, progress, engine, models);
        return traced(request, number, progress, engine, models);
    } catch (const fx::Error& error) {
        return fx::reader::toFrame(error, number);
    } catch (const std::exception& error) {
        return fx::reader::toFrame(
            fx::Error(fx::ErrorKind::Refused, fx::Message("app.internal", {{"detail", error.what()}})), number);
    }
}

/// Answers the one request, and waits for the client to take what the answer refers to.
int serve(Channel channel) {
    FrameReader input(channel.in);
    const std::uint64_t before = fx::reader::dataBytes(); // a model that passes make larger counts, too
    fx::remote::ModelStore models([](const std::string&) -> std::shared_ptr<const fx::GraphModule> { return nullptr; },
                                  fx::remote::ModelStore::kKept, fx::remote::kDescriptorChannel);
    Frame frame;
    do {
        if (input.read(std::chrono::milliseconds(-1)) != FrameReader::State::Frame) return 0; // it was a spare
        frame = input.take();
        if (frame.kind == FrameKind::Storages || frame.kind == FrameKind::Model) models.add(frame);
    } while (frame.kind != FrameKind::Request);
    fx::reader::SourceRequest request = fx::reader::sourceRequest(frame);
    const bool opensFiles = request.verb != fx::reader::Verb::Pass; // by their names; those of models came open
    fx::remote::ModelSender sender(fx::reader::ByteArena::open(request.arenaPlace, request.arenaBytes), opensFiles);
    fx::reader::watchOver(request.limits, frame.request, channel.in, channel.out, before);
    if (!fx::enterSandbox({request.readable()}).holds()) {
        const fx::Message none("cli.no_sandbox", {{"who", "the source"}});
        std::fprintf(stderr, "lancet: warning: %s\n  %s\n", none.text().c_str(), none.hint().c_str());
    }
    fx::reader::RemoteEngine engine(input, channel.out, sender);
    const Frame answer = guarded(request, frame.request, progressTo(channel.out, frame.request), engine, models);
    const fx::reader::LastWordsHeld held;
    if (!sender.send(channel.out, answer.models, {}) || !writeFrame(channel.out, answer)) return 1;
    (void)input.read(std::chrono::milliseconds(-1));
    ::_exit(0); // nothing of it matters any more
}

} // namespace
} // namespace app

int main(int argc, char** argv) {
    if (argc > 1 && std::strcmp(argv[1], "--version") == 0) return std::puts("lancet-reader " LANCET_VERSION) < 0;
    if (argc == 2 && std::strcmp(argv[1], "--check") == 0) return app::selfTest();
    const bool becomes = argc > 1 && std::strcmp(argv[1], "--become") == 0;
    if (!becomes && (argc > 1 || ::isatty(STDOUT_FILENO))) {
        std::fputs("lancet-reader reads Python sources for lancet, which starts it by itself.\n", stderr);
        return 2;
    }
    try {
        return becomes ? app::become(argc, argv) : app::serve(app::takeChannel());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "lancet-reader: %s\n", error.what());
        return 1;
    }
}
