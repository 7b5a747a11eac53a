// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/trace_file.h"

#include "core/files/read_text.h"
#include "core/pysrc/parser.h"
#include "core/pysrc/source_error.h"
#include "core/python/interpreter.h"
#include "core/python/source_scopes.h"
#include "core/python/trace_forward.h"

#include <algorithm>
#include <filesystem>

namespace fx {

using namespace python;

std::optional<SourcePath> splitSourcePath(const std::string& model) {
    const auto at = model.rfind(".py");
    if (at == std::string::npos || (at + 3 != model.size() && model[at + 3] != ':')) return std::nullopt;
    return SourcePath{model.substr(0, at + 3), at + 3 < model.size() ? model.substr(at + 4) : std::string()};
}

namespace {

/// One trace: the file runs, the class is constructed, its forward is followed.
class FileTrace {
public:
    FileTrace(const std::string& file, const SourceOptions& options, const Progress& progress)
        : m_options(options), m_sources(file, readTextFile(file, Sources::kMaxBytes), options.paths),
          m_random(options.seed, options.weights, progress), m_in(m_sources, m_random, progress) {}

    std::shared_ptr<GraphModule> run() {
        auto made = std::make_shared<GraphModule>();
        GraphModule unused; // a constructor records nothing
        trace::ModuleIndex noModules(*unused.root);
        trace::Tracer constructing(unused.graph, noModules, trace::Tracer::Mode::AsPython);
        try {
            m_in.recordWith(constructing, false);
            m_in.leafTypes = m_options.leafs;
            const Value main = m_in.importModule(m_sources.main().name, true);
            m_file = main.as<SourceFile>();
            m_in.run(*m_file);
            const Value target = find();
            Value self = target.as<Instance>() ? target : Value();
            if (target.as<Class>()) self = construct(target);
            if (self.isSet()) made->root = self.as<Instance>()->module;
            m_in.syncModules();
            made->className = m_name;
            trace::ModuleIndex index(*made->root);
            trace::Tracer tracer(made->graph, index, trace::Tracer::Mode::AsPython);
            tracer.setLenient(m_options.proxyBuffers);
            m_in.recordWith(tracer, true);
            m_in.failedIn.clear();
            const auto scopes = std::make_shared<SourceScopes>();
            m_in.scopes = scopes.get();
            traceForward(m_in, self.isSet() ? self : target, m_options.concrete);
            m_in.scopes = nullptr;
            made->origin = scopes;
            made->warnings = std::move(tracer.warnings);
        } catch (const Raised& raised) {
            throw failed(Message("python.raised", {{"text", m_in.describe(raised)}}));
        } catch (const trace::Stop& stop) {
            throw failed(stop.message());
        } catch (const Error& error) { // of a module that cannot be made
            if (error.kind() != ErrorKind::Refused) throw;
            throw failed(error.message());
        }
        made->format = Format::Python;
        made->path = m_sources.main().path;
        return made;
    }

    /// Whether values of weights were asked for that have none.
    bool missedValues() const { return m_in.missedValues; }

private:
    Error failed(const Message& why) const {
        std::vector<Place> places = m_in.failedIn;
        if (places.empty()) places.push_back(m_in.here());
        std::erase_if(places, [](const Place& place) { return !place.file || place.file->path.empty(); });
        Error error(
            ErrorKind::Refused,
            Message("trace.source_failed", {{"name", m_name.empty() ? "the source" : m_name}, {"reason", why.text()}}));
        const std::string hint = why.hint();
        if (!hint.empty()) error.hinting(hint);
        error.onModule(m_in.failedModule);
        if (places.empty()) return error.in(m_sources.main().path);
        const Place& last = places.back();
        const Error place = py::sourceError(last.file->text, last.offset, why);
        std::string where = place.where;
        for (std::size_t i = places.size() - 1; i-- > 0 && places.size() - i < 8;)
            where += (i + 2 == places.size() ? ", called from " : ", ") +
                     std::filesystem::path(places[i].file->path).filename().string() + ":" +
                     std::to_string(py::lineOf(places[i].file->text, places[i].offset));
        const std::string_view before = std::string_view(last.file->text).substr(0, last.offset);
        const std::size_t lineStart = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
        error.in(last.file->path)
            .at(where)
            .quoting(place.source + "\n" + std::string(std::min<std::size_t>(last.offset - lineStart, 200), ' ') + "^");
        return error;
    }

    /// The class or function with the name that was asked for, or the only nn.Module class, or the only function.
    Value find() {
        Names& names = m_in.run(*m_file).names;
        if (m_options.name.find('(') != std::string::npos) return evaluated();
        if (!m_options.name.empty()) {
            m_name = m_options.name;
            Value* found = names.find(m_name);
            const Value value = found ? m_in.forced(*found) : Value();
            if (const auto* lost = value.as<Opaque>())
                throw trace::CannotFollow(Message("trace.unknown_import", {{"name", lost->path}}));
            if (value.as<Class>() && value.as<Class>()->isModule) return value;
            if (value.as<Function>()) return value;
            throw trace::CannotFollow(Message("trace.undefined"));
        }
        std::vector<std::string> classes, functions;
        for (const auto& [name, value] : names.items()) {
            const auto* type = value.as<Class>();
            if (type && type->isModule && type->file == m_file) classes.push_back(name);
            if (const auto* function = value.as<Function>(); function && function->file == m_file)
                functions.push_back(name);
        }
        const auto& wanted = classes.empty() ? functions : classes;
        if (wanted.size() == 1) {
            m_name = wanted[0];
            return *names.find(m_name);
        }
        std::string all;
        for (const std::string& name : wanted) all += (all.empty() ? "" : ", ") + name;
        throw Error(ErrorKind::Refused, wanted.empty() ? Message("trace.no_candidate")
                                                       : Message("trace.several_candidates", {{"names", all}}))
            .in(m_sources.main().path);
    }

    /// `net.py:make_net(depth=18)`: a call in the scope of the file.
    Value evaluated() {
        m_name = m_options.name.substr(0, m_options.name.find('('));
        m_call = std::make_unique<py::Parser>(m_options.name, py::Grammar::Full);
        const Value made = m_in.evaluate(*m_call->expression(), *m_file->globals);
        const auto* instance = made.as<Instance>();
        if (const auto* opaque = made.as<Opaque>())
            throw trace::CannotFollow(Message("trace.unknown_import", {{"name", opaque->path}}));
        if (!instance || !instance->module)
            throw trace::CannotFollow(Message("make.not_a_module", {{"name", m_options.name}}));
        m_name = instance->type->name;
        return made;
    }

    Value construct(const Value& type) {
        Values args;
        Keywords kwargs;
        for (const Argument& arg : m_options.args) args.push_back(m_in.fromTrace(trace::fromArgument(arg)));
        for (const auto& [key, value] : m_options.kwargs)
            kwargs.emplace_back(key, m_in.fromTrace(trace::fromArgument(value)));
        return m_in.call(type, std::move(args), std::move(kwargs));
    }

    const SourceOptions& m_options;
    Sources m_sources;
    TorchGenerator m_random;
    Interpreter m_in;
    SourceFile* m_file = nullptr;
    std::string m_name;
    std::unique_ptr<py::Parser> m_call;
};

} // namespace

std::shared_ptr<GraphModule> traceFile(const std::string& file, const SourceOptions& options,
                                       const Progress& progress) {
    if (options.weights == NewWeights::ShapesOnly) {
        FileTrace trace(file, options, progress);
        try {
            return trace.run();
        } catch (const Error&) {
            if (!trace.missedValues()) throw;
        }
    }
    SourceOptions drawn = options;
    drawn.weights = NewWeights::Drawn;
    return FileTrace(file, drawn, progress).run();
}

} // namespace fx
