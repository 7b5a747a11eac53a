// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/pass_options.h"

#include "app/cli/file_options.h"
#include "core/base/counted.h"
#include "core/base/visible_text.h"
#include "core/edit/recipe.h"
#include "core/files/read_text.h"
#include "core/passes/manager/pass_pipeline.h"
#include "core/textpasses/text_pass.h"

#include <cstdio>

namespace app {
namespace {

using Documents = std::vector<std::shared_ptr<const fx::JsonDocument>>;

fx::PassRequest requestFrom(const std::string& word, Documents& documents) {
    const auto equals = word.find('=');
    fx::PassRequest request{word.substr(0, equals), {}};
    if (!fx::findPass(request.name)) {
        std::string near;
        for (const auto name : fx::passesLike(request.name)) near += (near.empty() ? "" : " or ") + std::string(name);
        throw fx::Error(fx::ErrorKind::Usage, fx::Message("passes.unknown", {{"name", request.name}, {"near", near}}));
    }
    if (equals == std::string::npos) return request;
    try {
        documents.push_back(fx::JsonDocument::parse(word.substr(equals + 1)));
        request.settings = documents.back()->root().needObject();
    } catch (const fx::Error& error) {
        throw fx::Error(fx::ErrorKind::Usage,
                        fx::Message("cli.pass_settings", {{"name", request.name}, {"detail", error.what()}}));
    }
    return request;
}

fx::PassManager pipelineFrom(const std::string& path, const fx::Readers& readers, Documents& documents) {
    constexpr std::uint64_t kLargest = std::uint64_t{16} << 20;
    try {
        documents.push_back(
            fx::JsonDocument::parse(fx::readTextFile(path, kLargest), {}, fx::JsonDocument::Positions::Keep));
        return fx::readPipeline(documents.back()->root(), [&path, own = fx::textPasses(readers)](
                                                              const std::string& file, const fx::JsonValue& text) {
            return own(text.exists() ? fx::textBeside(path, file) : fx::sourceBeside(path, file), text);
        });
    } catch (fx::Error& error) {
        if (error.kind() == fx::ErrorKind::File && error.file.empty()) throw error.in(path);
        throw;
    }
}

} // namespace

void PassOptions::declare(CLI::App& cli) {
    m_cli = &cli;
    cli.add_option("PASS", words, "pass with settings, NAME[=JSON]; several run in the given order")
        ->type_name("NAME[=JSON]")
        ->expected(1, -1);
    reads(cli.add_option("--file", files,
                         "a pass in Python text, a function of the GraphModule or a PassBase class; repeatable"))
        ->type_name("FILE.py[:NAME]")
        ->allow_extra_args(false)
        ->take_all();
    reads(
        cli.add_option("--check", checks,
                       "a function in Python text that raises if the model is wrong; runs before the first pass, with "
                       "--after-each after each"))
        ->type_name("FILE.py[:NAME]")
        ->allow_extra_args(false)
        ->take_all();
    reads(cli.add_option("--pipeline", pipeline,
                         "passes, constraints and steps as JSON; the passes given by name follow"))
        ->type_name("FILE.json");
    cli.add_option("--constraint", constraints, "A:B, pass A must run before pass B; repeatable")->type_name("A:B");
    cli.add_option("--steps", steps, "run all passes up to N times, until nothing changes")
        ->check(CLI::Range(std::size_t{1}, fx::kMaxLoops))
        ->type_name("N");
    cli.add_option("--rewrites", limit, "make only the first N rewrites")->check(CLI::PositiveNumber)->type_name("N");
}

fx::PassManager PassOptions::manager(const fx::Readers& readers, Documents& documents) const {
    fx::PassManager manager = pipeline.empty() ? fx::PassManager() : pipelineFrom(pipeline, readers, documents);
    std::size_t word = 0, file = 0;
    for (const CLI::Option* option : m_cli->parse_order()) {
        if (option->get_name() == "PASS" && word < words.size()) manager.addPass(requestFrom(words[word++], documents));
        if (option->get_name() == "--file" && file < files.size())
            manager.addPass(fx::textPass(files[file++], {}, readers));
    }
    while (word < words.size()) manager.addPass(requestFrom(words[word++], documents));
    for (const std::string& check : checks) manager.addCheck(fx::textCheck(check, readers));
    if (manager.passes().empty()) throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.no_passes"));
    for (const std::string& constraint : constraints) {
        const auto colon = constraint.find(':');
        if (colon == std::string::npos || colon == 0 || colon + 1 == constraint.size())
            throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.pass_constraint", {{"text", constraint}}));
        manager.addConstraint(fx::thisBeforeThat(constraint.substr(0, colon), constraint.substr(colon + 1)));
    }
    if (steps > 0) manager.steps = steps;
    return manager;
}

void PassPrinter::afterPass(const fx::PassPlace&, const fx::GraphModule&, const fx::PassReport& report) {
    std::fprintf(stderr, "%s: %s, %s, %.3g ms\n", fx::visibleName(report.name).c_str(),
                 report.changed ? "changed" : "nothing to do",
                 fx::counted(report.rewrites, "rewrite", "rewrites").c_str(), report.millis);
}

bool PassPrinter::beforeRewrite(const fx::RewritePlace& rewrite, const fx::GraphModule&) {
    if (m_rewrites)
        std::fprintf(stderr, "%s, rewrite %zu: %s\n", fx::visibleName(rewrite.place.pass).c_str(), rewrite.number,
                     fx::visibleName(rewrite.node).c_str());
    return true;
}

} // namespace app
