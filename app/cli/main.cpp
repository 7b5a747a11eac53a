// SPDX-License-Identifier: GPL-3.0-or-later
// lancet: finds the verb, parses its options, runs it, and turns every failure into an exit code.
#include "app/cli/error_report.h"
#include "app/cli/gui_program.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/session.h"
#include "app/cli/verb.h"

#include <algorithm>
#include <filesystem>
#include <new>

namespace app {
namespace {

using Words = std::vector<std::string>;

std::string overview() {
    std::string text = "lancet [MODEL...]                  open a window\n"
                       "lancet VERB MODEL... [options]     run one operation\n\nVerbs:\n";
    for (const Verb* verb : allVerbs()) {
        std::string name = verb->name;
        name.resize(10, ' ');
        text += "  " + name + verb->about + "\n";
    }
    return text + "\n`lancet VERB --help` lists the options of a verb and shows an example.\n"
                  "To open a file whose name is a verb, write ./info.\n"
                  "Options: --help, --version\n";
}

fx::Error usageError(const std::string& what, const std::string& hint) {
    return fx::Error(fx::ErrorKind::Usage, what).hinting(hint);
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
        throw usageError(std::string(verb.name) + ": " + error.what(),
                         std::string("see lancet ") + verb.name + " --help");
    }
    const Interrupt interrupt;
    Session session(common, interrupt.token());
    return action(session);
}

/// A word that is neither a verb nor a file was probably meant as a verb.
void checkModels(const Words& models) {
    for (const std::string& model : models) {
        if (std::filesystem::exists(model)) continue;
        if (&model == &models.front() && model.find_first_of("./") == std::string::npos)
            throw usageError("there is no verb '" + model + "'",
                             "lancet --help lists the verbs; a file of that name is written ./" + model);
        throw fx::Error(fx::ErrorKind::File, "there is no such file").in(model);
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
        throw usageError("there is no option " + first + " before a verb",
                         "options follow the verb: lancet VERB MODEL... [options]");
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
            return reportError(fx::Error(fx::ErrorKind::Refused, "not enough memory"), json);
        } catch (const std::exception& error) {
            return reportError(fx::Error(fx::ErrorKind::Refused, std::string("internal error: ") + error.what()), json);
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
