// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/source_arguments.h"

#include "core/diag/error.h"
#include "core/edit/argument_json.h"
#include "core/json/json_document.h"

#include <algorithm>

namespace app {
namespace {

/// Calls `read(document root)`; errors are errors of the command line.
template<class Read> void readJson(const std::string& text, const char* option, Read read) {
    if (text.empty()) return;
    try {
        const auto document = fx::JsonDocument::parse(text);
        read(document->root());
    } catch (const fx::Error& error) {
        throw fx::Error(fx::ErrorKind::Usage,
                        fx::Message("app.bad_json_option", {{"option", option}, {"reason", error.what()}}));
    }
}

fx::Kwargs readNamed(fx::JsonValue object) {
    const fx::Graph noNodes;
    fx::Kwargs named;
    for (const fx::JsonValue value : object.needObject())
        named.emplace_back(std::string(value.key()), fx::argumentFromJson(value, noNodes));
    return named;
}

} // namespace

void SourceArguments::declare(CLI::App& cli) {
    constexpr const char* kGroup = "Python source";
    cli.add_option("--init", init, "arguments of the constructor: an object, or a list of positional ones")
        ->type_name("JSON")
        ->group(kGroup);
    cli.add_option("--concrete", concrete, "fixed inputs of forward, as an object (concrete_args)")
        ->type_name("JSON")
        ->group(kGroup);
    cli.add_option("--weights", weights, "file with a state dict to load")->type_name("FILE")->group(kGroup);
    cli.add_option("--leaf", leafs, "module class that is not followed into; TorchScript: none for operators only")
        ->type_name("TYPE")
        ->group(kGroup);
    cli.add_option("--path", paths, "folder in which imports are looked up")->type_name("DIR")->group(kGroup);
    cli.add_flag("--proxy-buffers", proxyBuffers, "record buffers as parameters are (proxy_buffer_attributes)")
        ->group(kGroup);
}

fx::OpenOptions SourceArguments::openOptions(std::uint64_t seed) const {
    fx::OpenOptions options;
    fx::SourceOptions& source = options.source;
    source.seed = seed;
    source.weightsFile = weights;
    source.leafs = leafs;
    options.leafModules = std::find(leafs.begin(), leafs.end(), "none") == leafs.end();
    source.paths = paths;
    source.proxyBuffers = proxyBuffers;
    readJson(init, "--init", [&](fx::JsonValue root) {
        const fx::Graph noNodes;
        if (root.isArray())
            for (const fx::JsonValue item : root) source.args.push_back(fx::argumentFromJson(item, noNodes));
        else source.kwargs = readNamed(root);
    });
    readJson(concrete, "--concrete", [&](fx::JsonValue root) { source.concrete = readNamed(root); });
    return options;
}

} // namespace app
