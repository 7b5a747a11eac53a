// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/graphmodule/pickled_calls.h"

#include "core/base/joined_path.h"
#include "core/base/one_of.h"
#include "core/diag/error.h"
#include "core/io/graphmodule/graphmodule_reader.h"
#include "core/ops/reach.h"

#include <algorithm>
#include <unordered_set>

namespace fx {
namespace {

/// Functions and classes that do nothing but make an object of what they are given.
bool makesPlainObject(std::string_view name) {
    static constexpr std::string_view kPlain[] = {"_codecs.encode",
                                                  "builtins.bytearray",
                                                  "builtins.bytes",
                                                  "builtins.complex",
                                                  "builtins.dict",
                                                  "builtins.frozenset",
                                                  "builtins.getattr",
                                                  "builtins.list",
                                                  "builtins.object",
                                                  "builtins.range",
                                                  "builtins.set",
                                                  "builtins.slice",
                                                  "builtins.tuple",
                                                  "collections.Counter",
                                                  "collections.OrderedDict",
                                                  "collections.defaultdict",
                                                  "collections.deque",
                                                  "copyreg._reconstructor",
                                                  "datetime.date",
                                                  "datetime.datetime",
                                                  "datetime.timedelta",
                                                  "decimal.Decimal",
                                                  "fractions.Fraction",
                                                  "functools.partial",
                                                  "numpy._core.multiarray._reconstruct",
                                                  "numpy._core.multiarray.scalar",
                                                  "numpy.core.multiarray._reconstruct",
                                                  "numpy.core.multiarray.scalar",
                                                  "numpy.dtype",
                                                  "numpy.ndarray",
                                                  "pathlib.PosixPath",
                                                  "pathlib.WindowsPath",
                                                  "torch.Size",
                                                  "torch.device",
                                                  "torch.nn.parameter.UninitializedBuffer",
                                                  "torch.nn.parameter.UninitializedParameter",
                                                  "torch.serialization._get_layout"};
    return isOneOf(name, kPlain);
}

/// Walks the objects that ObjectWriter writes as they were, with a stack.
class CallFinder {
public:
    CallFinder(const GraphModule& model, const GraphModuleOrigin& origin)
        : m_model(model), m_origin(origin), m_arena(origin.file->arena()) {}

    std::vector<PickledCall> find() {
        std::vector<std::pair<std::string, PickleRef>> modules;
        forEachModule(*m_model.root, [&](const std::string& path, const Module& module) {
            const PickleRef object = path.empty() ? m_arena.root() : m_origin.file->objectAt(module.origin);
            if (object != kNoPickle && m_met.insert(object).second) modules.emplace_back(path, object);
        });
        for (const auto& [path, object] : modules) lookInModule(path, object);
        return std::move(m_found);
    }

private:
    void lookInModule(const std::string& path, PickleRef object) {
        const bool isGraphModule = ModuleReader::isGraphModule(m_arena, object);
        PickleRef fields = m_arena.state(object);
        if (isGraphModule) fields = m_arena.items(m_arena.args(object))[0];
        else if (m_arena.is(object, PickleKind::Reduce)) lookAtCall(object, path); // the tree shows classes
        const bool isDict = fields != kNoPickle && (m_arena.is(fields, PickleKind::Dict) ||
                                                    m_arena.isCallOf(fields, "collections.OrderedDict"));
        if (!isGraphModule && isCall(m_arena.kind(object))) look(m_arena.args(object), path);
        if (!isDict && fields != kNoPickle) look(fields, path);
        if (isDict)
            for (const auto& [name, value] : textEntries(m_arena, fields)) {
                const bool isOwn = name == "_parameters" || name == "_buffers" || name == "_modules";
                look(value, isOwn ? path : joinedPath(path, name));
            }
    }

    void look(PickleRef from, const std::string& place) {
        std::vector<PickleRef> open{from};
        while (!open.empty()) {
            const PickleRef ref = open.back();
            open.pop_back();
            if (ref == kNoPickle || !m_met.insert(ref).second) continue;
            const PickleKind kind = m_arena.kind(ref);
            if (isCall(kind)) {
                lookAtCall(ref, place);
                for (const PickleRef part : {m_arena.callee(ref), m_arena.args(ref), m_arena.state(ref)})
                    open.push_back(part);
            }
            const bool holds = isCall(kind) || kind == PickleKind::Tuple || kind == PickleKind::List ||
                               kind == PickleKind::Dict || kind == PickleKind::Set || kind == PickleKind::FrozenSet;
            if (!holds) continue;
            for (const PickleRef item : m_arena.items(ref)) open.push_back(item);
            for (const PickleRef item : m_arena.pairs(ref)) open.push_back(item);
        }
    }

    void lookAtCall(PickleRef call, const std::string& place) {
        if (!isCall(m_arena.kind(call))) return;
        const PickleRef callee = m_arena.callee(call);
        std::string name = m_arena.qualifiedName(callee);
        if (name.empty() && callee != kNoPickle && isCall(m_arena.kind(callee)))
            name = m_arena.qualifiedName(m_arena.callee(callee)) + "(…)";
        if (!isHarmless(call, name) && m_names.insert(name).second) m_found.push_back({name, place});
    }

    bool isHarmless(PickleRef call, const std::string& name) const {
        if (makesPlainObject(name)) return true;
        if (!name.starts_with("torch.") || ops::reachesOutside(name)) return false;
        if (name.starts_with("torch._utils._rebuild_") || name.starts_with("torch._tensor._rebuild_")) return true;
        if (m_arena.kind(call) != PickleKind::Reduce) return true; // an object of a class, without __init__
        const std::vector<PickleRef> args = m_arena.items(m_arena.args(call));
        return args.empty() || (args.size() == 1 && m_arena.is(args[0], PickleKind::Int)); // a member of an enum
    }

    const GraphModule& m_model;
    const GraphModuleOrigin& m_origin;
    const PickleArena& m_arena;
    std::unordered_set<PickleRef> m_met;
    std::unordered_set<std::string> m_names;
    std::vector<PickledCall> m_found;
};

} // namespace

std::vector<PickledCall> pickledCalls(const GraphModule& model) {
    const auto* origin = dynamic_cast<const GraphModuleOrigin*>(model.origin.get());
    return origin ? CallFinder(model, *origin).find() : std::vector<PickledCall>();
}

void writeGlobal(Pickler& pickler, std::string_view module, std::string_view name) {
    const MessageArgument type("type", std::string(module) + '.' + std::string(name));
    if (module == "torch.nn.utils.parametrize" && name.starts_with("Parametrized"))
        throw Error(ErrorKind::Refused, Message("graphmodule.parametrized", {type}));
    if (name.find('<') != name.npos) // "make.<locals>.Net", "<lambda>"
        throw Error(ErrorKind::Refused, Message("graphmodule.made_by_function", {type}));
    pickler.global(module, name);
}

} // namespace fx
