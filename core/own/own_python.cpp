// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/own/own_python.h"

#include "core/diag/error.h"
#include "core/files/file_identity.h"
#include "core/io/tensors/state_dicts.h"
#include "core/json/json_writer.h"
#include "core/own/own_answer.h"
#include "core/own/own_child.h"
#include "core/own/readable_folders.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <utility>

namespace fx {
namespace {

namespace fs = std::filesystem;

/// A new file that a child writes.
class OutputFile {
public:
    OutputFile(std::string path, const PythonEnvironment& python)
        : m_path(std::move(path)), m_descriptor(::open(m_path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) {
        if (m_descriptor < 0)
            throw Error(ErrorKind::Run, Message("python.cannot_start",
                                                {{"program", python.program}, {"detail", std::strerror(errno)}}));
    }
    ~OutputFile() { ::close(m_descriptor); }
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    const std::string& path() const { return m_path; }
    int descriptor() const { return m_descriptor; }

private:
    std::string m_path;
    int m_descriptor;
};

bool isFile(const SourcePath& target) { return target.file.ends_with(".py"); }

std::string requestJson(const OwnPython& request, const SourcePath& target, const std::string& package,
                        const PythonEnvironment& python) {
    JsonWriter json;
    json.beginObject().key("module").string(target.file).key("name").string(target.name);
    json.key("package").string(package).key("init").raw(request.init);
    json.key("concrete").string(request.concrete);
    json.key("weights").beginArray();
    for (const std::string& file : request.weights) {
        const WeightsFile weights = splitWeightsFile(file);
        json.beginArray().string(weights.path).string(weights.key).endArray();
    }
    json.endArray().key("strict_weights").boolean(request.strictWeights);
    json.key("seed").integer(static_cast<std::int64_t>(request.seed));
    json.key("sandboxed")
        .boolean(python.sandboxed)
        .key("serves")
        .boolean(request.serves)
        .key("proxy_buffers")
        .boolean(request.proxyBuffers)
        .key("shapes_constant")
        .boolean(request.shapesConstant);
    json.key("paths").strings(request.paths).key("leafs").strings(request.leafs);
    json.key("wrapped").strings(request.wrapped);
    json.key("inputs").beginArray();
    for (const OwnInput& input : request.inputs) {
        json.beginObject()
            .key("name")
            .string(input.name)
            .key("dtype")
            .string(input.dtype)
            .key("sizes")
            .integers(input.sizes)
            .endObject();
    }
    return json.endArray().endObject().text();
}

std::vector<std::string> readableFor(const OwnPython& request, const SourcePath& target, const std::string& package) {
    std::vector<std::string> out = request.paths;
    if (target.file.empty()) return out;
    const std::string folder = package.empty() ? ownFolder(request.target) : package;
    if (isNarrow(folder)) out.push_back(folder);
    if (isFile(target)) {
        if (std::string blobs = blobsOfSnapshot(folder); !blobs.empty()) out.push_back(std::move(blobs));
        out.push_back(target.file); // which may be a link
    }
    for (const std::string& file : request.weights) out.push_back(splitWeightsFile(file).path);
    return out;
}

} // namespace

SourcePath ownTarget(const std::string& target) {
    if (auto source = splitSourcePath(target)) return *std::move(source);
    const std::size_t end = std::min(target.find(':'), target.size());
    return {target.substr(0, end), target.substr(std::min(end + 1, target.size()))};
}

std::string ownFolder(const std::string& target) {
    const SourcePath parts = ownTarget(target);
    std::error_code isGone; // the current folder, which then holds nothing to read
    return isFile(parts) ? fs::absolute(parts.file, isGone).parent_path().string() : fs::current_path(isGone).string();
}

OwnTrace traceWithPython(const OwnPython& request, const PythonEnvironment& python, const std::string& folder,
                         const std::function<void(std::string_view)>& told, const Progress& progress) {
    const SourcePath target = ownTarget(request.target);
    if (target.file.empty() || (target.name.empty() && !isFile(target)))
        throw Error(ErrorKind::Usage, Message("python.bad_target", {{"target", request.target}}));
    const std::string package = isFile(target) ? packageOf(target.file) : std::string();
    const OutputFile result(folder + "/result.json", python), model(folder + "/traced", python);
    const OwnChild child{python,
                         "trace",
                         {requestJson(request, target, package, python)},
                         readableFor(request, target, package),
                         {result.descriptor(), model.descriptor()},
                         fs::space(folder).available / 4, // both together: half
                         {}};
    const int code = runOwnChild(child, told, progress);
    return readAnswer({result.path(), model.path()}, code, request, python, progress);
}

OwnCalls::OwnCalls(OwnPython request, PythonEnvironment python, std::function<void(std::string_view)> told) {
    if (!python.sandboxed) throw Error(ErrorKind::Refused, Message("python.calls_sandboxed"));
    const SourcePath target = request.target.empty() ? SourcePath() : ownTarget(request.target);
    const std::string package = isFile(target) ? packageOf(target.file) : std::string();
    request.serves = true;
    std::array<int, 2> requests{-1, -1}, answers{-1, -1};
    if (::pipe2(requests.data(), O_CLOEXEC) != 0 || ::pipe2(answers.data(), O_CLOEXEC) != 0) {
        const std::string detail = std::strerror(errno);
        for (const int each : requests)
            if (each >= 0) ::close(each);
        throw Error(ErrorKind::Run, Message("python.cannot_start", {{"program", python.program}, {"detail", detail}}));
    }
    m_to = requests[1], m_from = answers[0];
    for (const int each : {m_to, m_from}) ::fcntl(each, F_SETFL, O_NONBLOCK);
    m_thread = std::jthread([=, python = std::move(python), told = std::move(told)](const std::stop_token& stop) {
        const OwnChild child{python,
                             "trace",
                             {requestJson(request, target, package, python)},
                             readableFor(request, target, package),
                             {answers[1], requests[0]},
                             0,
                             {}};
        try {
            (void)runOwnChild(child, told, Progress(stop));
        } catch (const Error&) { // who waits for an answer finds the pipe closed
        }
        for (const int each : {answers[1], requests[0]}) ::close(each);
    });
}

OwnCalls::~OwnCalls() {
    for (const int each : {m_to, m_from})
        if (each >= 0) ::close(each);
    m_thread.request_stop(); // which kills the child
}

} // namespace fx
