// SPDX-License-Identifier: GPL-3.0-or-later
// lancet: finds the verb, parses its options, runs it, and turns every failure into an exit code.
#include "app/cli/error_report.h"
#include "app/cli/gui_program.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/session.h"
#include "app/cli/verb.h"
#include "core/files/leftovers.h"
#include "core/files/temporary_folder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <new>

namespace app {
namespace {

using Words = std::vector<std::string>;

std::string overview() {
    std::string text = "lancet [MODEL...]                  open a window\n"
                       "lancet VERB MODEL... [options]     run one operation\n\nVerbs:\n";
    std::size_t longest = 0;
    for (const Verb* verb : allVerbs()) longest = std::max(longest, std::string_view(verb->name).size());
    for (const Verb* verb : allVerbs()) {
        std::string name = verb->name;
        name.resize(longest + 2, ' ');
        text += "  " + name + verb->about + "\n";
    }
    return text + "\n`lancet VERB --help` lists the options of a verb and shows an example.\n"
                  "To open a file whose name is a verb, write ./info.\n"
                  "Options: --help, --version\n";
}

int runVerb(const Verb& verb, Words words) {
    CLI::App cli(verb.about, std::string("lancet ") + verb.name);
    CommonOptions common;
    const Action action = verb.declare(cli);
    common.declare(cli);
    cli.footer(std::string("Example:\n  ") + verb.example);
    std::reverse(words.begin(), words.end()); // as CLI11 wants them
    try {
        cli.parse(words);
    } catch (const CLI::CallForHelp&) {
        writeOutput(cli.help());
        return kDone;
    } catch (const CLI::ParseError& error) {
        throw fx::Error(fx::ErrorKind::Usage,
                        fx::Message("cli.usage", {{"verb", verb.name}, {"detail", error.what()}}));
    }
    CallFiles files(cli);
    if (common.quiet) ::setenv("LANCET_QUIET", "1", 1); // for lancet-worker: LibTorch warns, too
    fx::removeLeftovers(fx::temporaryPlace());
    const Interrupt interrupt;
    Session session(common, std::move(files), interrupt.token());
    return action(session);
}

/// A word that is neither a verb nor a file was probably meant as a verb.
void checkModels(const Words& models) {
    std::error_code failed; // what is there but cannot be opened says why
    for (const std::string& model : models) {
        if (std::filesystem::status(model, failed).type() != std::filesystem::file_type::not_found) continue;
        if (&model == &models.front() && model.find_first_of("./") == std::string::npos)
            throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.unknown_verb", {{"name", model}}));
        throw fx::Error(fx::ErrorKind::File, fx::Message("cli.no_such_file")).in(model);
    }
}

int run(Words words) {
    if (words.empty()) becomeGui({});
    const std::string first = words.front();
    if (first == "--help" || first == "-h" || first == "help") return writeOutput(overview()), kDone;
    if (first == "--version") return writeOutput("lancet " LANCET_VERSION "\n"), kDone;
    if (const Verb* verb = findVerb(first)) return words.erase(words.begin()), runVerb(*verb, std::move(words));
    if (first == "--") {
        words.erase(words.begin());
    } else if (first.starts_with("-")) {
        throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.option_first", {{"option", first}}));
    }
    checkModels(words);
    becomeGui(words);
}

/// Every failure of `run` as an exit code.
int guarded(const Words& words) {
    const bool json = std::find(words.begin(), words.end(), "--json") != words.end();
    try {
        try {
            return run(words);
        } catch (const fx::Error& error) { return reportError(error, json); } catch (const std::bad_alloc&) {
            return reportError(fx::Error(fx::ErrorKind::Refused, fx::Message("cli.no_memory")), json);
        } catch (const std::exception& error) {
            return reportError(
                fx::Error(fx::ErrorKind::Refused, fx::Message("app.internal", {{"detail", error.what()}})), json);
        }
    } catch (const OutputClosed&) {
        return exitCode(fx::ErrorKind::Cancelled);
    } catch (const fx::Error& error) { // standard output cannot take the report either
        return reportError(error, false);
    }
}

} // namespace
} // namespace app

int main(int argc, char** argv) { return app::guarded({argv + 1, argv + argc}); }
