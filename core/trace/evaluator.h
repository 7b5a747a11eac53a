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

    /// Import statements and `torch.fx.wrap` calls at module level; other module-level statements are not supported.
    void executeModuleLevel(const py::Stmt& statement);
    /// Creates placeholders for the parameters (torch.fx `create_args_for_root`); the first parameter is the root
    /// module.
    void enter(const py::Stmt& def);
    /// Executes one statement of the body. Returns false if it was `return`.
    bool execute(const py::Stmt& statement);
    /// Ends the body: records the output.
    void finish();

    Value evaluate(const py::Expr& expr);
    /// After an exception: the expression in the last statement that could not be evaluated.
    const py::Expr* failedAt() const { return m_at; }

    /// Binds a local name to a value. `name` must outlive the evaluator.
    void bind(std::string_view name, Value value) { m_locals.bind(name, std::move(value)); }
    /// The value of a local name, or null.
    const Value* local(std::string_view text) const { return m_locals.find(text); }
    bool isGlobal(std::string_view text) const { return m_globals.contains(text); }
    /// Called for every name that a statement assigns to.
    std::function<void(std::string_view name, const Value& value)> assigned;
    TypePtr annotation(const py::Expr& expr);

protected:
    // Overridden by an interpreter of whole files.
    virtual Value callValue(const Value& callee, Values args, KeywordValues kwargs) {
        return m_tracer.call(callee, std::move(args), std::move(kwargs));
    }
    /// `args[0].name(args[1:])` of a proxy.
    virtual Value callMethod(std::string_view name, const Values& args, const KeywordValues& kwargs) {
        return m_tracer.callMethod(name, args, kwargs);
    }
    virtual Value attributeOf(const Value& object, std::string_view name) { return m_tracer.attribute(object, name); }
    virtual void setAttribute(const Value& object, std::string_view name, const Value& value);
    virtual Value lambdaValue(const py::Expr& lambda);
    /// The values that a `for` iterates over. Throws PythonError for proxies, CannotFollow for unknown values.
    virtual Values iterate(const Value& value);

    void makePlaceholders(const py::Stmt& def, std::span<const py::Parameter> parameters);
    using Names = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

    /// The function of the module operator behind a sign: "+" is "add". Throws CannotFollow.
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
    /// The values that a `for` iterates over, one by one.
    Draw drawing(const Value& value);
    Value lazy(Draw draw);
    /// A generator as the tuple of its values; other values unchanged.
    Value drawn(const Value& value);
    Values items(const py::Expr& expr);
    Value joined(const py::Expr& expr);
    Value formatted(const py::Expr& expr);
    void assignGlobal(const py::Expr& target, const Value& value);
    /// The value of each target in a tuple, including a starred one.
    Values spread(const py::Expr& targets, const Value& value);
    TypePtr typeOf(const Value& value);
    TypePtr generic(const py::Expr& expr);

    Tracer& m_tracer;
    Names m_globals; ///< imported names
    /// Names of the file with unknown values, and the reason.
    std::unordered_map<std::string, Message, TextHash, std::equal_to<>> m_lost;
    LocalNames m_locals;
    Names m_resolved; ///< dotted names and builtins met so far
    Value m_result = none();
    bool m_returned = false;
    const py::Expr* m_at = nullptr;
    TypePtr m_returnType;
    /// Mode::AsWritten: `x += 2` and `x[0] = 5` are recorded by the `NAME = x` that follows them.
    struct Pending {
        std::string op;
        std::string target;
        Values args;
    };
    std::optional<Pending> m_pending;
    std::size_t m_generators = 0;
};

} // namespace fx::trace
