// SPDX-License-Identifier: GPL-3.0-or-later
// Files and imports. A file runs when one of its names is used for the first time.
#include "core/base/one_of.h"
#include "core/ops/python_functions.h"
#include "core/pysrc/source_error.h"
#include "core/python/execution/missing_names.h"
#include "core/python/imports/lost_names.h"
#include "core/python/imports/nonlocals.h"
#include "core/python/python_interpreter.h"
#include "core/python/tracing/call_rules.h"

#include <algorithm>
#include <filesystem>
#include <unordered_set>

namespace fx::python {
using trace::CannotFollow;
using trace::PythonError;
using Kind = py::StmtKind;

namespace {
bool isTabled(const std::string& module) {
    const std::string_view first = std::string_view(module).substr(0, module.find('.'));
    return first == "torch" || first == "operator" || first == "_operator" || first == "math" || first == "typing" ||
           first == "typing_extensions";
}
std::string parentFolder(const std::string& path) { return path.substr(0, path.rfind('/')); }
std::string parentOf(const std::string& module) {
    const std::size_t dot = module.rfind('.');
    return dot == std::string::npos ? "" : module.substr(0, dot);
}
/// The absolute name of `from .x import y` in a file.
std::string absolute(const SourceFile& from, std::string_view module) {
    if (!module.starts_with('.')) return std::string(module);
    std::string base = from.isPackage ? from.name : parentOf(from.name);
    std::size_t dots = 0;
    while (dots < module.size() && module[dots] == '.') ++dots;
    for (std::size_t i = 1; i < dots; ++i) base = parentOf(base);
    const std::string rest(module.substr(dots));
    if (base.empty()) return rest;
    return rest.empty() ? base : base + "." + rest;
}
} // namespace

void Imports::addLoaded() {
    m_loaded = heap().make<Dict>();
    for (const char* name : {"torch", "torch.nn", "torch.nn.functional", "torch.fx", "math", "operator", "typing"})
        m_loaded->set(text(name), heap().make<Space>(name));
    m_in.builtins().names().set("__modules__", m_loaded); // sys.modules
}

namespace {
/// Modules of PyTorch with a text of Lancet that `import torch` does not load.
constexpr std::string_view kSeparate[] = {"torch.nn.utils.prune", "torch.utils.mkldnn", "torch.utils.model_zoo",
                                          "torch.fx.passes.pass_manager"};
/// Parts of Lancet's texts that PyTorch does not have.
constexpr std::string_view kHidden[] = {"torch.fx._readable", "torch.nn.modules._checks"};
} // namespace

bool Imports::isVisible(const std::string& module) const {
    return !fx::isOneOf(module, kHidden) && (!fx::isOneOf(module, kSeparate) || m_separate.contains(module));
}

/// Lancet's own texts import more than PyTorch's do.
void Imports::noteImport(const SourceFile& from, const std::string& module) {
    const bool isOwn = from.path.empty() && !from.isGenerated;
    if (!isOwn && fx::isOneOf(module, kSeparate)) m_separate.insert(module);
}

Value Imports::importModule(const std::string& name, bool mustExist) {
    if (fx::isOneOf(name, kHidden)) return mustExist ? Value(heap().make<Opaque>(name)) : Value();
    if (isTabled(name))
        return heap().make<Space>(name.starts_with("typing_extensions") ? "typing" + name.substr(17) : name);
    if (const auto known = m_files.find(name); known != m_files.end()) return known->second;
    const auto found = m_sources.find(name);
    if (!found) return mustExist ? Value(heap().make<Opaque>(name)) : Value();
    return addFile(*found);
}

SourceFile* Imports::ownFile(const std::string& name) {
    if (const auto known = m_files.find(name); known != m_files.end()) return known->second;
    const auto own = ownModule(name);
    return own.empty() ? nullptr : addFile({name, "", std::string(own), false, false});
}

SourceFile* Imports::addFile(const Sources::Found& found) {
    SourceFile* file = heap().make<SourceFile>();
    file->name = found.name;
    file->path = found.path;
    file->isPackage = found.isPackage;
    file->text = found.text;
    file->globals = heap().make<Scope>();
    file->globals->file = file;
    m_files.emplace(found.name, file);
    return file;
}

Scope& Imports::runText(const std::string& name, std::string text) {
    SourceFile* file = addFile({name, "", std::move(text), false, false});
    file->isGenerated = true;
    return run(*file);
}

namespace {
void noteEnds(SourceFile& file) {
    file.ends.reserve(file.tree->size());
    for (std::size_t at = 0; at < file.tree->size(); ++at)
        file.ends.push_back(static_cast<std::uint32_t>(file.tree->bodyEnd(at)));
}
} // namespace

Scope& Imports::run(SourceFile& file) {
    if (file.started) return *file.globals;
    file.started = true;
    const CallRules::Pause pause(m_in);
    m_loaded->set(text(file.name), &file);
    try {
        const bool isTyped = m_in.syntaxErrors && file.path == m_sources.main().path;
        file.tree = isTyped ? std::make_unique<py::SourceTree>(file.text, *m_in.syntaxErrors)
                            : std::make_unique<py::SourceTree>(file.text);
        noteEnds(file);
        const auto unbound = unboundNonlocal(file);
        if (unbound && !isTyped) throw *unbound;
        if (unbound) m_in.syntaxErrors->push_back(*unbound);
    } catch (Error& error) {
        if (file.path != m_sources.main().path)
            raise("SyntaxError", error.what() + std::string(" (") + file.path + ", " + error.where + ")");
        if (error.file.empty()) error.in(file.path);
        throw;
    }
    file.globals->names.set("__name__", text(file.name));
    const std::size_t dot = file.name.rfind('.');
    const std::string above = dot == std::string::npos ? "" : file.name.substr(0, dot);
    file.globals->names.set("__package__", text(file.isPackage ? file.name : above));
    file.globals->names.set("__file__",
                            text(file.path.empty() ? file.path : std::filesystem::absolute(file.path).string()));
    file.globals->names.set("__doc__", Value::none());
    if (file.isPackage) file.globals->names.set("__path__", listOf({text(parentFolder(file.path))}));
    declare(file);
    runModuleLevel(file);
    return *file.globals;
}

std::string Imports::sourceOf(const py::Expr& expr, const SourceFile& file) {
    return expr.end > expr.offset ? file.text.substr(expr.offset, expr.end - expr.offset) : std::string();
}

/// Notes what `if TYPE_CHECKING:` imports: packages that load their parts when they are used say there what they have.
void Imports::declare(SourceFile& file) {
    const py::SourceTree& tree = *file.tree;
    for (std::size_t at = 0; at < tree.size(); at = file.ends[at]) {
        if (tree[at].kind == Kind::ImportFrom && tree[at].text == "__future__")
            for (const auto& imported : tree[at].imports) file.hasTextAnnotations |= imported.name == "annotations";
        if (tree[at].kind != Kind::If || !tree[at].value) continue;
        const py::Expr& test = *tree[at].value;
        const py::Expr& first = test.kind == py::ExprKind::Binary && test.text == "or" ? *test.items[0] : test;
        if (first.text != "TYPE_CHECKING") continue;
        for (std::size_t i = at + 1; i < file.ends[at]; ++i) {
            if (tree[i].kind != Kind::ImportFrom) continue;
            for (const auto& imported : tree[i].imports) {
                if (imported.name == "*") file.declaredAll.emplace_back(tree[i].text);
                else
                    file.declared.emplace(imported.alias.empty() ? imported.name : imported.alias,
                                          std::string(tree[i].text) + ":" + std::string(imported.name));
            }
        }
    }
}

namespace {
/// Whether a statement of the text's top level makes this name, as far as the text alone tells.
bool defines(std::string_view text, std::string_view name) {
    const auto isOfName = [](char each) { return std::isalnum(static_cast<unsigned char>(each)) || each == '_'; };
    for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if ((at > 0 && isOfName(text[at - 1])) || (end < text.size() && isOfName(text[end]))) continue;
        const std::size_t before = at == 0 ? text.npos : text.rfind('\n', at - 1);
        const std::string_view line = text.substr(before == text.npos ? 0 : before + 1);
        for (const std::string_view start : {std::string_view("class "), std::string_view("def "),
                                             std::string_view("from "), std::string_view("import "), name})
            if (line.starts_with(start)) return true;
    }
    return false;
}

/// The modules of which the text imports `*`.
std::vector<std::string> starImports(std::string_view text) {
    std::vector<std::string> out;
    static constexpr std::string_view kEnd = " import *";
    for (std::size_t at = text.find(kEnd); at != text.npos; at = text.find(kEnd, at + 1)) {
        const std::size_t from = text.rfind("from ", at);
        if (from != text.npos && text.substr(from, at - from).find('\n') == text.npos)
            out.emplace_back(text.substr(from + 5, at - from - 5));
    }
    return out;
}
} // namespace

/// The file that defines a name which `from .part import *` brings in; null if none does. Only reads the files.
SourceFile* Imports::definingPart(const SourceFile& file, const std::vector<std::string>& modules,
                                  const std::string& name) {
    std::unordered_set<const SourceFile*> met{&file};
    std::vector<SourceFile*> open;
    const auto add = [&](const SourceFile& from, const std::vector<std::string>& names) {
        for (auto each = names.rbegin(); each != names.rend(); ++each) {
            auto* part = importModule(absolute(from, *each), false).as<SourceFile>();
            if (part && !part->path.empty() && met.insert(part).second) open.push_back(part);
        }
    };
    add(file, modules);
    while (!open.empty()) {
        SourceFile* part = open.back();
        open.pop_back();
        if (defines(part->text, name)) return part;
        add(*part, starImports(part->text));
    }
    return nullptr;
}

Value Imports::declaredName(SourceFile& file, const std::string& name) {
    if (const auto found = file.declared.find(name); found != file.declared.end()) {
        const std::size_t colon = found->second.find(':');
        const std::string module = found->second.substr(0, colon), part = found->second.substr(colon + 1);
        file.declared.erase(found);
        const Value value = importName(file, module, part, false);
        if (value.isSet()) file.globals->names.set(name, value);
        return value;
    }
    if (auto* part = definingPart(file, file.declaredAll, name)) {
        if (Value* value = run(*part).names.find(name)) {
            const Value known = forced(*value);
            file.globals->names.set(name, known);
            return known;
        }
    }
    Value* dynamic = file.globals->names.find("__getattr__");
    if (!dynamic || !dynamic->as<Function>() || name.starts_with("__")) return {};
    try {
        return call(*dynamic, {text(name)});
    } catch (const Raised& raised) {
        if (!isInstance(raised.exception, builtinClass("AttributeError"))) throw;
        stack().forgetFailure();
        return {};
    }
}

namespace {
constexpr std::size_t kMostSkipped = 100; ///< statements that are warned of

/// Warns of a statement at the top level of a user's file at which Python would stop, and which the model does not
/// need.
void warnOfSkipped(Interpreter& in, const Sources& sources, const SourceFile& file, std::size_t offset,
                   const Message& what) {
    if (file.path.empty() || file.isGenerated) return;
    std::size_t skipped = 0;
    for (const Warning& each : in.warnings) skipped += each.what.is(what.code());
    if (skipped >= kMostSkipped) return;
    const Error place = py::sourceError(file.text, offset, what);
    Warning warning{what, {}, {}, place.where, place.textPlace};
    if (file.path != sources.main().path)
        warning.where = std::filesystem::path(file.path).filename().string() + ", " + place.where,
        warning.textPlace = {};
    in.warnings.push_back(std::move(warning));
}

/// "line 3 of net.py"
std::string lineIn(const SourceFile& file, std::size_t offset) {
    const std::string name = file.path.empty() ? file.name : std::filesystem::path(file.path).filename().string();
    return "line " + std::to_string(py::lineOf(file.text, offset)) + " of " + name;
}

std::string failure(const SourceFile& file, std::size_t offset, const std::string& why) {
    return lineIn(file, offset) + " failed: " + why;
}
} // namespace

void Imports::runModuleLevel(SourceFile& file) {
    Frame frame;
    frame.file = &file;
    frame.scope = file.globals;
    struct Restore {
        Interpreter& in;
        Frame* frame;
        Class* building;
        Place here;
        std::vector<const py::Expr*> decorators;
        ~Restore() {
            in.stack().frame = frame;
            in.stack().building = building;
            in.stack().here = here;
            in.stack().decorators = std::move(decorators);
        }
    } restore{m_in, std::exchange(stack().frame, &frame), std::exchange(stack().building, nullptr), stack().here,
              std::exchange(stack().decorators, {})};
    for (std::size_t at = 0; at < file.tree->size();) {
        const std::size_t here = at;
        const py::Stmt& statement = (*file.tree)[here];
        const auto placeHere = [&] { return stack().here.file == &file ? stack().here.offset : statement.offset; };
        const auto lose = [&](const std::string& why) {
            stack().frame = &frame;
            stack().building = nullptr;
            stack().decorators.clear();
            stack().forgetFailure();
            at = std::max(at, static_cast<std::size_t>(file.ends[here]));
            LostNames(m_in, *this, why).lose(file, here, at, frame.at);
        };
        try {
            m_in.statements().step(statement.offset);
            m_in.statements().runStatement(at, file.tree->size());
        } catch (const Raised& raised) {
            const std::string why = m_in.exceptions().describe(raised);
            if (!isInstance(raised.exception, builtinClass("ImportError"))) // what Lancet did not find may be there
                noteStop(file, Message("python.raised", {{"text", why}}));
            warnOfSkipped(m_in, m_sources, file, placeHere(), Message("trace.skipped_statement", {{"reason", why}}));
            lose(failure(file, placeHere(), why));
        } catch (const trace::PythonError& error) {
            if (!std::string_view(error.what()).starts_with("NotImplementedError")) noteStop(file, error.message());
            warnOfSkipped(m_in, m_sources, file, statement.offset,
                          Message("trace.skipped_statement", {{"reason", error.message().text()}}));
            lose(failure(file, statement.offset, error.message().text()));
        } catch (const trace::Stop& stop) {
            if (trace::isSpent(stop.message()) || stop.message().is("trace.other_default_dtype") ||
                stop.message().is("trace.replaced_name")) { // they hold for all that follows
                if (stack().failedIn.empty()) (stack().failedIn = stack().calls).push_back(stack().here);
                throw;
            }
            const bool isOfAnother = stop.message().is("trace.lost_name"); // its line is the one to look at
            lose(isOfAnother ? stop.message().argument("reason")
                             : failure(file, statement.offset, stop.message().text()));
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Refused && error.kind() != ErrorKind::Run) throw;
            lose(failure(file, statement.offset, error.what()));
        }
    }
}

/// Notes where Python would stop to import the main file. Exceptions of Lancet's own text may be due to what it lacks.
void Imports::noteStop(const SourceFile& file, const Message& why) {
    if (file.path.empty() || file.path != m_sources.main().path || m_in.stoppedAt) return;
    auto& failedIn = stack().failedIn;
    if (isOfLibrary(why, failedIn)) return;
    const Place here = stack().here;
    m_in.stoppedAt.emplace(why, failedIn.empty() ? here : failedIn.back());
}

/// Modules of PyTorch that nothing else imports, and that Lancet does not have.
static bool isSeparate(std::string_view path) {
    static constexpr std::string_view kModules[] = {"torch.utils.benchmark",      "torch.utils.bundled_inputs",
                                                    "torch.utils.cpp_extension",  "torch.utils.flop_counter",
                                                    "torch.utils.hipify",         "torch.utils.mobile_optimizer",
                                                    "torch.utils.module_tracker", "torch.utils.tensorboard"};
    return fx::isOneOf(path, kModules);
}

Value Imports::importName(const SourceFile& from, const std::string& module, const std::string& name, bool mustExist) {
    const std::string path = absolute(from, module);
    noteImport(from, path);
    noteImport(from, path + "." + name);
    const Value found = importModule(path, false);
    if (!found.isSet()) return mustExist ? Value(heap().make<Opaque>(path + "." + name)) : Value();
    if (auto* file = found.as<SourceFile>()) {
        Names& names = run(*file).names;
        Value* known = names.find(name);
        if (known && !(known->as<LazyImport>() && known->as<LazyImport>()->isPending)) {
            const Value value = forced(*known);
            names.set(name, value);
            return value;
        }
        if (const Value part = declaredName(*file, name); part.isSet()) return part;
        if (const Value part = importModule(path + "." + name, false); part.isSet()) return part;
        const bool isPartly =
            Sources::isStandard(path) || path == "numpy" || path.starts_with("numpy.") || isSeparate(path + "." + name);
        if (file->path.empty() && isPartly) return heap().make<Opaque>(path + "." + name);
        if (!mustExist) return {};
        raise("ImportError", "cannot import name '" + name + "' from '" + path + "'");
    }
    const Value part = findAttribute(found, name);
    if (part.isSet() || !mustExist) return part;
    raiseMissing(m_in, "ImportError", found, name, "cannot import name '" + name + "' from '" + path + "'");
}

void Imports::runImported() {
    for (std::vector<SourceFile*> open;; open.clear()) {
        for (const auto& [name, file] : m_files)
            if (!file->started && !file->path.empty()) open.push_back(file);
        if (open.empty()) return;
        std::ranges::sort(open, {}, &SourceFile::name);
        for (SourceFile* file : open) {
            try {
                run(*file);
            } catch (const Raised&) { stack().forgetFailure(); } // it defines nothing
        }
    }
}

Value Imports::forced(Value value) {
    auto* lazy = value.as<LazyImport>();
    if (!lazy) return value;
    struct Pending {
        bool& flag;
        explicit Pending(bool& which) : flag(which) { flag = true; }
        ~Pending() { flag = false; }
    } const pending{lazy->isPending};
    const Value found = lazy->name.empty() ? importModule(absolute(*lazy->from, lazy->module), true)
                                           : importName(*lazy->from, lazy->module, lazy->name, true);
    if (auto* unknown = found.as<Opaque>(); unknown && unknown->importedBy.empty())
        unknown->importedBy = lineIn(*lazy->from, lazy->offset);
    return found;
}

void Imports::import(const py::Stmt& statement) {
    const bool guarded = stack().frame->tries > 0; // `try: import x` decides by whether x is there
    const SourceFile& file = *stack().frame->file;
    const auto warnIfMissing = [&](std::string_view module) {
        const std::string path = absolute(file, module);
        if (guarded || stack().frame->scope != file.globals || file.path.empty() || Sources::isStandard(path) ||
            importModule(path, false).isSet())
            return;
        warnOfSkipped(m_in, m_sources, file, statement.offset, Message("trace.skipped_import", {{"name", path}}));
    };
    if (statement.kind == Kind::ImportFrom) warnIfMissing(statement.text);
    const auto require = [&](const std::string& module) {
        const std::string path = absolute(*stack().frame->file, module);
        if (guarded && !importModule(path, false).isSet() && !Sources::isStandard(path))
            raise("ModuleNotFoundError", "No module named '" + path + "'");
    };
    for (const auto& imported : statement.imports) {
        noteImport(file, statement.kind == Kind::Import ? std::string(imported.name) : absolute(file, statement.text));
        LazyImport* lazy = heap().make<LazyImport>();
        lazy->from = stack().frame->file;
        lazy->offset = statement.offset;
        std::string_view name = imported.alias.empty() ? imported.name : imported.alias;
        if (statement.kind == Kind::Import) {
            require(std::string(imported.name));
            warnIfMissing(imported.name);
            lazy->module = imported.name;
            if (imported.alias.empty()) lazy->module = name = name.substr(0, name.find('.'));
        } else {
            require(std::string(statement.text));
            if (imported.name == "*") {
                importAll(std::string(statement.text), *stack().frame->file);
                continue;
            }
            lazy->module = statement.text;
            lazy->name = imported.name;
            if (guarded) {
                const std::string path = absolute(*stack().frame->file, lazy->module);
                const Value module = importModule(path, false);
                if (module.as<SourceFile>() || module.as<Space>()) {
                    m_in.targets().bind(name, forced(lazy));
                    continue;
                }
            }
        }
        m_in.targets().bind(name, lazy);
    }
}

void Imports::importAll(const std::string& module, const SourceFile& from) {
    const Value found = importModule(absolute(from, module), false);
    auto* file = found.as<SourceFile>();
    if (const auto* space = found.as<Space>()) stack().frame->file->starSpaces.push_back(space->path);
    if (!file) return;
    Names& names = run(*file).names;
    const Value* listed = names.find("__all__");
    const auto items = names.items();
    for (const auto& [name, value] : items) {
        const bool isPublic = listed && listed->as<List>() ? contains(*listed, text(name)) : !name.starts_with('_');
        const auto* lazy = value.as<LazyImport>();
        if (isPublic && !(lazy && lazy->isPending)) // a pending import has no value yet
            m_in.targets().bind(name, value);
    }
}

} // namespace fx::python
