// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/node.h"
#include "core/module/pytree_form.h"
#include "core/pysrc/syntax.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fx {

/// The inputs of a printed forward, in the forms that torch.fx writes:
///
///     def forward(self, L_x_: "f32[2]"):                          the parameters, under the names that follow
///         l_x_ = L_x_
///     def forward(self, primals, tangents):                       what the pytree gives (joint graphs, exports)
///         primals_1: "f32[2]"; tangents_1: "f32[2]";
///         primals_1, tangents_1, = fx_pytree.tree_flatten_spec([primals, tangents], self._in_spec)
///     def forward(self, args_list):                               boxed calls
///         args_iter = iter(args_list)
///         primals_1 = next(args_iter)
class PrintedParameters {
public:
    /// An input of the graph.
    struct Input {
        std::string name, target;
        std::vector<Argument> defaultValue;
        std::optional<ValueInfo> value;
    };

    /// Converts an expression to a value.
    using ValueOf = std::function<Argument(const py::Expr&)>;
    /// Reads the parameters of the function, without the first, `self`.
    void read(const py::Stmt& def, const ValueOf& valueOf);
    /// Handles a statement that only concerns inputs; returns false for other statements.
    bool take(const py::Stmt& statement, std::string_view source);
    /// Returns the inputs found since the last call, in order.
    std::vector<Input> takeInputs();

    /// The name of the first parameter.
    std::string_view self() const { return m_self; }
    /// The number of leading arguments of `self._out_shuffle_graph` that are not outputs.
    std::size_t leaves() const { return m_leaves; }
    /// The pytree structure, or null.
    std::shared_ptr<PytreeForm> pytree() const { return m_pytree; }

private:
    bool unpack(const py::Stmt& statement, std::string_view source);
    bool takeBoxed(const py::Stmt& statement);
    bool rename(std::string_view name, std::string_view parameter);
    void add(std::string_view name);

    std::vector<Input> m_inputs;
    std::vector<std::string> m_names; ///< of the function's parameters
    std::unordered_map<std::string, ValueInfo> m_declared;
    std::shared_ptr<PytreeForm> m_pytree;
    std::string_view m_self;
    std::size_t m_renamed = 0; ///< number of inputs whose name is final
    std::size_t m_leaves = 0;
    bool m_boxed = false;
};

/// Returns the value that a quoted annotation describes; nullopt if it describes none.
std::optional<ValueInfo> annotationOf(const py::Expr* annotation);
/// Returns true if `expr` calls a function whose last name is `name`.
bool callsTo(const py::Expr* expr, std::string_view name);

} // namespace fx
