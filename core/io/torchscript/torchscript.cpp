// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/torchscript/torchscript.h"

#include "core/io/torchscript/importer.h"

namespace fx::script {
namespace {

constexpr std::uint64_t kMostCode = 64 << 20;
constexpr const char* kForward = "forward";

Describe& describer() {
    static Describe function;
    return function;
}

/// Loading calls methods of that name, and opening a file never runs code of it.
void refuseCodeOnLoading(const ZipArchive& archive) {
    for (const ZipMember& member : archive.members())
        if (member.name.ends_with(".py") &&
            archive.readText(member, kMostCode).find("def __setstate__") != std::string::npos)
            throw Error(ErrorKind::Refused, Message("script.code_on_loading"))
                .in(archive.file()->path())
                .at(member.name);
}

std::vector<std::string> methodsOf(const Program& program) {
    std::vector<std::string> out;
    for (const Method& method : program.classes[static_cast<std::size_t>(program.root)].methods)
        out.push_back(method.name);
    return out;
}

/// The graphs that a file has: each method with its modules, and as operators only.
std::vector<std::string> graphsOf(const std::vector<std::string>& methods) {
    std::vector<std::string> out = methods;
    for (const std::string& method : methods) out.push_back(method + std::string(kOperatorsOnly));
    return out;
}

void addWarnings(GraphModule& module, const ImportReport& report) {
    if (report.blocks > 0)
        module.warnings.push_back({Message("script.has_blocks", {{"count", report.blocks}}), {}, {}, {}});
    if (report.checks > 0)
        module.warnings.push_back({Message("script.checks_left_out", {{"count", report.checks}}), {}, {}, {}});
    if (report.caches > 0)
        module.warnings.push_back({Message("script.caches", {{"count", report.caches}}), {}, {}, {}});
    for (const auto& [type, counts] : report.leaves)
        if (counts.second > 0)
            module.warnings.push_back(
                {Message("script.not_recognised", {{"count", counts.second}, {"class", type}}), {}, {}, {}});
}

} // namespace

void setDescribe(Describe describe) { describer() = std::move(describe); }

std::string methodOf(const GraphModule& imported) {
    std::string name = imported.modelName;
    if (name.ends_with(kOperatorsOnly)) name.resize(name.size() - kOperatorsOnly.size());
    return name;
}

bool isScriptBlock(const Module& module) {
    return module.className == kBlockClass && module.classModule == kBlockModule;
}

bool isScriptFile(const Module& module) { return module.className == kFileClass && module.classModule == kBlockModule; }

std::shared_ptr<GraphModule> fileItself(const GraphModule& imported) {
    auto out = std::make_shared<GraphModule>();
    out->format = Format::TorchScript, out->path = imported.path;
    std::vector<Argument> inputs;
    for (const fx::Node& node : imported.graph.nodes())
        if (node.op() == Op::Placeholder)
            inputs.emplace_back(out->graph.placeholder(node.target(), node.args(), node.type(), node.name()));
    auto file = std::make_shared<Module>();
    file->className = kFileClass, file->classModule = kBlockModule;
    file->attributes.emplace_back("path", Argument(imported.path));
    out->root->className = "GraphModule", out->root->classModule = "torch.fx.graph_module";
    out->root->children.push_back({"script", file});
    out->graph.output(out->graph.createNode(Op::CallModule, "script", std::move(inputs)));
    return out;
}

std::shared_ptr<GraphModule> readTorchScript(const ZipArchive& archive, const OpenOptions& options,
                                             const Progress& progress) {
    const std::string& path = archive.file()->path();
    refuseCodeOnLoading(archive);
    const auto file = TorchFile::open(archive, progress);
    if (!describer()) throw Error(ErrorKind::File, Message("script.no_worker")).in(path);
    try {
        const Program program = readProgram(describer()(path, progress));
        const Objects objects(file, program);
        std::string method = options.modelName.empty() ? kForward : options.modelName;
        const bool operatorsOnly = !options.leafModules || method.ends_with(kOperatorsOnly);
        if (method.ends_with(kOperatorsOnly)) method.resize(method.size() - kOperatorsOnly.size());
        Importer importer(program, objects.root(), !operatorsOnly, progress);
        auto module = importer.import(method);
        const auto origin = std::make_shared<ScriptOrigin>(archive);
        origin->report = importer.report();
        origin->methods = methodsOf(program);
        module->path = path;
        module->modelNames = graphsOf(origin->methods);
        module->modelName = operatorsOnly ? method + std::string(kOperatorsOnly) : method;
        module->warnings = std::move(file->warnings);
        addWarnings(*module, origin->report);
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
