// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/interpreter.h"

#include <exception>

namespace fx::python {

/// A generator that was started: where it is, as data, so that it is left at a `yield` and taken up there again.
/// Statements without a `yield` run as everywhere else; those with one are blocks on a stack:
///
///     def f(xs):              Plain: the body of f
///         for x in xs:           Loop: with its iterator
///             try:                  Guard: of the `finally`
///                 yield x              Try: here it is left
///             finally: ...
///
/// A `yield` is the whole value of a statement (`yield x`, `y = yield x`, `return (yield)`); inside of expressions it
/// cannot be followed.
class GeneratorRun {
public:
    using Frame = Interpreter::Frame;
    GeneratorRun(Interpreter& in, Function& function, const Frame& frame);

    /// Up to the next `yield`, whose value it gives; unset at the end. `sent` is what the `yield` gives where the
    /// generator was left, `thrown` what is raised there instead. Throws what the program raises.
    Value resume(const Value& sent = Value::none(), std::exception_ptr thrown = nullptr);
    /// Raises GeneratorExit where it was left.
    void close();
    /// Of its `return`.
    const Value& returned() const { return m_returned; }
    /// Whether Python would run something when it drops the generator: a `finally` or the exit of a `with`.
    bool hasCleanup() const;
    Place place() const { return m_place; }

private:
    using Flow = Interpreter::Flow;
    /// How a block ends.
    struct Completion {
        Flow flow = Flow::Next;
        std::exception_ptr error = nullptr;
        bool isNext() const { return flow == Flow::Next && !error; }
    };
    struct Block {
        enum class Kind : std::uint8_t { Plain, Loop, Try, Handler, Guard, Finally, With };
        Kind kind = Kind::Plain;
        std::size_t head = 0, at = 0, end = 0;     ///< `at`: the statement that is next
        Iterator* each = nullptr;                  ///< of a `for`
        Interpreter::TryParts parts = {};          ///< of a `try`
        std::optional<std::size_t> otherwise = {}; ///< of a loop
        Value value = {};                          ///< of a `with` its context; the exception that was handled before
        Completion after = {};                     ///< how it goes on after a `finally`
    };

    Value run(Completion how);
    std::optional<Value> runStatement(Completion& how);
    std::optional<Value> yields(const py::Stmt& statement, Completion& how);
    std::optional<Value> delegate(Completion& how);
    void open(std::size_t head, std::size_t end);
    void openBody(std::size_t head);
    void openTry(std::size_t head, std::size_t end);
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
    Iterator* m_from = nullptr; ///< of a `yield from` that it is in
    bool m_isLeft = false;      ///< at a `yield`
    bool m_isRunning = false, m_isStarted = false;
    Value m_sent, m_returned = Value::none();
    Place m_place;
};

} // namespace fx::python
