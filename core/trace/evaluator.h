// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/text_hash.h"
#include "core/pysrc/syntax.h"
#include "core/trace/local_names.h"
#include "core/trace/tracer.h"

#include <functional>
#include <string_view>
#include <unordered_map>

namespace fx::trace {

/// Executes Python statements on values of a Tracer: one function body in the scope of its imports.
class Evaluator {
public:
    explicit Evaluator(Tracer& tracer) : m_tracer(tracer) {}
    virtual ~Evaluator() = default;
    Evaluator(const Evaluator&) = delete;
    Evaluator& operator=(const Evaluator&) = delete;

    /// Executes imports and `torch.fx.wrap` calls at module level. Other module-level statements are not supported.
    void executeModuleLevel(const py::Stmt& statement);
    /// Creates placeholders for the parameters (torch.fx `create_args_for_root`). The first parameter is the root
    /// module.
    void enter(const py::Stmt& def);
    /// Executes one statement of the body. Returns false if it was `return`.
    bool execute(const py::Stmt& statement);
    /// Ends the body and records the output.
    void finish();

    /// Evaluates an expression; throws PythonError or CannotFollow.
    Value evaluate(const py::Expr& expr);
    /// The expression of the last statement that failed to evaluate, after an exception.
    const py::Expr* failedAt() const { return m_at; }

    /// Binds a local name to a value. `name` must outlive the evaluator.
    void bind(std::string_view name, Value value) { m_locals.bind(name, std::move(value)); }
    /// Returns the value of a local name, or null.
    const Value* local(std::string_view text) const { return m_locals.find(text); }
    /// Returns true if the name is bound at module level.
    bool isGlobal(std::string_view text) const { return m_globals.contains(text); }
    /// Called for every name that a statement assigns to.
    std::function<void(std::string_view name, const Value& value)> assigned;
    /// Evaluates a type annotation.
    TypePtr annotation(const py::Expr& expr);

protected:
    virtual Value callValue(const Value& callee, Values args, KeywordValues kwargs) {
        return m_tracer.call(callee, std::move(args), std::move(kwargs));
    }
    /// Calls the method of a proxy: `args[0].name(args[1:])`.
    virtual Value callMethod(std::string_view name, const Values& args, const KeywordValues& kwargs) {
        return m_tracer.callMethod(name, args, kwargs);
    }
    /// Returns the values that a `for` iterates over. Throws PythonError for proxies, CannotFollow for unknown values.
    Values iterate(const Value& value);

    void makePlaceholders(const py::Stmt& def, std::span<const py::Parameter> parameters);
    using Names = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

    /// Returns the function of the module operator behind a sign: "add" for "+". Throws CannotFollow.
    static std::string_view operatorName(std::string_view sign);
    void import(const py::Stmt& statement);
    void wrapByName(const py::Expr& call);
    void assign(const py::Stmt& statement);
    void assignTo(const py::Expr& target, const Value& value);
    void augment(const py::Stmt& statement);
    bool takePending(const py::Stmt& statement);

    Value evaluateKind(const py::Expr& expr);
    Value unary(const py::Expr& expr);
    Value name(std::string_view text);
    Value attribute(const py::Expr& expr);
    Value call(const py::Expr& expr);
    void arguments(const py::Expr& call, Values& args, KeywordValues& kwargs);
    Value binary(const py::Expr& expr);
    Value compare(const py::Expr& expr);
    Value dict(const py::Expr& expr);
    Value comprehension(const py::Expr& expr);
    Value generator(const py::Expr& expr, std::size_t elements);
    using Draw = std::function<std::optional<Value>()>;
    /// Returns a function that yields the values of a `for` one by one.
    Draw drawing(const Value& value);
    Value lazy(Draw draw);
    /// Returns a generator as the tuple of its values, and other values unchanged.
    Value drawn(const Value& value);
    Values items(const py::Expr& expr);
    Value joined(const py::Expr& expr);
    Value formatted(const py::Expr& expr);
    void assignGlobal(const py::Expr& target, const Value& value);
    /// Returns the value of each target in a tuple, including a starred one.
    Values spread(const py::Expr& targets, const Value& value);
    TypePtr typeOf(const Value& value);
    TypePtr generic(const py::Expr& expr);

    Tracer& m_tracer;
    Names m_globals; ///< imported names
    LocalNames m_locals;
    Names m_resolved; ///< dotted names and builtins resolved so far
    Value m_result = none();
    bool m_returned = false;
    const py::Expr* m_at = nullptr;
    TypePtr m_returnType;
    /// Mode::AsWritten: `x += 2` and `x[0] = 5` are recorded by the next statement. If that is `NAME = x`, it names
    /// them.
    struct Pending {
        std::string op;
        std::string target;
        Values args;
    };
    std::optional<Pending> m_pending;
    std::size_t m_generators = 0;
};

} // namespace fx::trace
