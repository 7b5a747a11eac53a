// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>

namespace app {

class Session;

/// Exit codes that are not failures. Those of failures follow from fx::ErrorKind.
inline constexpr int kDone = 0;
inline constexpr int kAnswerIsNo = 1;

/// Runs a verb whose options have been parsed; returns the exit code. Failures are thrown as fx::Error.
using Action = std::function<int(Session&)>;

/// A verb of the command line and its action. Each file of a verb defines one.
struct Verb {
    const char* name;
    const char* about;
    const char* example; ///< a command that works in the folder of the sources
    /// Adds the verb's arguments to `cli`; the action finds their values once they are parsed.
    Action (*declare)(CLI::App& cli);
};

/// Restricts the value of an option to `words`; the help shows them as "a|b|c".
CLI::Option* oneOf(CLI::Option* option, const std::vector<std::string>& words);

/// All verbs, in the order of the help.
std::span<const Verb* const> allVerbs();
const Verb* findVerb(std::string_view name); ///< Returns the verb of a name, or null.

} // namespace app
