// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/reader/reader_self_test.h"

#include "core/json/json_writer.h"
#include "core/sandbox/sandbox.h"

#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/socket.h>
#include <unistd.h>

namespace app {
namespace {

bool isPossible(int descriptor) {
    if (descriptor >= 0) ::close(descriptor);
    return descriptor >= 0;
}

} // namespace

int selfTest() {
    const std::string file =
        std::filesystem::temp_directory_path() / ("lancet-reader-check-" + std::to_string(::getpid()));
    const fx::SandboxState state = fx::enterSandbox({});
    const bool writes = isPossible(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (writes) ::unlink(file.c_str());
    const bool reads = isPossible(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    const bool network = isPossible(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    fx::JsonWriter json;
    json.beginObject().key("landlock").integer(state.landlock).key("seccomp").boolean(state.seccomp);
    json.key("reads").boolean(reads).key("writes").boolean(writes).key("network").boolean(network).endObject();
    std::puts(json.text().c_str());
    return state.holds() && !reads && !writes && !network ? 0 : 1;
}

} // namespace app
