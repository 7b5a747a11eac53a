// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/reader/become.h"

#include "core/base/memory.h"
#include "core/diag/error.h"
#include "core/json/json_document.h"
#include "core/remote/json_fields.h"
#include "core/sandbox/sandbox.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace app {

namespace {

/// Variables that a program needs to find its packages and to format text. Others may hold secrets, and other PYTHON…
/// variables change how the interpreter runs.
constexpr std::array<std::string_view, 10> kVariables = {
    "CONDA_PREFIX", "HOME", "LANG", "LANGUAGE", "LC_", "LD_LIBRARY_PATH", "PATH", "PYTHONPATH", "TZ", "VIRTUAL_ENV"};

bool isKept(std::string_view variable) {
    const std::string_view name = variable.substr(0, variable.find('='));
    return std::ranges::any_of(
        kVariables, [&](std::string_view kept) { return kept.ends_with('_') ? name.starts_with(kept) : name == kept; });
}

std::vector<char*> smallEnvironment() {
    std::vector<char*> out;
    for (char** each = environ; *each; ++each)
        if (isKept(*each)) out.push_back(*each);
    out.push_back(nullptr);
    return out;
}

/// An allocation beyond the limit fails, so that the kernel ends no other program. Libraries count only as far as they
/// are written to, since LibTorch alone maps some GiB that it does not use; the sandbox refuses memory that would not
/// count.
void limitMemory() {
    const rlim_t memory = fx::freeMemory() / 4 * 3;
    const rlimit both{memory, memory};
    if (memory > 0) ::setrlimit(RLIMIT_DATA, &both);
}

} // namespace

int become(int argc, char** argv) {
    if (argc < 4) return std::fputs("lancet-reader: --become RIGHTS PROGRAM ARGUMENTS...\n", stderr), 2;
    fx::SandboxRights rights;
    const auto document = fx::JsonDocument::parse(std::string(argv[2]));
    rights.readable = document->root().at("read").texts();
    rights.executable = document->root().at("run").texts();
    rights.largestFile = static_cast<std::uint64_t>(document->root().at("largest_file").asInt());
    limitMemory();
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // stays when the program changes: nobody waits for the result any more
    if (::getppid() != document->root().at("parent").asInt()) return 1; // it has ended before
    if (!fx::enterSandbox(rights).holds()) {
        std::fputs("lancet-reader: the kernel refuses the sandbox\n", stderr);
        return 1;
    }
    ::execve(argv[3], argv + 3, smallEnvironment().data());
    std::fprintf(stderr, "lancet-reader: cannot run %s: %s\n", argv[3], std::strerror(errno));
    return 127;
}

} // namespace app
