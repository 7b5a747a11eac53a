// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/source_arguments.h"

#include "app/cli/file_options.h"
#include "core/diag/error.h"
#include "core/edit/argument_json.h"
#include "core/ir/ph.h"
#include "core/ir/print.h"
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

/// The value as Python: `{"repr": "PH"}` is an input that stays open, wherever it stands.
std::string pythonText(fx::JsonValue json) {
    const auto joined = [](fx::JsonValue list) {
        std::string out;
        for (const fx::JsonValue each : list) out += pythonText(each) + ", ";
        return out;
    };
    if (json.isArray()) return "[" + joined(json) + "]";
    const fx::JsonValue first = json.isObject() && json.size() == 1 ? *json.begin() : fx::JsonValue();
    const std::string_view form = first.exists() ? first.key() : std::string_view();
    if (form == "repr" && first.isString()) return std::string(first.asText());
    if (form == "tuple" && first.isArray()) return "(" + joined(first) + ")";
    const bool isPairs = form == "dict" && first.isArray() &&
                         std::all_of(first.begin(), first.end(), [](fx::JsonValue pair) { return pair.isArray(); });
    if (!isPairs) return fx::reprOf({}, fx::argumentFromJson(json, {}));
    std::string out = "{";
    for (const fx::JsonValue pair : first) {
        std::string separator = ": ";
        for (const fx::JsonValue part : pair) out += pythonText(part) + std::exchange(separator, ", ");
    }
    return out + "}";
}

std::string keywordsText(fx::JsonValue object) {
    std::string out;
    for (const fx::JsonValue value : object.needObject())
        out += (out.empty() ? "" : ", ") + std::string(value.key()) + "=" + pythonText(value);
    return out;
}

bool isPh(fx::JsonValue json) {
    const fx::JsonValue repr = json.isObject() ? json.find("repr") : fx::JsonValue();
    const std::string_view text = repr.exists() && repr.isString() ? repr.asText() : std::string_view();
    return text == "PH" || text == "fx.PH" || text == "torch.fx.PH";
}
bool containsPh(fx::JsonValue json) {
    if (isPh(json)) return true;
    return (json.isArray() || json.isObject()) && std::any_of(json.begin(), json.end(), containsPh);
}

/// The same for TorchScript, whose inputs are fixed as wholes.
fx::Kwargs readConcrete(fx::JsonValue object) {
    const fx::Graph noNodes;
    fx::Kwargs named;
    for (const fx::JsonValue value : object.needObject()) {
        if (isPh(value)) named.emplace_back(std::string(value.key()), fx::phArgument());
        else if (!containsPh(value)) named.emplace_back(std::string(value.key()), fx::argumentFromJson(value, noNodes));
    }
    return named;
}

/// An argument of a constructor. Objects that are no form of an argument ({"tuple": [...]}) are dicts.
fx::Argument initArgument(fx::JsonValue value) {
    const fx::Graph noNodes;
    if (value.isArray()) {
        std::vector<fx::Argument> items;
        for (const fx::JsonValue item : value) items.push_back(initArgument(item));
        return fx::Argument::list(std::move(items));
    }
    try {
        return fx::argumentFromJson(value, noNodes);
    } catch (const fx::Error& error) {
        const bool isDict = error.message().is("ir.unknown_form") || error.message().is("ir.unknown_object");
        if (!value.isObject() || !isDict) throw;
    }
    std::vector<std::pair<fx::Argument, fx::Argument>> entries;
    for (const fx::JsonValue item : value) entries.emplace_back(std::string(item.key()), initArgument(item));
    return fx::Argument::dict(std::move(entries));
}

fx::Kwargs readNamed(fx::JsonValue object) {
    fx::Kwargs named;
    for (const fx::JsonValue value : object.needObject())
        named.emplace_back(std::string(value.key()), initArgument(value));
    return named;
}

} // namespace

void SourceArguments::declare(CLI::App& cli) {
    constexpr const char* kGroup = "Python source";
    CLI::Option* const evaluates =
        cli.add_flag("--eval", eval, "set the model to evaluation mode first, before source is traced");
    cli.add_flag("--train", train, "set the model to training mode first")->excludes(evaluates);
    cli.add_option("--init", init, "arguments of the constructor: an object, or a list of positional ones")
        ->type_name("JSON")
        ->group(kGroup);
    cli.add_option("--concrete", concrete,
                   R"(fixed inputs of forward, also for TorchScript (concrete_args); {"repr": "PH"} stays open)")
        ->type_name("JSON")
        ->group(kGroup);
    auto* const given = reads(cli.add_option("--weights", weights,
                                             "file with weights to load: a state dict, a checkpoint, or a whole "
                                             "module; FILE#KEY selects a state dict in it"));
    given->type_name("FILE");
    cli.add_flag("--no-strict", noStrict, "load the weights that fit, and list the others (strict=False)")
        ->needs(given);
    cli.add_option("--leaf", leafs, "module class not to trace into; for TorchScript, none gives operators only")
        ->type_name("TYPE")
        ->group(kGroup);
    auto* const own =
        cli.add_option("--python", python,
                       "trace with this interpreter, which has PyTorch, in the sandbox; auto: that of the active "
                       "environment, of the one beside the source, or that on PATH; none: no interpreter, not even a "
                       "remembered one")
            ->type_name("PYTHON")
            ->check(
                CLI::Validator([](const std::string& text) { return text.empty() ? "expected a program" : ""; }, {}))
            ->group(kGroup);
    cli.add_flag("--remember-python", remembersPython,
                 "from now on, let the interpreter of --python trace by itself what Lancet cannot")
        ->needs(own)
        ->group(kGroup);
    cli.add_option("--path", paths,
                   "folder in which imports are looked up, and the source of classes and functions that a model calls")
        ->type_name("DIR")
        ->group(kGroup);
    cli.add_option("--autowrap", wrapped, "function, or module with functions, whose calls are recorded as they are")
        ->type_name("NAME")
        ->group(kGroup);
    cli.add_flag("--param-shapes-constant", shapesConstant,
                 "treat shapes of parameters as numbers (param_shapes_constant)")
        ->group(kGroup);
    reads(cli.add_option("--library", libraries,
                         "library with operators that TorchScript calls, loaded into lancet-worker"))
        ->type_name("FILE")
        ->group("TorchScript");
    cli.add_flag("--partial", partial, "take the graph up to where tracing stops, with a warning")->group(kGroup);
    cli.add_flag("--proxy-buffers", proxyBuffers, "record buffers like parameters (proxy_buffer_attributes)")
        ->group(kGroup);
}

bool SourceArguments::shapesScripts() const {
    return !concrete.empty() || std::find(leafs.begin(), leafs.end(), "none") != leafs.end();
}

fx::OpenOptions SourceArguments::openOptions(std::uint64_t seed) const {
    if (remembersPython && !asksPython()) throw fx::Error(fx::ErrorKind::Usage, fx::Message("python.remembers_none"));
    fx::OpenOptions options;
    fx::SourceOptions& source = options.source;
    source.seed = seed;
    source.weightsFiles = weights;
    source.strictWeights = !noStrict;
    source.leafs = leafs;
    options.leafModules = std::find(leafs.begin(), leafs.end(), "none") == leafs.end();
    source.paths = paths;
    source.proxyBuffers = proxyBuffers;
    source.shapesConstant = shapesConstant;
    source.wrapped = wrapped;
    source.partial = partial;
    source.eval = eval;
    readJson(init, "--init", [&](fx::JsonValue root) {
        if (root.isArray())
            for (const fx::JsonValue item : root) source.args.push_back(initArgument(item));
        else source.kwargs = readNamed(root);
    });
    readJson(concrete, "--concrete", [&](fx::JsonValue root) {
        source.concrete = readConcrete(root), source.concreteText = keywordsText(root);
    });
    return options;
}

} // namespace app
