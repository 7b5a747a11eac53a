// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"

namespace fx::python {

/// Runs statements: blocks, branches, loops, `try` and `with`.
class Statements : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    /// Runs a statement with its body and branches; leaves `at` after them.
    Flow runStatement(std::size_t& at, std::size_t end);
    /// Returns the branch of an `if` that is taken; leaves `at` after all of them.
    std::optional<std::size_t> chosenBranch(std::size_t& at, std::size_t end);
    /// Finds the handlers, `else` and `finally` of a `try`; leaves `at` after them.
    TryParts tryParts(std::size_t& at, std::size_t end) const;
    /// Unbinds the name of a handler's exception, as Python does at its end.
    static void forgetName(const Frame& frame, std::string_view name);
    /// Returns true if a handler may catch what PyTorch raises while it computes.
    bool mayCatchTensorErrors(const TryParts& parts) const;
    /// Returns the `except` that takes the exception, with its name bound.
    std::optional<std::size_t> handlerFor(const std::vector<std::size_t>& handlers, const Value& exception);
    /// Enters a context of a `with` by its number and returns it. Contexts of torch and of unknown modules do not
    /// affect what is recorded.
    Value enter(std::size_t head, std::size_t number);
    /// Leaves a context with an exception or unset; true if it suppresses that.
    bool leave(const Value& context, const Value& exception);
    /// Returns the `else` of a loop; leaves `at` after it.
    std::optional<std::size_t> elseOfLoop(std::size_t head, std::size_t& at, std::size_t end) const;
    /// Runs the block below the statement at `head`.
    Flow runBody(std::size_t head);
    /// Counts a step of the program and moves to this offset in its file.
    void step(std::size_t offset);

private:
    Flow runBlock(std::size_t begin, std::size_t end);
    Flow runTry(std::size_t& at, std::size_t end);
    Flow runGuarded(std::size_t head, const TryParts& parts);
    Flow runWith(std::size_t head, std::size_t first);
    Flow runLoop(std::size_t head, std::size_t& at, std::size_t end);
    void raiseStatement(const py::Stmt& statement);
};

} // namespace fx::python
