// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/python_interpreter.h"

#include <exception>

namespace fx::python {

/// A started generator. Its position is data, so that it can be suspended at a `yield` and resumed. Statements without
/// a `yield` run like any others; statements with one are blocks on a stack:
///
///     def f(xs):              Plain: the body of f
///         for x in xs:           Loop: with its iterator
///             try:                  Guard: of the `finally`
///                 yield x              Try: suspended here
///             finally: ...
///
/// A `yield` must be the whole value of a statement (`yield x`, `y = yield x`, `return (yield)`). One inside an
/// expression throws CannotFollow.
class GeneratorRun {
public:
    /// Does not start the generator.
    GeneratorRun(Interpreter& in, Function& function, const Frame& frame);

    /// Runs to the next `yield` and returns its value; unset at the end. `sent` is the result of the `yield` at which
    /// the generator is suspended; `thrown` is raised there instead. Throws what the program raises.
    Value resume(const Value& sent = Value::none(), std::exception_ptr thrown = nullptr);
    /// Raises GeneratorExit where the generator is suspended.
    void close();
    /// The value of its `return`, or None.
    const Value& returned() const { return m_returned; }
    /// Returns true if Python would run code when it drops the generator: a `finally` or the exit of a `with`.
    bool hasCleanup() const;
    /// Where the generator is suspended.
    Place place() const { return m_place; }

private:
    /// How a block ends.
    struct Completion {
        Flow flow = Flow::Next;
        std::exception_ptr error = nullptr;
        bool isNext() const { return flow == Flow::Next && !error; }
    };
    struct Block {
        enum class Kind : std::uint8_t { Plain, Loop, Try, Handler, Guard, Finally, With };
        Kind kind = Kind::Plain;
        std::size_t head = 0, at = 0, end = 0;     ///< `at` is the next statement
        Iterator* each = nullptr;                  ///< iterator of a `for`
        TryParts parts = {};                       ///< of a `try`
        std::optional<std::size_t> otherwise = {}; ///< the `else` of a loop
        Value value = {};                          ///< context of a `with`, or the exception handled before
        Completion after = {};                     ///< how execution continues after a `finally`
    };

    Value run(Completion how);
    std::optional<Value> runStatement(Completion& how);
    std::optional<Value> yields(const py::Stmt& statement, Completion& how);
    std::optional<Value> delegate(Completion& how);
    void open(std::size_t head, std::size_t end);
    void openBody(std::size_t head);
    void openTry(std::size_t head, std::size_t end);
    void leaveTry(const Block& block);
    void openWith(std::size_t head);
    Completion ended();
    Completion nextRound();
    void unwind(Completion how);
    bool handle(Block block, const Completion& how);
    bool leaveWith(const Block& block, Completion& how);
    bool holdsYield(std::size_t head) const;
    const py::SourceTree& tree() const { return *m_function.file->tree; }
    std::size_t bodyEnd(std::size_t head) const { return m_function.file->ends[head]; }

    Interpreter& m_in;
    Function& m_function;
    Frame m_frame;
    std::vector<Block> m_blocks;
    Iterator* m_from = nullptr; ///< iterator of the current `yield from`
    bool m_isLeft = false;      ///< suspended at a `yield`
    bool m_isRunning = false, m_isStarted = false;
    Value m_sent, m_returned = Value::none();
    Place m_place;
};

} // namespace fx::python
