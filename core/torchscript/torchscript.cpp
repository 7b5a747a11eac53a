// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/torchscript.h"

#include "core/base/listed.h"
#include "core/ir/print.h"
#include "core/module/read_only.h"
#include "core/module/script_object.h"
#include "core/ops/catalogue.h"
#include "core/torchscript/called_file.h"
#include "core/torchscript/code_on_loading.h"
#include "core/torchscript/importing/importer.h"
#include "core/torchscript/importing/inside_graph.h"
#include "core/torchscript/unread_file.h"

#include <algorithm>

namespace fx::script {
namespace {

constexpr std::uint64_t kMostCode = 64 << 20;

bool hasCodeOnLoading(const ZipArchive& archive) {
    return std::any_of(archive.members().begin(), archive.members().end(), [&](const ZipMember& member) {
        return member.name.ends_with(".py") && runsOnLoading(member.name, archive.readText(member, kMostCode));
    });
}

std::vector<std::string> methodsOf(const Program& program) {
    std::vector<std::string> out;
    for (const Method& method : program.classes[static_cast<std::size_t>(program.root)].methods)
        out.push_back(method.name);
    return out;
}

/// Methods that a user has written or exported, and forward: those of torch.nn's own classes are its parts.
std::vector<std::string> usersMethods(const Program& program) {
    const Class& root = program.classes[static_cast<std::size_t>(program.root)];
    std::vector<std::string> out = methodsOf(program);
    if (plainClassName(root.name).starts_with("torch.nn.modules."))
        std::erase_if(out, [](const std::string& name) { return name != kForward; });
    return out;
}

/// Whether a caller may leave out an input that may decide a branch.
bool hasDecidingInputs(const Program& program, const Method& method) {
    return std::any_of(method.parameters.begin(), method.parameters.end(), [&](const Parameter& parameter) {
        if (parameter.defaultValue < 0) return false;
        const auto* value = std::get_if<Argument>(&program.constants[static_cast<std::size_t>(parameter.defaultValue)]);
        return value && (value->isNone() || value->as<bool>() || value->as<std::string>());
    });
}

/// The graphs that a file has: each method with its modules, as operators only, and where it matters for all inputs or
/// for display.
std::vector<std::string> graphsOf(const Program& program, bool hasInside) {
    const auto& methods = program.classes[static_cast<std::size_t>(program.root)].methods;
    std::vector<std::string> out = methodsOf(program);
    for (const Method& method : methods) out.push_back(method.name + std::string(kOperatorsOnly));
    for (const Method& method : methods)
        if (hasDecidingInputs(program, method)) out.push_back(method.name + std::string(kEveryBranch));
    for (const Method& method : methods)
        if (hasInside) out.push_back(method.name + std::string(kInsideGraph));
    return out;
}

/// A method as a graph, which follows the defaults of the inputs that decide branches unless `everyBranch`.
std::shared_ptr<GraphModule> import(const Program& program, const Objects& objects, const std::string& method,
                                    ImportOptions options, bool everyBranch, ImportReport& report,
                                    const Progress& progress) {
    Kwargs assumed;
    const Kwargs given = options.fixed;
    for (;;) {
        Importer importer(program, objects.root(), options, progress);
        auto module = importer.import(method);
        report = importer.report();
        report.assumed = assumed;
        if (report.whole && !assumed.empty()) { // a file runs with any inputs
            options.fixed = given, assumed.clear(), everyBranch = true;
            continue;
        }
        if (everyBranch || importer.deciding().empty()) return module;
        for (const auto& input : importer.deciding()) options.fixed.push_back(input), assumed.push_back(input);
    }
}

/// A method for display.
std::shared_ptr<GraphModule> importInside(const Program& program, const Objects& objects, const std::string& method,
                                          const ImportOptions& options, ImportReport& report,
                                          const Progress& progress) {
    try {
        return insideOf(program, objects.root(), method, options, report, progress);
    } catch (const Unsupported& why) {
        throw Error(ErrorKind::Refused,
                    Message("script.no_graph", {{"reason", why.reason.text()}, {"cause", why.reason.code()}}));
    }
}

std::shared_ptr<const GraphModule> insideOrNull(const Program& program, const Objects& objects,
                                                const std::string& method, const ImportOptions& options,
                                                const Progress& progress) {
    ImportReport unread;
    try {
        return insideOf(program, objects.root(), method, options, unread, progress);
    } catch (const Unsupported&) { return nullptr; }
}

void addWarnings(GraphModule& module, const ImportReport& report, bool hasInside) {
    for (const auto& [name, value] : report.assumed)
        module.warnings.push_back(
            {Message("script.follows_default", {{"name", name},
                                                {"value", reprOf(module.graph, value)},
                                                {"graph", methodOf(module) + std::string(kEveryBranch)}}),
             {},
             {},
             {}});
    if (isReadOnly(module)) module.warnings.push_back({Message("script.shows_inside"), {}, {}, {}});
    else if (report.whole)
        module.warnings.push_back(
            {Message("script.whole_file", {{"reason", report.whole->text()},
                                           {"cause", report.whole->code()},
                                           {"graph", hasInside ? methodOf(module) + std::string(kInsideGraph) : ""}}),
             {},
             {},
             {}});
    else if (report.blocks > 0)
        module.warnings.push_back({Message("script.has_blocks", {{"count", report.blocks}}), {}, {}, {}});
    if (report.objects > 0)
        module.warnings.push_back({Message("script.has_objects", {{"count", report.objects}}), {}, {}, {}});
    if (report.sparse > 0)
        module.warnings.push_back({Message("script.has_sparse", {{"count", report.sparse}}), {}, {}, {}});
    if (report.checks > 0)
        module.warnings.push_back({Message("script.checks_left_out", {{"count", report.checks}}), {}, {}, {}});
    if (report.contexts > 0)
        module.warnings.push_back({Message("script.contexts_left_out", {{"count", report.contexts}}), {}, {}, {}});
    if (report.caches > 0)
        module.warnings.push_back({Message("script.caches", {{"count", report.caches}}), {}, {}, {}});
    for (const auto& [type, counts] : report.leaves)
        if (counts.second > 0)
            module.warnings.push_back(
                {Message("script.not_recognised", {{"count", counts.second}, {"class", type}}), {}, {}, {}});
}

void addMissing(GraphModule& module, const std::vector<std::string>& operators) {
    if (operators.empty()) return;
    const std::string names = joined(operators);
    module.warnings.push_back(
        {Message("script.missing_operators", {{"count", operators.size()}, {"names", names}}), {}, {}, {}});
}

} // namespace

std::string methodOf(const GraphModule& imported) {
    const std::string& name = imported.modelName;
    for (const std::string_view form : {kOperatorsOnly, kEveryBranch, kInsideGraph})
        if (name.ends_with(form)) return name.substr(0, name.size() - form.size());
    return name;
}

std::map<std::string, std::vector<std::string>> modeNodes(const Graph& graph) {
    constexpr std::string_view kNames[] = {"train", "training", "use_input_stats"};
    std::map<std::string, std::vector<std::string>> out;
    for (const fx::Node& node : graph.nodes()) {
        const auto known = node.op() == Op::CallFunction ? ops::findOperator(node.target()) : std::nullopt;
        if (!known) continue;
        const auto& stack = node.meta().moduleStack;
        for (std::size_t i = 0; i < std::min(node.args().size(), known->arguments().size()); ++i)
            if (node.args()[i].as<bool>() &&
                std::find(std::begin(kNames), std::end(kNames), known->arguments()[i].name()) != std::end(kNames))
                out[stack.empty() ? std::string() : stack.back().path].push_back(node.name());
    }
    return out;
}

bool isScriptBlock(const Module& module) {
    return module.className == kBlockClass && module.classModule == kBlockModule;
}

bool isScriptFile(const Module& module) { return module.className == kFileClass && module.classModule == kBlockModule; }

const Module::Child* onlyScriptFile(const Module& root) {
    const Module::Child* found = nullptr;
    for (const Module::Child& child : root.children) {
        if (!child.module || !isScriptFile(*child.module)) continue;
        if (found) return nullptr;
        found = &child;
    }
    return found;
}

std::string scriptFilePath(const Module& module) {
    const auto* path = module.setting<std::string>("path");
    if (!path) throw Error(ErrorKind::Run, Message("engine.script_block"));
    return *path;
}

bool isFileObject(const Module& module) {
    return isScriptObject(module) && module.attribute("path") && module.attribute("attribute");
}

std::shared_ptr<GraphModule> fileItself(const GraphModule& imported) {
    auto out = std::make_shared<GraphModule>();
    out->format = Format::TorchScript, out->path = imported.path;
    std::vector<Argument> inputs;
    for (const fx::Node& node : imported.graph.nodes())
        if (node.op() == Op::Placeholder)
            inputs.emplace_back(out->graph.placeholder(node.target(), node.args(), node.type(), node.name()));
    auto file = std::make_shared<Module>();
    file->className = kFileClass, file->classModule = kBlockModule;
    file->training = false; // its modules have modes of their own
    file->attributes.emplace_back("path", Argument(absolutePath(imported.path)));
    if (const auto* origin = dynamic_cast<const ScriptOrigin*>(imported.origin.get()))
        file->attributes.emplace_back(kDigest, Argument(contentDigest(origin->archive)));
    if (const std::string method = methodOf(imported); !method.empty() && method != kForward)
        file->attributes.emplace_back("method", Argument(method));
    out->root->className = "GraphModule", out->root->classModule = "torch.fx.graph_module";
    out->root->children.push_back({"script", file});
    out->graph.output(out->graph.createNode(Op::CallModule, "script", std::move(inputs)));
    return out;
}

std::shared_ptr<const GraphModule> runnable(std::shared_ptr<const GraphModule> model) {
    return isReadOnly(*model) ? fileItself(*model) : model;
}

std::shared_ptr<GraphModule> readTorchScript(const ZipArchive& archive, const OpenOptions& options,
                                             const Progress& progress) {
    const std::string& path = archive.file()->path();
    if (hasCodeOnLoading(archive)) return unreadFile(archive, progress); // opening a file never runs code of it
    const auto file = TorchFile::open(archive, progress);
    if (!options.readers.script) throw Error(ErrorKind::File, Message("script.no_worker")).in(path);
    try {
        const Program program = readProgram(options.readers.script(path, progress));
        const Objects objects(file, program);
        GraphModule wanted;
        wanted.modelName = options.modelName.empty() ? kForward : options.modelName;
        const std::string method = methodOf(wanted);
        const bool operatorsOnly = !options.leafModules || wanted.modelName.ends_with(kOperatorsOnly);
        const bool everyBranch = wanted.modelName.ends_with(kEveryBranch);
        const auto origin = std::make_shared<ScriptOrigin>(archive);
        const ImportOptions how{!operatorsOnly, options.source.concrete, absolutePath(path), contentDigest(archive)};
        const bool isInside = wanted.modelName.ends_with(kInsideGraph);
        auto module = isInside ? importInside(program, objects, method, how, origin->report, progress)
                               : import(program, objects, method, how, everyBranch, origin->report, progress);
        if (origin->report.whole) origin->inside = insideOrNull(program, objects, method, how, progress);
        origin->methods = usersMethods(program);
        origin->hasFixedInputs = !options.source.concrete.empty();
        module->path = path;
        module->modelNames = graphsOf(program, isInside || origin->inside);
        module->modelName = method;
        if (operatorsOnly) module->modelName += kOperatorsOnly;
        else if (everyBranch) module->modelName += kEveryBranch;
        else if (isInside) module->modelName += kInsideGraph;
        module->warnings = std::move(file->warnings);
        addWarnings(*module, origin->report, origin->inside != nullptr);
        addMissing(*module, program.missing);
        auto imported = std::make_shared<GraphModule>(*module);
        origin->imported = std::move(imported);
        module->origin = origin;
        return module;
    } catch (Error& error) {
        if (error.file.empty()) error.in(path);
        throw;
    }
}

} // namespace fx::script
