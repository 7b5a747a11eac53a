// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/give_up_rights.h"

#include "core/diag/error.h"
#include "core/json/json_document.h"
#include "core/remote/json_fields.h"

#include <cstdio>
#include <unistd.h>

namespace app {

using fx::remote::Frame;
using fx::remote::FrameKind;
using fx::remote::FrameReader;

std::vector<std::string> machineFiles() {
    return {
        "/dev/urandom",  // seeds of LibTorch's generators
        "/proc/cpuinfo", // processor and frequency, in the results of bench
        "/proc/loadavg",
        "/proc/stat",                     // what else the machine does while models are timed
        "/proc/meminfo",                  // whether new weights fit
        "/proc/sys/vm/overcommit_memory", // malloc of threads, before it gives memory back
        "/sys/devices/system/cpu",        // oneDNN's and OpenMP's caches and cores, the governor
    };
}

FrameReader giveUpRights(int descriptor) {
    FrameReader reader(descriptor);
    while (true) {
        if (reader.read(std::chrono::milliseconds(-1)) != FrameReader::State::Frame) ::_exit(0);
        const Frame frame = reader.take();
        if (frame.kind == FrameKind::Cancel) continue; // somebody who no longer waits for the start
        if (frame.kind != FrameKind::Files) throw fx::Error(fx::ErrorKind::Run, fx::Message("worker.files_first"));
        fx::SandboxRights rights{machineFiles()};
        for (std::string& path : fx::JsonDocument::parse(frame.json)->root().at("read").texts())
            rights.readable.push_back(std::move(path));
        if (!fx::enterSandbox(rights).holds()) {
            const fx::Message none("cli.no_sandbox", {{"who", "the model"}});
            std::fprintf(stderr, "lancet: warning: %s\n  %s\n", none.text().c_str(), none.hint().c_str());
        }
        return reader;
    }
}

} // namespace app
