// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/machine_description.h"

#include "core/engine/machine.h"
#include "core/json/json_writer.h"
#include "core/sandbox/sandbox.h"

#include <ATen/Version.h>
#include <torch/version.h>

#include <array>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace app {
namespace {

/// What stands behind `key` in a file of lines `key : value`; empty when it is not there.
std::string entry(const char* file, std::string_view key) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        const std::size_t colon = line.find(':');
        if (!line.starts_with(key) || colon == line.npos) continue;
        const std::size_t start = line.find_first_not_of(" \t", colon + 1);
        return start == line.npos ? std::string() : line.substr(start);
    }
    return {};
}

/// "Intel(R) MKL-DNN v3.7.1 (Git Hash ...)" -> "3.7.1"
std::string oneDnnVersion() {
    const std::string text = at::get_mkldnn_version();
    const std::size_t start = text.find(" v");
    return start == text.npos ? text : text.substr(start + 2, text.find(' ', start + 2) - start - 2);
}

} // namespace

std::string machineDescription(bool takesDescriptors) {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    fx::JsonWriter json;
    json.beginObject()
        .key("library")
        .string(fx::engine::libraryDescription())
        .key("threads")
        .integer(fx::engine::threads())
        .key("takes_descriptors")
        .boolean(takesDescriptors);
    const fx::SandboxState sandbox = fx::sandboxSupport();
    json.key("sandbox").beginObject().key("landlock").integer(sandbox.landlock);
    json.key("seccomp").boolean(sandbox.seccomp).endObject();
    json.key("machine")
        .beginObject()
        .key("host")
        .string(host.data())
        .key("cpu")
        .string(entry("/proc/cpuinfo", "model name"));
    json.key("processors").integer(std::thread::hardware_concurrency());
    json.key("memory").integer(std::atoll(entry("/proc/meminfo", "MemTotal").c_str()) * 1024);
    json.key("isa")
        .string(at::get_cpu_capability())
        .key("libtorch")
        .string(TORCH_VERSION)
        .key("onednn")
        .string(oneDnnVersion());
    json.endObject().endObject();
    return json.text();
}

} // namespace app
