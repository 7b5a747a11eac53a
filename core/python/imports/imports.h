// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/imports/sources.h"
#include "core/python/object_protocol.h"

#include <unordered_map>
#include <unordered_set>

namespace fx::python {

/// Finds files and modules and runs them. A file runs when one of its names is used for the first time.
class Imports : ObjectProtocol {
public:
    /// Keeps a reference to `sources`.
    Imports(Interpreter& in, Sources& sources) : ObjectProtocol(in), m_sources(sources) {}

    // Operations of ObjectProtocol.
    Scope& run(SourceFile& file);
    Value importModule(const std::string& name, bool mustExist);
    SourceFile* ownFile(const std::string& name);
    Value forced(Value value);

    /// Fills `sys.modules`.
    void addLoaded();
    /// Where files are found.
    Sources& sources() { return m_sources; }
    /// All files and modules that have a text, by dotted name.
    const std::unordered_map<std::string, SourceFile*>& files() const { return m_files; }
    /// Runs a text that has no file, like `exec` on generated code, and returns its globals.
    Scope& runText(const std::string& name, std::string text);
    /// Resolves `from module import name` in the file `from`. If it is not found, returns an `Opaque` if `mustExist`,
    /// else unset.
    Value importName(const SourceFile& from, const std::string& module, const std::string& name, bool mustExist);
    /// Runs the files that were imported and not used yet.
    void runImported();
    /// Returns the source text of an expression.
    static std::string sourceOf(const py::Expr& expr, const SourceFile& file);
    /// Runs an `import` or `from ... import` statement.
    void import(const py::Stmt& statement);
    /// Looks up a name that the file only declares or that its `__getattr__` returns; unset if it does not exist.
    Value declaredName(SourceFile& file, const std::string& name);
    /// Returns false for modules that are no attributes of the module above them: those of PyTorch that `import torch`
    /// does not load, until the program imports them, and Lancet's own.
    bool isVisible(const std::string& module) const;

private:
    void noteImport(const SourceFile& from, const std::string& module);
    void runModuleLevel(SourceFile& file);
    SourceFile* addFile(const Sources::Found& found);
    void noteStop(const SourceFile& file, const Message& why);
    void declare(SourceFile& file);
    SourceFile* definingPart(const SourceFile& file, const std::vector<std::string>& modules, const std::string& name);
    void importAll(const std::string& module, const SourceFile& from);

    Sources& m_sources;
    std::unordered_map<std::string, SourceFile*> m_files;
    std::unordered_set<std::string> m_separate; ///< imported modules that `import torch` does not load
    Dict* m_loaded = nullptr;                   ///< `sys.modules`
};

} // namespace fx::python
