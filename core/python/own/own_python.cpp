// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/own/own_python.h"

#include "core/base/child_processes.h"
#include "core/diag/error.h"
#include "core/files/read_text.h"
#include "core/json/json_document.h"
#include "core/json/json_writer.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace fx {
namespace {

/// A child whose output is read; killed by the destructor unless it has ended.
class Child {
public:
    explicit Child(const std::vector<std::string>& command) {
        const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        std::array<int, 2> output{-1, -1};
        int error = ::pipe2(output.data(), O_CLOEXEC) == 0 ? 0 : errno;
        try {
            if (error == 0) m_id = startChild(command, {nothing, output[1], output[1]});
        } catch (const std::system_error& failure) { error = failure.code().value(); }
        m_output = output[0];
        ::close(nothing);
        ::close(output[1]);
        if (error == 0) return;
        end();
        throw Error(ErrorKind::Run,
                    Message("python.cannot_start", {{"program", command.front()}, {"detail", std::strerror(error)}}));
    }
    ~Child() { end(); }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// What it printed within 100 ms; false at the end of its output.
    bool read(std::string& into) {
        into.clear();
        pollfd wait{m_output, POLLIN, 0};
        const int ready = ::poll(&wait, 1, 100);
        if (ready == 0 || (ready < 0 && errno == EINTR)) return true;
        std::array<char, 4096> bytes{};
        const ssize_t count = ::read(m_output, bytes.data(), bytes.size());
        if (count > 0) into.assign(bytes.data(), static_cast<std::size_t>(count));
        return count > 0 || (count < 0 && errno == EINTR);
    }
    /// Its status, if it has ended within 100 ms.
    std::optional<int> status() {
        const auto ended = reapChild(m_id, std::chrono::milliseconds(100));
        if (ended) m_id = -1;
        return ended;
    }

private:
    void end() {
        if (m_id > 0) killChild(std::exchange(m_id, -1));
        if (m_output >= 0) ::close(std::exchange(m_output, -1));
    }

    pid_t m_id = -1;
    int m_output = -1;
};

std::string requestJson(const OwnPython& request) {
    JsonWriter json;
    json.beginObject().key("target").string(request.target).key("init").raw(request.init);
    json.key("concrete").raw(request.concrete).key("weights").string(request.weights);
    json.key("seed").integer(static_cast<std::int64_t>(request.seed)).key("paths").beginArray();
    for (const std::string& path : request.paths) json.string(path);
    json.endArray().key("inputs").beginArray();
    for (const OwnInput& input : request.inputs) {
        json.beginObject().key("name").string(input.name).key("dtype").string(input.dtype).key("sizes").beginArray();
        for (const std::int64_t size : input.sizes) json.integer(size);
        json.endArray().endObject();
    }
    return json.endArray().endObject().text();
}

std::string textOf(JsonValue object, const char* key) {
    const JsonValue value = object.find(key);
    return value.exists() ? std::string(value.asText()) : std::string();
}

[[noreturn]] void refuse(JsonValue result, const OwnPython& request) {
    const std::string step = textOf(result, "step"), reason = textOf(result, "error");
    const std::string needs = textOf(result, "needs_inputs");
    Error error(ErrorKind::Refused,
                step == "torch"       ? Message("python.no_torch", {{"python", request.python}, {"reason", reason}})
                : step == "import"    ? Message("python.not_imported", {{"target", request.target}, {"reason", reason}})
                : step == "construct" ? Message("python.not_made", {{"target", request.target}, {"reason", reason}})
                : !needs.empty()
                    ? Message("python.needs_inputs", {{"reason", reason}, {"detail", needs}})
                    : Message("python.not_exported", {{"refused", textOf(result, "refused")}, {"reason", reason}}));
    throw error.at(textOf(result, "where"));
}

} // namespace

OwnTrace traceWithPython(const OwnPython& request, const std::string& folder,
                         const std::function<void(std::string_view)>& told, const Progress& progress) {
    if (request.target.find(':') == std::string::npos || request.target.ends_with(':') ||
        request.target.starts_with(':'))
        throw Error(ErrorKind::Usage, Message("python.bad_target", {{"target", request.target}}));
    Child child({request.python, "-u", "-c", std::string(ownPythonProgram()), requestJson(request), folder});
    std::string text;
    while (child.read(text)) {
        if (!text.empty() && told) told(text);
        progress.check();
    }
    std::optional<int> status;
    while (!(status = child.status())) progress.check(); // it has closed its output, and may still write the result
    if (WIFSIGNALED(*status))
        throw Error(ErrorKind::Run, Message("python.ended_by_signal",
                                            {{"program", request.python}, {"signal", strsignal(WTERMSIG(*status))}}));
    std::string result;
    try {
        result = readTextFile(folder + "/result.json");
    } catch (const Error&) {
        throw Error(ErrorKind::Run,
                    Message("python.no_result", {{"program", request.python}, {"code", WEXITSTATUS(*status)}}));
    }
    const auto json = JsonDocument::parse(std::move(result));
    const JsonValue root = json->root();
    if (root.find("error").exists()) refuse(root, request);
    return {textOf(root, "written"), textOf(root, "how"), textOf(root, "refused")};
}

} // namespace fx
