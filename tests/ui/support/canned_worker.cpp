// SPDX-License-Identifier: GPL-3.0-or-later
// A worker without an engine, for tests of what the window makes of answers: `canned_worker FOLDER`.
//
// Answers "verify" with FOLDER/verify.json, and "probe" with FOLDER/probes.json as soon as that file is there: until
// then it tells progress and can be cancelled. Anything else is an error. FOLDER/log gets a line for each request
// ("verify", "probe", "cancelled"). While there is FOLDER/silence, nothing is answered until it is cancelled;
// FOLDER/refusal: every request fails.
#include "core/json/json_document.h"
#include "core/remote/frame.h"
#include "core/remote/run_message.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace {

using fx::remote::Frame;
using fx::remote::FrameKind;
using fx::remote::FrameReader;

std::string textOf(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

struct CannedWorker {
    std::filesystem::path folder;
    FrameReader reader{STDIN_FILENO};

    void log(const std::string& line) const { std::ofstream(folder / "log", std::ios::app) << line << '\n'; }
    void send(const Frame& frame) const { fx::remote::writeFrame(STDOUT_FILENO, frame); }
    void fail(std::uint32_t number, fx::ErrorKind kind, const char* what) const {
        send(fx::remote::toFrame(fx::Error(kind, fx::Message::received({}, {}, what)), number));
    }

    /// Works until `file` is there; false: the request was cancelled.
    bool work(std::uint32_t number, const char* file) {
        while (!std::filesystem::exists(folder / file)) {
            send({FrameKind::Progress, number, R"({"done": 1, "of": 4, "what": "inputs ×100"})", {}, {}});
            const auto state = reader.read(std::chrono::milliseconds(20));
            if (state == FrameReader::State::Closed) return false;
            if (state == FrameReader::State::Waiting || reader.take().kind != FrameKind::Cancel) continue;
            log("cancelled");
            fail(number, fx::ErrorKind::Cancelled, "cancelled");
            return false;
        }
        return true;
    }

    void probe(std::uint32_t number) {
        if (work(number, "probes.json")) send({FrameKind::Result, number, textOf(folder / "probes.json"), {}, {}});
    }

    void answer(const Frame& frame) {
        const auto document = fx::JsonDocument::parse(frame.json);
        const std::string verb(document->root().at("verb").asText());
        log(verb);
        if (std::filesystem::exists(folder / "silence")) return void(work(frame.request, "never"));
        if (verb == "probe") return probe(frame.request);
        if (std::filesystem::exists(folder / "refusal"))
            return fail(frame.request, fx::ErrorKind::Run, "out of memory");
        if (verb == "verify") return send({FrameKind::Result, frame.request, textOf(folder / "verify.json"), {}, {}});
        fail(frame.request, fx::ErrorKind::Run, "this worker has no engine");
    }
};

} // namespace

int main(int, char** arguments) {
    CannedWorker worker{arguments[1]};
    worker.send({FrameKind::Hello,
                 0,
                 R"({"library": "none", "threads": 1, "sandbox": {"landlock": 1, "seccomp": true}})",
                 {},
                 {}});
    while (worker.reader.read(std::chrono::milliseconds(-1)) == FrameReader::State::Frame)
        if (const Frame frame = worker.reader.take(); frame.kind == FrameKind::Request) worker.answer(frame);
    return 0;
}
