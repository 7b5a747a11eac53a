// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/imports/place.h"
#include "core/python/tracing/node_notes.h"
#include "core/python/values/object.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fx::python {

/// How a statement ends.
enum class Flow : std::uint8_t { Next, Return, Break, Continue };

/// A function, class body or file that runs.
struct Frame {
    Scope* scope = nullptr;
    Scope* named = nullptr; ///< scope around a comprehension, where `:=` binds
    SourceFile* file = nullptr;
    Function* function = nullptr;
    std::size_t at = 0; ///< the statement that runs
    Value self, result;
    Value sent; ///< result of the `yield` at which a generator resumes
    std::size_t tries = 0;
    std::size_t catches = 0; ///< those of `tries` that may catch an error of a tensor operation
    Value handled;           ///< the exception of the running handler
    Frame* caller = nullptr;
};

/// The parts of a `try`, as indices of statements.
struct TryParts {
    std::vector<std::size_t> handlers;
    std::optional<std::size_t> otherwise, finally;
};

/// Where the program is: the running frames, functions and modules.
struct CallStack {
    Frame* frame = nullptr;    ///< the innermost
    Place here;                ///< the current position
    std::vector<Place> calls;  ///< open calls, outermost first
    std::size_t depth = 0;     ///< nested calls
    Class* building = nullptr; ///< the class whose body runs
    std::vector<const py::Expr*> decorators;
    std::vector<std::string> modulePath; ///< modules whose `forward` is running, outermost first
    std::vector<ModuleFrame> moduleStack;
    /// Annotates recorded nodes with their source lines and modules, unless null.
    std::unique_ptr<NodeNotes> notes;
    Place leftAt;                ///< where the last function returned
    std::vector<Place> failedIn; ///< the calls at the exception that is being thrown
    bool misfit = false;         ///< a call did not fit a function of Lancet's own text, which may lack a parameter
    ModuleFrame failedModule;    ///< innermost module at that exception; empty outside modules

    /// Forgets the exception that was being thrown, which is handled now.
    void forgetFailure() {
        failedIn.clear();
        misfit = false;
    }
    /// The file of the running frame, and the end of the block below the statement at `head`.
    const py::SourceTree& tree() const { return *frame->file->tree; }
    std::size_t bodyEnd(std::size_t head) const { return frame->file->ends[head]; }
    /// Sets the position of the nodes recorded next.
    void standAt(const SourceFile* file, std::size_t offset) {
        takeNotes();
        here.moveTo(file, offset);
    }
    /// Annotates the nodes recorded so far. Call it before the program moves to another position.
    void takeNotes() {
        if (notes && notes->isDue()) notes->note(calls, here, moduleStack);
    }
    /// Returns true if a function on the call stack is inside a `try` that may catch an error of a tensor operation.
    bool isTrying() const {
        for (const Frame* each = frame; each; each = each->caller)
            if (each->catches > 0) return true;
        return false;
    }
};

} // namespace fx::python
