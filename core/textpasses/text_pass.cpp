// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/textpasses/text_pass.h"

#include "core/base/listed.h"
#include "core/files/read_text.h"
#include "core/pysrc/source_error.h"
#include "core/python/execution/missing_names.h"
#include "core/python/tracing/source_reader.h"
#include "core/python/tracing/trace_file.h"
#include "core/textpasses/computations.h"
#include "core/textpasses/graph_objects.h"

#include <algorithm>

namespace fx {

using namespace python;

namespace {

/// The same tree of new modules and tensors, which share only their bytes with the old ones: what a pass changes in
/// place is its own.
class ModelCopy {
public:
    explicit ModelCopy(const std::shared_ptr<Module>& root) {
        copy(root);
        for (std::size_t i = 0; i < m_modules.size(); ++i) {
            const std::shared_ptr<Module> module = m_modules[i].second;
            for (auto& child : module->children)
                if (child.module) child.module = copy(child.module);
            forEachOwnTensor(*module, [&](const std::string&, TensorPtr& tensor) { tensor = copy(tensor); });
        }
    }
    const std::shared_ptr<Module>& root() const { return m_modules.front().second; }

    /// Tensors of the tree that are as they were become the old ones again.
    void restoreTensors(const Module& root) const {
        forEachModule(root, [&](const std::string&, const Module& module) {
            forEachOwnTensor(const_cast<Module&>(module),
                             [&](const std::string&, TensorPtr& tensor) { // the tree is the pass's own
                                 if (const auto old = m_oldTensors.find(tensor.get());
                                     old != m_oldTensors.end() && isSame(*tensor, *old->second))
                                     tensor = old->second;
                             });
        });
    }
    bool isChanged() const {
        return std::any_of(m_modules.begin(), m_modules.end(),
                           [&](const auto& each) { return isChanged(*each.first, *each.second); });
    }

    /// Modules that are as they were, with all below them, become the old ones again; call it last.
    void restoreModules(std::shared_ptr<Module>& root) const {
        std::unordered_map<const Module*, std::shared_ptr<Module>> old, now; // by module of the pass
        for (const auto& [before, after] : m_modules)
            if (!isChanged(*before, *after)) old.emplace(after.get(), before);
        for (std::vector<std::shared_ptr<Module>> open{root}; !open.empty();) {
            const std::shared_ptr<Module> module = open.back();
            const std::size_t depth = open.size();
            for (const auto& child : module->children)
                if (child.module && !now.contains(child.module.get())) open.push_back(child.module);
            if (open.size() > depth) continue; // what is below comes first
            open.pop_back();
            if (now.contains(module.get())) continue;
            bool isOld = old.contains(module.get());
            for (auto& child : module->children)
                if (child.module) isOld &= child.module != now.at(child.module.get());
            for (auto& child : module->children)
                if (child.module) child.module = now.at(child.module.get());
            now.emplace(module.get(), isOld ? old.at(module.get()) : module);
        }
        root = now.at(root.get());
    }

private:
    static bool isSame(const TensorRef& a, const TensorRef& b) {
        return a.storage == b.storage && a.offset == b.offset && a.dtype == b.dtype && a.sizes == b.sizes &&
               a.strides == b.strides && a.isParameter == b.isParameter && a.requiresGrad == b.requiresGrad;
    }
    bool isChanged(const Module& before, const Module& after) const;
    std::shared_ptr<Module> copy(const std::shared_ptr<Module>& module) {
        auto& made = m_newModules[module.get()];
        if (!made) m_modules.emplace_back(module, made = std::make_shared<Module>(*module));
        return made;
    }
    TensorPtr copy(const TensorPtr& tensor) {
        auto& made = m_newTensors[tensor.get()];
        if (!made) m_oldTensors.emplace((made = std::make_shared<TensorRef>(*tensor)).get(), tensor);
        return made;
    }

    std::vector<std::pair<std::shared_ptr<Module>, std::shared_ptr<Module>>> m_modules; ///< the root first
    std::unordered_map<const Module*, std::shared_ptr<Module>> m_newModules;
    std::unordered_map<const TensorRef*, TensorPtr> m_newTensors, m_oldTensors;
};

bool ModelCopy::isChanged(const Module& before, const Module& after) const {
    const auto sameSlots = [](const auto& a, const auto& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
            return x.name == y.name && x.tensor == y.tensor && x.persistent == y.persistent;
        });
    };
    const auto sameChild = [&](const Module::Child& a, const Module::Child& b) {
        return a.name == b.name && (a.module ? m_newModules.at(a.module.get()) == b.module : !b.module);
    };
    return before.training != after.training || before.graphModule != after.graphModule ||
           before.attributes != after.attributes || !sameSlots(before.parameters, after.parameters) ||
           !sameSlots(before.buffers, after.buffers) ||
           !std::equal(before.children.begin(), before.children.end(), after.children.begin(), after.children.end(),
                       sameChild);
}

constexpr std::size_t kMostPrinted = 10'000; ///< lines

/// One run of a pass in text.
class TextPass {
public:
    TextPass(const SourcePath& path, std::string text, const PassRun& run)
        : m_path(path), m_run(run), m_sources(path.file, std::move(text), {}),
          m_random(0, NewWeights::Drawn, run.progress), m_in(m_sources, m_random, run.progress) {
        m_random.chargeDrawing();
        if (run.engine) {
            m_in.machine = &m_machine.emplace(*run.engine);
            m_machine->isTrying = [this] { return m_in.stack().isTrying(); };
        }
        if (run.notes)
            m_in.printed = [&notes = *run.notes](const std::string& line) {
                if (notes.size() < kMostPrinted)
                    notes.push_back({Message("passes.printed", {{"text", line}}), {}, {}, {}});
            };
    }

    bool run() {
        const trace::Spending spending(m_in.allowance());
        const ModelCopy copy(m_run.model.root);
        if (m_machine) m_machine->readConstantsOf(m_run.model.root);
        const Graph before = m_run.model.graph;
        GraphModule unused; // what a pass computes is not recorded
        trace::ModuleIndex noModules(*unused.root);
        trace::Tracer computing(unused.graph, noModules, trace::Tracer::Mode::AsPython);
        try {
            m_run.model.root = copy.root();
            computing.setConstantWatch(m_in.machine);
            m_in.recordWith(computing, false);
            GraphObjects objects(m_in, m_run.model);
            objects.lintExplained = &m_lintExplained;
            if (m_run.watch) objects.frozen = &m_run.watch->frozen();
            if (m_run.watch && m_run.watch->isWatched()) {
                m_last = m_run.model;
                m_in.looped = [this](const Value& item, std::size_t offset) { loop(item, offset); };
            }
            m_file = m_in.importModule(m_sources.main().name, true).as<SourceFile>();
            m_in.run(*m_file);
            const Result result = resultOf(call(find(), objects), objects);
            m_in.builtins().finishLine();
            requireLint(objects.graphOf(result.module.get<Instance>()));
            if (objects.awaitsRecompile(result.module))
                m_run.warnings.push_back({Message("passes.no_recompile"), {}, {}, {}});
            objects.finish(result.module);
            if (m_machine) m_machine->finish(*m_run.model.root, {});
            copy.restoreTensors(*m_run.model.root);
            const bool changed = isChanged(before) || copy.isChanged();
            copy.restoreModules(m_run.model.root);
            if (!finishRewrites(changed)) return isChanged(before);
            return result.modified.isSet() ? m_in.truth(result.modified) : changed;
        } catch (const Vetoed&) {
            m_run.model = std::move(m_last);
            return isChanged(before);
        } catch (const Raised& raised) { throw failed(messageOf(m_in, raised)); } catch (const trace::Stop& stop) {
            throw failed(stop.message());
        } catch (const Error& error) {
            const bool isOfPass = error.kind() == ErrorKind::Refused || error.kind() == ErrorKind::Run;
            if (!isOfPass || !error.where.empty()) throw;
            throw failed(error.message());
        }
    }

private:
    struct Vetoed {}; ///< an instrument forbids a rewrite, so that the pass ends here

    bool isChanged(const Graph& before) const {
        const GraphDifference difference = m_run.model.graph.differenceFrom(before);
        return !difference.nodes.empty() || !difference.places.empty();
    }

    /// The outermost loop over nodes of the model is a walk; loops within it belong to its rounds.
    void loop(const Value& item, std::size_t offset) {
        if (item.isSet() && !m_walk) {
            const auto* node = item.as<NodeObject>();
            if (node && node->graph->graph == &m_run.model.graph) m_walk = offset;
        }
        if (m_walk != offset) return;
        const auto* node = item.isSet() ? item.as<NodeObject>() : nullptr;
        reach(node ? node->id : kNoNode);
        if (!item.isSet()) m_walk.reset();
    }

    /// A walk over the nodes goes on to the next one: what changed since is a rewrite at the node before. What is still
    /// to be computed has no bytes yet, so then the rest of the pass is one rewrite.
    void reach(NodeId next) {
        const NodeId at = std::exchange(m_at, next);
        m_wholes = m_wholes || (m_machine && m_machine->isUsed());
        if (at == kNoNode || m_wholes || !isChanged(m_last.graph)) return;
        if (m_cloned += m_run.model.graph.size(); m_cloned > kMostCloned) m_wholes = true; // the rest is one rewrite
        if (m_wholes) return;
        GraphModule now = m_run.model;
        now.root = ModelCopy(m_run.model.root).root(); // which the pass goes on to change
        if (!m_run.watch->beginAnywhere(at, m_last)) throw Vetoed();
        m_last = std::move(now);
        m_run.watch->end(m_last);
    }

    /// What was done after the walks; false: it is undone again.
    bool finishRewrites(bool changed) {
        if (!m_run.watch) return true;
        const bool any = m_run.watch->made() > 0;
        if (m_run.watch->isWatched() && (any ? !isChanged(m_last.graph) : !changed)) return true;
        const NodeId first = m_last.graph.first() == kNoNode ? m_run.graph().first() : m_last.graph.first();
        const GraphModule& shown = m_run.watch->isWatched() ? m_last : m_run.model;
        if (first != kNoNode && !m_run.watch->beginAnywhere(m_at == kNoNode ? first : m_at, shown)) {
            m_run.model = std::move(m_last);
            return false;
        }
        m_run.watch->end(m_run.model);
        return true;
    }

    bool isTransformer(const Class& type) { return type.derivesFrom(m_in.resolve("torch.fx.Transformer").as<Class>()); }

    bool isPass(const Value& value) {
        if (const auto* function = value.as<Function>()) return function->file == m_file;
        const auto* type = value.as<Class>();
        const auto* base = m_in.resolve("torch.fx.passes.infra.pass_base.PassBase").as<Class>();
        return type && type->file == m_file && (type->derivesFrom(base) || isTransformer(*type));
    }

    Value find() {
        Names& names = m_in.run(*m_file).names;
        if (!m_path.name.empty()) {
            const Value* found = names.find(m_path.name);
            if (!found)
                throw Error(ErrorKind::Refused, Message("passes.text_unknown", {{"name", m_path.name}}))
                    .in(m_path.file)
                    .at("the file");
            return m_in.forced(*found);
        }
        if (const Value* rules = names.find("decomposition_rules"); rules && rules->as<python::Dict>()) return *rules;
        std::vector<std::string> classes, functions;
        for (const auto& [name, value] : names.items())
            if (isPass(value) && !name.starts_with('_')) (value.as<Class>() ? classes : functions).push_back(name);
        const auto& wanted = classes.empty() ? functions : classes;
        if (wanted.size() == 1) return *names.find(wanted.front());
        const std::string all = joined(wanted);
        throw Error(ErrorKind::Refused, Message("passes.text_name", {{"names", all}})).in(m_path.file).at("the file");
    }

    Value call(const Value& pass, GraphObjects& objects) {
        if (pass.as<python::Dict>()) return m_in.call(m_in.resolve("torch.fx._decompose"), {objects.module(), pass});
        const auto* type = pass.as<Class>();
        if (!type) return m_in.call(pass, {objects.module()});
        if (!isTransformer(*type)) return m_in.call(m_in.call(pass, {}), {objects.module()});
        return m_in.call(m_in.attribute(m_in.call(pass, {objects.module()}), "transform"), {});
    }

    /// What a pass returned: the model or a new GraphModule, and whether it says that it changed anything.
    struct Result {
        Value module, modified;
    };

    Result resultOf(const Value& result, GraphObjects& objects) {
        if (!result.isSet() || result.isNone() || result.isNumber() || result.as<GraphObject>())
            return {objects.module(), {}};
        if (objects.isGraphModule(result)) return {result, {}};
        if (auto* instance = result.as<Instance>(); instance && instance->type->name == "PassResult") {
            const Value module = m_in.attribute(result, "graph_module");
            if (objects.isGraphModule(module)) return {module, m_in.attribute(result, "modified")};
        }
        throw trace::CannotFollow(Message("passes.text_result", {{"value", m_in.repr(result)}}));
    }

    /// Problems that the pass has made are reported with its line; whoever runs passes finds the others.
    void requireLint(const GraphObject& graph) const {
        for (const LintProblem& problem : lint(*graph.graph))
            if (const auto cause = graph.mistakes.explain(*graph.graph, problem))
                throw explained(Error(ErrorKind::Refused, problem.message), *cause)
                    .onNode(graph.graph->node(problem.node).name());
    }

    static Error explained(Error error, const PassMistakes::Explanation& cause) {
        if (!cause.hint.text().empty()) error.hinting(cause.hint.text());
        if (!cause.place || !cause.place->file || cause.place->file->path.empty()) return error;
        const SourceFile& file = *cause.place->file;
        const Error place = py::sourceError(file.text, cause.place->offset, error.message());
        error.in(file.path).at(place.textPlace).quoting(place.source);
        return error;
    }

    /// With the line of the file where it happened, or that led to it.
    Error failed(const Message& why) const {
        std::vector<Place> places = m_in.stack().failedIn;
        if (places.empty()) places.push_back(m_in.stack().here);
        std::erase_if(places, [](const Place& place) { return !place.file || place.file->path.empty(); });
        Error error(ErrorKind::Refused, why);
        error.in(m_path.file);
        if (const auto remedy = remedyOfPassError(why.text())) error.hinting(remedy->text());
        if (trace::isSpent(why) && m_run.model.graph.size() > 2 * m_sizeBefore + kFewNodes)
            error.hinting(Message("passes.walk_grows").text());
        if (m_lintExplained && why.text().find("Argument '") != std::string::npos)
            return explained(std::move(error), *m_lintExplained);
        if (places.empty()) return error;
        const Place& last = places.back();
        const Error place = py::sourceError(last.file->text, last.offset, why);
        return error.in(last.file->path).at(place.textPlace).quoting(place.source);
    }

    const SourcePath& m_path;
    const PassRun& m_run;
    Sources m_sources;
    TorchGenerator m_random;
    Interpreter m_in;
    std::optional<Computations> m_machine; ///< where there is a worker
    SourceFile* m_file = nullptr;
    std::optional<PassMistakes::Explanation> m_lintExplained;
    static constexpr std::size_t kFewNodes = 1000; ///< that a pass may add to a small graph
    const std::size_t m_sizeBefore = m_run.model.graph.size();

    static constexpr std::size_t kMostCloned = 4'000'000; ///< nodes in all versions that are kept
    GraphModule m_last;                                   ///< after the last rewrite, while something watches
    NodeId m_at = kNoNode;                                ///< where a walk over the nodes is
    std::optional<std::size_t> m_walk;                    ///< the place of the loop that walks over them
    std::size_t m_cloned = 0;
    bool m_wholes = false;
};

} // namespace

PassRequest textPass(const std::string& path, std::optional<std::string> text, const Readers& readers) {
    const auto source = splitSourcePath(path);
    if (!source) throw Error(ErrorKind::Usage, Message("passes.text_path", {{"path", path}}));
    PassRequest request{source->name.empty() ? source->file : source->name, {}};
    request.own = [source = *source, text = std::move(text), reader = readers.python](const PassRun& run) {
        if (run.graph().first() == kNoNode) return false;
        const std::string content = text ? *text : readTextFile(source.file, Sources::kMaxBytes);
        if (reader) reader->rehearse(source.file, source.name, content, run);
        return TextPass(source, content, run).run();
    };
    return request;
}

OwnPassReader textPasses(const Readers& readers) {
    return [readers](const std::string& path, const JsonValue& text) {
        return textPass(path, text.exists() ? std::optional(std::string(text.asText())) : std::nullopt, readers);
    };
}

ModelCheck textCheck(const std::string& path, const Readers& readers) {
    return [request = textPass(path, {}, readers)](const GraphModule& model) {
        static const std::vector<PassSetting> kNone;
        GraphModule copy = model;
        Warnings warnings;
        const Progress progress;
        request.own(PassRun{copy, PassSettings(kNone, {}), warnings, progress});
    };
}

} // namespace fx
