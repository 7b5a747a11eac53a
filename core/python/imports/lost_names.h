// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/imports/imports.h"

namespace fx::python {

/// Makes names of files unknown objects after a statement at the top level failed: those that it binds, and those of
/// objects that it may change.
class LostNames : ObjectProtocol {
public:
    /// `why` is the reason that a later use of a name reports.
    LostNames(Interpreter& in, Imports& imports, std::string why)
        : ObjectProtocol(in), m_imports(imports), m_why(std::move(why)) {}

    /// Loses what the statements [`head`, `end`) of a file bind or change. Those before `failed` ran, unless they stand
    /// in a loop.
    void lose(SourceFile& file, std::size_t head, std::size_t end, std::size_t failed);
    /// Loses what a call of the function, which failed, may have changed.
    void loseBy(Function& function) { enterFunction({}, &function, nullptr); }

private:
    /// A range of statements in a file: at its top level, or the body of a function.
    struct Range {
        SourceFile* file = nullptr;
        std::size_t from = 0, end = 0;
        std::optional<std::size_t> function; ///< its head
        Scope* closure = nullptr;            ///< of the function
    };
    /// An object that is changed in place: `expr`, by the method of that name, or by an assignment.
    struct Change {
        const py::Expr* expr = nullptr;
        std::string_view method;
    };
    /// An object that has a name, and the part of it that an expression reads.
    struct Found {
        Value object, part;
    };
    Opaque* lost(const std::string& path);
    void loseName(SourceFile& file, std::string_view name);
    void loseTarget(SourceFile& file, const py::Expr& target);
    void loseObject(const Value& object);
    bool loseAttribute(const Range& range, const py::Expr& target);
    void loseNamed(const Range& range, const py::Expr& expr);
    bool loseChanges(const Range& range);
    bool loseChange(const Range& range, const Change& change);
    void enter(const Range& range, const py::Expr& callee, const py::Expr* call);
    void enterFunction(const Range& range, Function* function, const py::Expr* call);
    bool mayChange(const Value& object, std::string_view method);
    Value named(SourceFile& file, std::string_view name);
    Found found(const Range& range, const py::Expr& expr);

    Imports& m_imports;
    std::string m_why;
    std::vector<Function*> m_entered;
};

} // namespace fx::python
