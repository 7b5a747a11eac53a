// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/pysrc/source_tree.h"
#include "core/trace/evaluator.h"

namespace fx::trace {

/// Executes whole Python files: functions that call each other, `for`, `while`, `if` and `try` on values known while
/// tracing, defaults, closures, lambdas, comprehensions, decorators, functools.partial, classes as namespaces. The
/// Tracer records what torch.fx records; the rest is executed.
///
/// Bounded: kMaxSteps statements and levels of their expressions (each may nest a value deeper, and values are
/// destroyed by recursion), kMaxCalls calls inside of calls (fewer where expressions are deep). Classes are values
/// without a constructor here; see core/make/source_module.h.
class FunctionInterpreter : public Evaluator {
public:
    static constexpr std::size_t kMaxSteps = 20'000, kMaxCalls = 100, kMaxBlocks = 400;

    /// `tree` must outlive the interpreter.
    FunctionInterpreter(Tracer& tracer, const py::SourceTree& tree);

    /// Imports, constants, functions and classes of the file; `torch`, `nn`, `F`, `operator` and `math` need no import.
    /// Unsupported definitions are skipped; using them is an error.
    void runModuleLevel();
    /// Traces a function of the file as the root, like torch.fx: parameters become placeholders, the result the output.
    void traceFunction(const SourceFunction& function);
    /// The same for a method, whose `self` is not a placeholder.
    void traceMethod(const SourceFunction& function, const Value& self);
    /// Runs the file, then traces its function with this name. Throws Error{Refused} with the line and column that
    /// could not be followed.
    void traceFunction(const std::string& name);

    /// The function or class of the file with this name, or null.
    const Value* global(std::string_view name) const;
    /// Throws the reason why a name of the file has no value.
    [[noreturn]] void requireGlobal(std::string_view name) const;
    /// The start offset of the last executed statement.
    std::size_t offset() const { return m_offset; }

protected:
    Value callValue(const Value& callee, Values args, KeywordValues kwargs) override;
    Value attributeOf(const Value& object, std::string_view name) override;
    Value lambdaValue(const py::Expr& lambda) override;
    Value callSource(const SourceFunction& function, Values args, KeywordValues kwargs);
    Value functionOf(std::size_t head);
    Value classOf(std::size_t head);
    /// A def or class with its decorators applied, the nearest first.
    Value definitionOf(std::size_t head, std::span<const py::Expr* const> decorators);

    const py::SourceTree& m_tree;
    /// The current method, for `super()`. Null outside methods.
    const SourceFunction* m_running = nullptr;
    Value m_self = none();

private:
    enum class Flow : std::uint8_t { Next, Return, Break, Continue };
    /// Counts something down again when a block is left, also by an exception.
    struct Depth {
        Depth(std::size_t& count, std::size_t limit, const char* what) : m_count(count) {
            if (++m_count > limit) {
                --m_count;
                throw CannotFollow(Message("trace.too_deep", {{"what", what}, {"limit", limit}}));
            }
        }
        ~Depth() { --m_count; }
        std::size_t& m_count;
    };

    Flow runBlock(std::size_t begin, std::size_t end);
    Flow runStatement(std::size_t& at);
    Flow runIf(std::size_t& at, std::size_t end);
    Flow runTry(std::size_t& at, std::size_t end);
    void enterWith(const py::Stmt& statement);
    Value decorated(const py::Expr& decorator, Value function);
    /// Records why a name of the file has no value.
    void lose(const py::Stmt& statement, const Message& why);
    Flow runLoop(std::size_t head);
    std::optional<Flow> runLoopBody(std::size_t head);
    Flow runBody(std::size_t head);
    void step(const py::Stmt& statement);
    void bindParameters(const SourceFunction& function, Values args, KeywordValues kwargs, LocalNames& names);
    std::vector<std::optional<Value>> defaultsOf(std::span<const py::Parameter> parameters);
    std::optional<Value> callBuiltin(const FunctionValue& function, Values& args, const KeywordValues& kwargs);
    Value columns(const Values& args, bool maps);
    void traceBody(const SourceFunction& function);
    Value resultOf(const SourceFunction& function);

    std::vector<const py::Expr*> m_decorators; ///< for the following def
    std::size_t m_callLimit = kMaxCalls, m_offset = 0, m_steps = 0, m_calls = 0, m_blocks = 0;
    bool m_inFunction = false;
    Value m_returnValue = none();
};

} // namespace fx::trace
