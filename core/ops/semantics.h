// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What an operator does, however a graph spells it: `torch.relu`, `torch.nn.functional.relu`, `torch.Tensor.relu_`,
/// `aten.relu_.default`, `torch.ops.aten.relu`, `_operator.iadd`. One table answers for all of Lancet: what is written,
/// what may share memory, what is random, what works element by element, what it costs.
///
/// Facts come from PyTorch's schemas (alias annotations and tags in core/ops/catalogue), from the signatures of its
/// Python functions, and, for what these leave out, from the lists in core/ops/operator_traits.cpp.
namespace fx::ops {

/// The kind of work of an operator, and its flops for each element of its result (or of its largest input).
struct CostClass {
    enum class Kind : std::uint8_t { Free, Elementwise, Reduction, Normalization, Pooling, Memory };
    Kind kind = Kind::Elementwise;
    double perElement = 1;
    bool ofInput = false;
};

/// One parameter of a call: by position (unless it is keyword-only) or by any of its names.
struct ParameterPlace {
    static constexpr int kKeywordOnly = -1;
    int position = kKeywordOnly;
    std::vector<std::string> names;
};

/// What is known of one argument without running anything.
enum class Given : std::uint8_t { Nothing, None, False, Zero, Other };

/// The arguments of a call, as far as what it does depends on them.
struct GivenArguments {
    std::vector<Given> positional;
    std::vector<std::pair<std::string_view, Given>> named;

    /// Nothing: the call leaves the parameter out.
    Given at(const ParameterPlace& place) const;
};

/// Holds for a call whose argument is true (`inplace`), is not None (`max_norm`), or is not zero (`dropout_p`).
/// An argument that only the run knows is taken to be so.
struct Condition {
    enum class Test : std::uint8_t { Always, IsTrue, IsNotNone, IsNotZero };
    Test test = Test::Always;
    ParameterPlace of;
    bool byDefault = false; ///< what holds when the call leaves it out
    bool holds(const GivenArguments& call) const;
};

/// A parameter whose tensor the call writes to, and when.
struct WrittenParameter {
    ParameterPlace place;
    Condition when;
};

/// What every call of one operator, function or method does.
struct OperatorSemantics {
    std::string name;     ///< canonical: "relu" of all spellings above, "add" of `_operator.iadd`, "quantized::add"
    bool isKnown = false; ///< there is a schema of that name; else only what lists and signatures say is known
    std::vector<WrittenParameter> written;
    std::vector<ParameterPlace> aliased; ///< whose memory the result may be, beside those that are written
    bool isRandom = false;               ///< draws random numbers, when `randomIf` holds
    Condition randomIf;
    bool hasEffect = false;    ///< changes more than its arguments: asserts, modes, profiler records
    bool changesSizes = false; ///< writes sizes or strides of what it writes to (`unsqueeze_`)
    bool isPointwise = false;  ///< each element of the result from the elements at its place (broadcast)
    bool keepsShape = false;   ///< the result has the shape of the first argument, broadcast aside
    CostClass cost;

    bool drawsRandom(const GivenArguments& call) const { return isRandom && randomIf.holds(call); }
};

/// Of a function or operator by its qualified name, in any spelling. Some microseconds: keep the answer.
OperatorSemantics semanticsOfFunction(std::string_view qualifiedName);
/// Of a method of torch.Tensor by its name ("relu_", "__iadd__"); the tensor is its first argument.
OperatorSemantics semanticsOfMethod(std::string_view name);

/// "add" of `torch.ops.aten.add_.Tensor`, `_operator.iadd`, `torch.Tensor.__add__`; "math.sqrt" of what is none of
/// PyTorch's.
std::string canonicalName(std::string_view qualifiedName);

/// Some overload of `aten::name` works element by element (torch.Tag.pointwise).
bool isPointwise(std::string_view name);

/// torch.fx `_side_effectful_functions`: what its dead code elimination keeps, by qualified name.
bool isSideEffectful(std::string_view qualifiedName);

/// What no schema says, by canonical name: core/ops/operator_traits.cpp.
struct OperatorTraits {
    CostClass cost;
    bool mayBeItsInput = false; ///< gives what it got, or a view of it
    bool isRandom = false;
    bool keepsShape = false;
    bool keepsValues = false;    ///< its name ends in `_`, but it changes no values (`requires_grad_`)
    bool tellsNonFinite = false; ///< exists to find or replace values that are NaN or infinite
};
const OperatorTraits& traitsOf(std::string_view canonicalName);
/// All names that traits are known of, unsorted.
std::vector<std::string_view> namesWithTraits();

} // namespace fx::ops
