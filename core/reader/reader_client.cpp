// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reader/reader_client.h"

#include "core/base/child_processes.h"
#include "core/base/memory.h"
#include "core/files/file_below.h"
#include "core/io/tensors/state_dicts.h"
#include "core/make/initial_weights.h"
#include "core/reader/byte_arena.h"
#include "core/reader/last_words.h"
#include "core/reader/remote_engine.h"
#include "core/reader/source_request.h"
#include "core/reader/traced_model.h"
#include "core/remote/run_message.h"
#include "core/remote/worker_client.h"
#include "core/textpasses/text_pass.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace fx::reader {
namespace {

using namespace std::chrono_literals;
using remote::Frame;
using remote::FrameKind;
using State = remote::FrameReader::State;

constexpr auto kSlice = 20ms;                                         ///< between looks at the stop request
constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max(); ///< models that a reader sends
/// Weights of sources that cannot be followed without drawing them.
constexpr std::uint64_t kMostUnmeasured = std::uint64_t{2} << 30;

/// A source draws more weights than a reader does without being told how many there are.
struct DrawsMuch {
    Error error; ///< if that is asked too late
};

/// One request to a reader, and what it sends.
class Conversation {
public:
    Conversation(std::unique_ptr<remote::WorkerProcess> process, SourceRequest& request, const Progress& progress)
        : m_process(std::move(process)), m_request(request), m_progress(progress), m_most(request.limits.mostSent()),
          m_input(m_process->output(), m_most), m_arena(ByteArena::make(m_most)),
          m_models([](const std::string&) -> std::shared_ptr<const GraphModule> { return nullptr; }, kAll, -1,
                   [this](const std::string& place, std::uint64_t at, std::uint64_t bytes) {
                       return bytesAt(place, at, bytes);
                   }) {
        if (m_arena) request.arenaPlace = m_arena->place(), request.arenaBytes = m_arena->size();
    }

    remote::ModelStore& models() { return m_models; }

    Frame result() {
        // When these fail the reader has died, and its last words tell more.
        const Frame request = toFrame(m_request, 1);
        remote::ModelSender sender(true, m_process->channel());
        (void)(sender.send(m_process->input(), request.models, m_progress) &&
               writeFrame(m_process->input(), request, m_progress));
        while (true) {
            if (m_progress.stopRequested()) m_process.reset(); // kills it
            m_progress.check();
            auto frame = next();
            if (!frame) continue;
            if (auto result = taken(*std::move(frame))) return *std::move(result);
        }
    }

private:
    /// A frame, if one has come. Throws if the reader has ended, and if it sends what it should not.
    std::optional<Frame> next() {
        State state = State::Waiting;
        try {
            state = m_input.read(kSlice);
        } catch (const Error& error) {
            if (error.message().is("remote.message_too_large")) throw tooMuch();
            throw Error(ErrorKind::Refused, Message("reader.bad_message")).in(m_request.file);
        }
        if (state == State::Waiting) return std::nullopt;
        if (state == State::Closed) throw errorOf(nullptr, m_request, m_process->finish(200ms));
        Frame frame = m_input.take();
        m_sent += remote::kHeaderBytes + frame.json.size() + (frame.blob ? frame.blob->size() : 0);
        if (m_sent > m_most) throw tooMuch();
        return frame;
    }

    Error tooMuch() const {
        return Error(ErrorKind::Refused, Message("reader.too_much", {{"limit", bytesInWords(m_most)}}))
            .in(m_request.file);
    }

    std::optional<Frame> taken(Frame frame) {
        switch (frame.kind) {
        case FrameKind::Storages:
        case FrameKind::Model: m_models.add(frame); return std::nullopt;
        case FrameKind::Progress: report(frame); return std::nullopt;
        case FrameKind::Request:
            (void)writeFrame(m_process->input(), answered(frame, m_models, m_request.options.engine), m_progress);
            return std::nullopt;
        case FrameKind::Crash: {
            const Error error = errorOf(&frame, m_request, {});
            if (endedBy(frame) == EndedBy::Drawn) throw DrawsMuch{error};
            throw error;
        }
        case FrameKind::Error: throw sentError(frame);
        default: return frame;
        }
    }

    void report(const Frame& frame) const {
        const auto document = JsonDocument::parse(frame.json);
        m_progress.report(document->root().at("what").asText(), document->root().at("done").asDouble() / 1000);
    }

    /// Bytes that the reader did not send: in the arena, or in a file that it was told to read.
    std::shared_ptr<const Storage> bytesAt(const std::string& place, std::uint64_t at, std::uint64_t bytes) {
        if (place == remote::ModelSender::kArena && m_arena) return m_arena->storage(at, bytes);
        const std::filesystem::path wanted = weightsAt(place);
        if (wanted.empty()) throw Error(ErrorKind::Run, Message("reader.other_file", {{"path", place}}));
        auto& file = m_files[place];
        if (!file) file = opened(place, wanted);
        return Storage::inFile(file, at, bytes);
    }

    /// The file of weights that `place` is, or is a part of beside a description; empty for none.
    std::filesystem::path weightsAt(const std::string& place) const {
        namespace fs = std::filesystem;
        for (const std::string& file : m_request.options.weightsFiles) {
            const fs::path wanted = splitWeightsFile(file).path;
            if (place == wanted || (wanted.extension() == ".json" && fs::path(place).lexically_normal().parent_path() ==
                                                                         wanted.lexically_normal().parent_path()))
                return wanted;
        }
        return {};
    }
    /// A part may not lead out of the folder of its description.
    static std::shared_ptr<const DataFile> opened(const std::string& place, const std::filesystem::path& wanted) {
        const std::filesystem::path folder = wanted.parent_path();
        if (place == wanted) return DataFile::open(place);
        return openBelow(folder.empty() ? "." : folder.string(), std::filesystem::path(place).filename().string());
    }

    std::unique_ptr<remote::WorkerProcess> m_process;
    SourceRequest& m_request;
    const Progress& m_progress;
    std::uint64_t m_most, m_sent = 0; ///< bytes of all frames: a reader that was taken over sends without end
    remote::FrameReader m_input;
    std::shared_ptr<ByteArena> m_arena;
    remote::ModelStore m_models;
    std::unordered_map<std::string, std::shared_ptr<const DataFile>> m_files;
};

/// The memory of weights that are not drawn.
std::uint64_t undrawnBytes(const GraphModule* model) {
    std::uint64_t sum = 0;
    std::set<const Storage*> seen;
    const auto add = [&](const std::string&, const TensorPtr& tensor) {
        if (isShapeOnly(*tensor) && seen.insert(tensor->storage.get()).second) sum += tensor->storage->byteCount();
    };
    if (model)
        forEachModule(*model->root, [&](const std::string&, const Module& module) { forEachOwnTensor(module, add); });
    return sum;
}

std::shared_ptr<GraphModule> decoded(const Frame& frame, remote::ModelStore& models, std::shared_ptr<GraphModule>*) {
    return tracedModel(frame, models);
}
SourceTrace decoded(const Frame& frame, remote::ModelStore& models, SourceTrace*) { return sourceTrace(frame, models); }
TracedDefinition decoded(const Frame& frame, remote::ModelStore& models, TracedDefinition*) {
    return tracedDefinition(frame, models);
}
std::vector<TracedCall> decoded(const Frame& frame, remote::ModelStore& models, std::vector<TracedCall>*) {
    return tracedCalls(frame, models);
}
const GraphModule* modelIn(const std::vector<TracedCall>&) { return nullptr; }
const GraphModule* modelIn(const std::shared_ptr<GraphModule>& model) { return model.get(); }
const GraphModule* modelIn(const SourceTrace& trace) { return trace.module.get(); }
const GraphModule* modelIn(const TracedDefinition& traced) { return traced.module.get(); }

/// The byte of a text that a place names; 0 for none.
std::size_t offsetOf(std::string_view text, TextPlace place) {
    std::size_t start = 0;
    for (std::size_t line = 1; line < place.line && start < text.size(); ++line)
        start = std::min(text.find('\n', start), text.size() - 1) + 1;
    return std::min(start + std::max<std::size_t>(place.column, 1) - 1, text.size());
}

std::vector<std::string> freeNodes(const Graph& graph, const FrozenNodes& frozen) {
    std::vector<std::string> out;
    for (const Node& node : graph.nodes())
        if (!frozen.contains(node.id())) out.push_back(node.name());
    return out;
}

} // namespace

std::string readerProgram() { return programBeside("lancet-reader"); }

std::unique_ptr<remote::WorkerProcess> ReaderClient::process() {
    {
        const std::lock_guard lock(m_mutex);
        if (m_spare && m_spare->alive()) return std::move(m_spare);
    }
    const std::vector<std::string> command =
        m_options.command.empty() ? std::vector{readerProgram()} : m_options.command;
    try {
        return std::make_unique<remote::WorkerProcess>(command, true);
    } catch (const Error& error) {
        if (!error.message().is("remote.cannot_start")) throw;
        throw Error(ErrorKind::Run, Message("reader.cannot_start", {{"program", command.front()},
                                                                    {"detail", error.message().argument("detail")}}));
    }
}

void ReaderClient::keepSpare() {
    if (!m_options.spare) return;
    try {
        auto made = process();
        const std::lock_guard lock(m_mutex);
        if (!m_spare) m_spare = std::move(made);
    } catch (const Error&) {} // the next source tells why
}

/// What ends a pass in a reader ends it for the user, too; what else is wrong with it this process finds itself.
void ReaderClient::rehearse(const std::string& file, const std::string& name, const std::string& text,
                            const PassRun& run) {
    SourceRequest request{file, text, {}, Verb::Pass};
    request.options.name = name, request.options.engine = run.engine;
    request.model = std::make_shared<const GraphModule>(run.model);
    if (run.watch && !run.watch->frozen().empty()) request.selection = freeNodes(run.graph(), run.watch->frozen());
    request.limits = usualLimits();
    const auto once = [&] {
        try {
            (void)Conversation(process(), request, run.progress).result();
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled || error.message().code().starts_with("reader.")) throw;
        }
    };
    try {
        once();
    } catch (const DrawsMuch&) {
        request.limits.drawnBytes = std::min(kMostUnmeasured, freeMemory() / 2);
        try {
            once();
        } catch (const DrawsMuch& much) { throw Error(much.error); }
    }
    keepSpare();
}

template<class Result> Result ReaderClient::once(SourceRequest& request, const Progress& progress) {
    Conversation reader(process(), request, progress);
    const Frame frame = reader.result();
    return decoded(frame, reader.models(), static_cast<Result*>(nullptr));
}

/// Sources whose weights are large are followed twice: without drawing, to know what they need.
template<class Result> Result ReaderClient::read(SourceRequest request, const Progress& progress) {
    request.limits = usualLimits();
    try {
        return once<Result>(request, progress);
    } catch (const DrawsMuch&) {}
    request.limits.drawnBytes = std::min(kMostUnmeasured, freeMemory() / 2);
    if (request.options.weights == NewWeights::Drawn && request.verb != Verb::Definition) {
        SourceRequest shapes = request;
        shapes.limits.drawnBytes = 0;
        shapes.options.weights = NewWeights::ShapesOnly;
        try {
            Result measured = once<Result>(shapes, progress);
            request.limits.drawnBytes = undrawnBytes(modelIn(measured)) + kMostDrawn;
        } catch (const DrawsMuch&) {} // what it does depends on values of weights
    }
    try {
        return once<Result>(request, progress);
    } catch (const DrawsMuch& much) { throw Error(much.error); }
}

std::shared_ptr<GraphModule> ReaderClient::traceText(const std::string& file, const std::string& text,
                                                     const SourceOptions& options, const Progress& progress) {
    auto model = read<std::shared_ptr<GraphModule>>({file, text, options}, progress);
    keepSpare();
    return model;
}

SourceTrace ReaderClient::traceSource(const std::string& file, const std::string& text, const SourceOptions& options,
                                      const Progress& progress) {
    SourceTrace trace;
    try {
        trace = read<SourceTrace>({file, text, options, Verb::Type}, progress);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        const std::size_t place = error.file == file ? offsetOf(text, error.textPlace) : 0;
        trace.faults.push_back({error, error.file, place, place});
    }
    keepSpare();
    return trace;
}

std::vector<TracedCall> ReaderClient::traceCalls(const std::string& file, const std::string& text,
                                                 const GraphModule& model, const std::vector<std::string>& nodes,
                                                 const SourceOptions& options, const Progress& progress) {
    SourceRequest request{file, text, options, Verb::Calls};
    request.model = std::make_shared<const GraphModule>(model);
    request.selection = nodes;
    auto calls = read<std::vector<TracedCall>>(std::move(request), progress);
    if (calls.size() != nodes.size()) throw Error(ErrorKind::Refused, Message("reader.bad_message")).in(file);
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (calls[i].node != nodes[i] || (!calls[i].graph && !calls[i].refusal))
            throw Error(ErrorKind::Refused, Message("reader.bad_message")).in(file);
    keepSpare();
    return calls;
}

GraphModule ReaderClient::traceDefinition(std::string_view source, const SourceDefinition& definition,
                                          const DefinitionSettings& settings) {
    SourceRequest request{{}, std::string(source), {}, Verb::Definition};
    request.options.name = definition.name, request.options.kwargs = settings.arguments;
    request.options.seed = settings.seed;
    request.isClass = definition.isClass, request.needsValues = settings.needsValues, request.known = settings.known;
    TracedDefinition traced = read<TracedDefinition>(std::move(request), settings.progress);
    if (settings.newModules) *settings.newModules = std::move(traced.newModules);
    keepSpare();
    return *traced.module;
}

std::shared_ptr<SourceReader> pythonReader(ReaderOptions options) {
    const char* setting = std::getenv("LANCET_READER");
    if (setting && std::strcmp(setting, "off") == 0) return nullptr;
    return std::make_shared<ReaderClient>(std::move(options));
}

} // namespace fx::reader
