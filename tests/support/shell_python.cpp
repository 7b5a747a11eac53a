// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the shell script beside it, "python.sh" for "python": see shell_python.h.
#include <string>
#include <unistd.h>
#include <vector>

int main(int, char** arguments) {
    std::string path(4096, '\0');
    const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
    if (length <= 0) return 1;
    path.resize(static_cast<std::size_t>(length));
    path += ".sh";
    std::string shell = "sh";
    std::vector<char*> command{shell.data(), path.data()};
    for (char** argument = arguments + 1; *argument; ++argument) command.push_back(*argument);
    command.push_back(nullptr);
    ::execv("/bin/sh", command.data());
    return 1;
}
