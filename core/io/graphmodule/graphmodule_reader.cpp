// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/graphmodule/graphmodule_reader.h"

#include "core/io/graphmodule/loaded_root.h"
#include "core/io/graphmodule/module_reader.h"
#include "core/trace/allowance.h"
#include "core/trace/tracer_classes.h"

#include <iterator>

namespace fx {

namespace {

void append(Warnings& to, Warnings& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    from.clear();
}

/// Stack traces that torch.package saves beside the code, by node name.
void restoreStackTraces(GraphModule& module, const PickleArena& arena, PickleRef body) {
    for (const auto& [name, trace] : textEntries(arena, arena.find(body, "_graphmodule_graph_node_meta_stack_trace"))) {
        const NodeId node = module.graph.find(name);
        if (node == kNoNode || !arena.is(trace, PickleKind::String)) continue;
        auto meta = std::make_shared<NodeMeta>(module.graph.node(node).meta());
        meta->stackTrace = arena.text(trace);
        module.graph.setMeta(node, std::move(meta));
    }
}

void noteTracer(GraphModule& module, const PickleArena& arena, PickleRef body) {
    const PickleRef tracer = arena.find(body, "_tracer_cls"), extras = arena.find(body, "_tracer_extras");
    module.tracerClass = tracer == kNoPickle ? std::string() : arena.qualifiedName(tracer);
    if (!trace::tracerClass(module.tracerClass).isKnown)
        module.warnings.push_back({Message("graphmodule.custom_tracer", {{"tracer", module.tracerClass}}), {}, {}, {}});
    if (extras != kNoPickle && arena.itemCount(extras) > 0)
        module.warnings.push_back({Message("graphmodule.tracer_arguments"), {}, {}, {}});
}

/// Turns the module of a saved GraphModule into what torch.load gives; `module.root` is replaced.
void traceSaved(GraphModule& module, const ModuleReader::Traced& saved, const PickleArena& arena,
                const Retrace& retrace, const Progress& progress) {
    module.className = saved.module->className;
    module.root = std::make_shared<Module>(*saved.module);
    noteTracer(module, arena, saved.body);
    retrace(module, saved.importBlock, saved.code, progress);
    restoreStackTraces(module, arena, saved.body);
    applyLoad(module);
}

/// A GraphModule inside the tree: gets its graph; one whose code cannot be followed stays a plain module, with a
/// warning.
void traceNested(const ModuleReader::Traced& saved, GraphModule& outer, const PickleArena& arena,
                 const Retrace& retrace, const Progress& progress) {
    auto nested = std::make_shared<GraphModule>();
    try {
        traceSaved(*nested, saved, arena, retrace, progress);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        outer.warnings.push_back(
            {Message("graphmodule.nested_untraceable", {{"reason", error.what()}}), {}, saved.path, {}});
        outer.notLoadable = true;
        return;
    }
    for (Warning& warning : nested->warnings) {
        warning.modulePath = warning.modulePath.empty() ? saved.path : saved.path + "." + warning.modulePath;
        outer.warnings.push_back(std::move(warning));
    }
    nested->warnings.clear();
    outer.notLoadable |= nested->notLoadable;
    *saved.module = *nested->root;
    saved.module->graphModule = std::move(nested);
}

} // namespace

void traceGraphModules(std::vector<ModuleReader::Traced>& saved, const std::string& path, GraphModule& outer,
                       const PickleArena& arena, const Retrace& retrace, const Progress& progress) {
    for (auto each = saved.rbegin(); each != saved.rend(); ++each) {
        each->path = each->path.empty() ? path : path + "." + each->path;
        traceNested(*each, outer, arena, retrace, progress);
    }
}

std::shared_ptr<GraphModule> readGraphModule(const std::shared_ptr<TorchFile>& file, const Retrace& retrace,
                                             const Progress& progress) {
    trace::Allowance allowance(trace::Allowance::kMostStatements, progress); // of all GraphModules in the file
    const trace::Spending spending(allowance);
    const PickleArena& arena = file->arena();
    auto result = std::make_shared<GraphModule>();
    result->path = file->path();
    try {
        ModuleReader reader(*file);
        (void)reader.read(arena.root());
        progress.check();
        std::vector<ModuleReader::Traced>& saved = reader.graphModules();
        // Inner ones first, as Python unpickles them.
        for (std::size_t i = saved.size(); i-- > 1; progress.check())
            traceNested(saved[i], *result, arena, retrace, progress);
        traceSaved(*result, saved.front(), arena, retrace, progress);
        append(result->warnings, file->warnings);
        append(result->warnings, reader.warnings());
        auto origin = std::make_shared<GraphModuleOrigin>(file);
        origin->body = saved.front().body;
        origin->loadedGraphs.emplace(arena.root(), result->graph);
        for (const ModuleReader::Traced& each : saved)
            if (each.module->graphModule)
                origin->loadedGraphs.emplace(file->objectAt(each.module->origin), each.module->graphModule->graph);
        result->origin = std::move(origin);
    } catch (Error& error) {
        if (error.file.empty()) error.in(file->path());
        throw;
    }
    return result;
}

} // namespace fx
