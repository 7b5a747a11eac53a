// SPDX-License-Identifier: GPL-3.0-or-later
// A program in the place of Python that runs in the sandbox, as a script could not. It is called `-u -c PROGRAM` to say
// what it is, and `-u -c PROGRAM REQUEST` to trace, with the result and the model as descriptors 3 and 4. Files in its
// environment say what it does: `model.pt` is the model, `refuses` and `slow` speak for themselves.
#include <array>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace {

void copy(int from, int to) {
    std::array<char, 4096> bytes{};
    for (ssize_t count = 0; (count = ::read(from, bytes.data(), bytes.size())) > 0;)
        if (::write(to, bytes.data(), static_cast<std::size_t>(count)) != count) return;
}

void answer(const std::string& json) {
    if (::write(3, json.data(), json.size()) < 0) std::perror("answer");
}

} // namespace

int main(int count, char** words) {
    const std::string program = words[0], environment = program.substr(0, program.rfind("/bin/"));
    const auto has = [&](const char* name) { return ::access((environment + "/" + name).c_str(), F_OK) == 0; };
    if (count == 4) {
        std::printf("{\"program\": \"%s\", \"python\": \"3.11.2\", \"torch\": \"2.13.0\"}\n", words[0]);
        return 0;
    }
    while (has("slow")) ::usleep(100'000);
    if (has("refuses")) {
        answer(R"({"error": "ImportError: no nets", "step": "import", "where": "net.py:1"})");
        return 1;
    }
    copy(::open((environment + "/model.pt").c_str(), O_RDONLY), 4);
    answer(R"({"how": "torch.fx.symbolic_trace"})");
    return 0;
}
