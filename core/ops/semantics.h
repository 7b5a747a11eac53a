// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The effects of an operator under any spelling: `torch.relu`, `torch.nn.functional.relu`, `torch.Tensor.relu_`,
/// `aten.relu_.default`, `torch.ops.aten.relu`, `_operator.iadd`. All of Lancet uses this table for writes, aliases,
/// randomness, pointwise operators and cost.
///
/// Sources are PyTorch's schemas (alias annotations and tags in core/ops/catalogue), the signatures of its Python
/// functions, and the lists in core/ops/operator_traits.cpp where these are incomplete.
namespace fx::ops {

/// The kind of work of an operator, and its flops per element of the result, or of the largest input.
struct CostClass {
    enum class Kind : std::uint8_t { Free, Elementwise, Reduction, Normalization, Pooling, Memory };
    Kind kind = Kind::Elementwise;
    double perElement = 1; ///< flops per element
    /// Counts elements of the largest input instead of the result.
    bool ofInput = false;
};

/// A parameter of a call: passed by position, unless it is keyword-only, or by any of its names.
struct ParameterPlace {
    static constexpr int kKeywordOnly = -1; ///< position of a keyword-only parameter
    int position = kKeywordOnly;            ///< index among the positional arguments
    std::vector<std::string> names;         ///< names that PyTorch accepts for it
};

/// An argument as far as it is known without running anything.
enum class Given : std::uint8_t { Nothing, None, False, Zero, Other };

/// The arguments of a call that determine its effects.
struct GivenArguments {
    std::vector<Given> positional;                         ///< arguments by position
    std::vector<std::pair<std::string_view, Given>> named; ///< keyword arguments

    /// Returns the argument of a parameter; Nothing if the call omits it.
    Given at(const ParameterPlace& place) const;
};

/// A condition on an argument: it is true (`inplace`), not None (`max_norm`), or not zero (`dropout_p`). It is assumed
/// to hold for an argument that is only known at run time.
struct Condition {
    enum class Test : std::uint8_t { Always, IsTrue, IsNotNone, IsNotZero };
    Test test = Test::Always;
    ParameterPlace of;      ///< the parameter tested
    bool byDefault = false; ///< result if the call omits the argument
    /// Evaluates the condition for a call.
    bool holds(const GivenArguments& call) const;
};

/// A parameter whose tensor the call writes to, and the condition.
struct WrittenParameter {
    ParameterPlace place; ///< the parameter
    Condition when;       ///< condition of the write
};

/// The effects that all calls of an operator, function or method have.
struct OperatorSemantics {
    std::string name;     ///< canonical: "relu" for all spellings above, "add" for `_operator.iadd`, "quantized::add"
    bool isKnown = false; ///< a schema of that name exists; otherwise only lists and signatures apply
    std::vector<WrittenParameter> written; ///< written parameters, in order
    std::vector<ParameterPlace> aliased;   ///< whose memory the result may share, besides written ones
    bool isRandom = false;                 ///< draws random numbers if `randomIf` holds
    Condition randomIf;                    ///< condition of the random draw
    bool hasEffect = false;                ///< changes more than its arguments: asserts, modes, profiler records
    bool changesSizes = false;             ///< changes sizes or strides of written tensors (`unsqueeze_`)
    /// Each element of the result depends only on elements at the same index (with broadcasting).
    bool isPointwise = false;
    bool keepsShape = false; ///< the result has the shape of the first argument, apart from broadcasting
    CostClass cost;

    /// Returns true if the call draws random numbers.
    bool drawsRandom(const GivenArguments& call) const { return isRandom && randomIf.holds(call); }
};

/// Returns the semantics of a function or operator by its qualified name, in any spelling. Takes microseconds: cache
/// the result.
OperatorSemantics semanticsOfFunction(std::string_view qualifiedName);
/// Returns the semantics of a method of torch.Tensor ("relu_", "__iadd__"); the tensor is its first argument.
OperatorSemantics semanticsOfMethod(std::string_view name);

/// Returns the canonical name: "add" for `torch.ops.aten.add_.Tensor`, `_operator.iadd` and `torch.Tensor.__add__`.
/// Names outside of PyTorch are unchanged: "math.sqrt".
std::string canonicalName(std::string_view qualifiedName);

/// Returns true if an overload of `aten::name` is pointwise (torch.Tag.pointwise).
bool isPointwise(std::string_view name);

/// Returns true for torch.fx `_side_effectful_functions`, which dead code elimination keeps, by qualified name.
bool isSideEffectful(std::string_view qualifiedName);

/// The facts that schemas do not state, by canonical name; listed in core/ops/operator_traits.cpp.
struct OperatorTraits {
    CostClass cost;
    bool mayBeItsInput = false; ///< returns its input or a view of it
    bool isRandom = false;
    bool keepsShape = false;
    bool keepsValues = false;    ///< the name ends in `_`, but values do not change (`requires_grad_`)
    bool tellsNonFinite = false; ///< finds or replaces values that are NaN or infinite
};
/// Returns the traits of a canonical name; defaults for an unknown one.
const OperatorTraits& traitsOf(std::string_view canonicalName);
/// Returns all names that have traits, unsorted.
std::vector<std::string_view> namesWithTraits();

} // namespace fx::ops
