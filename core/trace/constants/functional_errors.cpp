// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/promotion.h"
#include "core/trace/constants/argument_parser.h"
#include "core/trace/constants/call_errors.h"
#include "core/trace/constants/dtype_texts.h"
#include "core/trace/constants/size_errors.h"

#include <algorithm>
#include <utility>

namespace fx::trace {
namespace {

const TensorValue* tensorIn(const Value* value) { return value ? value->as<TensorValue>() : nullptr; }
const Sizes* knownSizes(const TensorValue* tensor) {
    return tensor && tensor->shapeKnown ? &tensor->tensor->sizes : nullptr;
}

void requireIndices(const TensorValue* indices, const std::string& function) {
    if (!indices || indices->tensor->dtype == DType::Int64 || indices->tensor->dtype == DType::Int32) return;
    raiseAs("RuntimeError", "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
                            "Long, Int; but got " +
                                typeText(indices->tensor->dtype) + " instead (while checking arguments for " +
                                function + ")");
}

void requireLookUp(const TensorCall& call) {
    const Value *input = call.at(0, "input"), *weight = call.at(1, "weight");
    if (!input || !weight) return;
    const Sizes* sizes = knownSizes(tensorIn(weight));
    const auto padding = call.integer(2, "padding_idx");
    if (padding && sizes && !sizes->empty() && (*padding > 0 ? *padding >= sizes->front() : *padding < -sizes->front()))
        raiseAs("AssertionError", "Padding_idx must be within num_embeddings");
    requireParsed("torch.embedding", Values{*weight, *input}, {});
    if (sizes && sizes->size() != 2) raiseAs("RuntimeError", "'weight' must be 2-D");
    requireIndices(tensorIn(input), "embedding");
}

/// The constants in the call of torch.embedding_bag; null for what is None or unknown.
struct Bags {
    const TensorValue *input, *weight;
    const Value* offsets;
    const TensorValue* samples; ///< per_sample_weights
};

void requireBagSizes(const Bags& bags) {
    const Sizes *input = knownSizes(bags.input), *weight = knownSizes(bags.weight), *samples = knownSizes(bags.samples);
    const auto rankOf = [](const Sizes& sizes) { return std::to_string(sizes.size()); };
    if (samples && input && *samples != *input)
        raiseAs("ValueError", "embedding_bag: If per_sample_weights (torch.Size(" + sizesText(*samples) +
                                  ")) is not None, then it must have the same shape as the input (torch.Size(" +
                                  sizesText(*input) + "))");
    if (weight && weight->size() != 2)
        raiseAs("ValueError", "weight has to be a 2D Tensor, but got Tensor of dimension " + rankOf(*weight));
    if (!input) return;
    if (input->size() != 1 && input->size() != 2)
        raiseAs("ValueError", "input has to be 1D or 2D Tensor, but got Tensor of dimension " + rankOf(*input));
    const Sizes* offsets = knownSizes(tensorIn(bags.offsets));
    if (input->size() == 2 && tensorIn(bags.offsets))
        raiseAs("ValueError", "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of "
                              "fixed length sequences. However, found offsets of type <class 'torch.Tensor'>");
    if (input->size() == 1 && !bags.offsets) raiseAs("ValueError", "offsets has to be a 1D Tensor but got None");
    if (input->size() == 1 && offsets && offsets->size() != 1) raiseAs("ValueError", "offsets has to be a 1D Tensor");
}

void requireBags(const TensorCall& call) {
    const auto given = [&](std::size_t place, std::string_view name) {
        const Value* value = call.at(place, name);
        return value && !value->isNone() ? value : nullptr;
    };
    Bags bags{tensorIn(given(0, "input")), tensorIn(given(1, "weight")), given(2, "offsets"),
              tensorIn(given(8, "per_sample_weights"))};
    if (!bags.input || !bags.weight) return;
    const bool isSwapped = bags.weight->tensor->dtype == DType::Int64 && // how it was called in PyTorch 0.4
                           dtypeKind(bags.input->tensor->dtype) == DTypeKind::Float;
    if (isSwapped) std::swap(bags.input, bags.weight);
    requireBagSizes(bags);
    const Value* modeGiven = call.at(6, "mode");
    const auto* scalar = modeGiven ? modeGiven->as<Argument>() : nullptr;
    const auto* mode = scalar ? scalar->as<std::string>() : nullptr;
    if (mode && *mode == "max" && call.isTrue(5, "scale_grad_by_freq"))
        raiseAs("ValueError", "max mode does not support scaling the gradient by the frequency");
    if (mode && *mode == "max" && call.isTrue(7, "sparse"))
        raiseAs("ValueError", "max mode does not support sparse weights");
    if (scalar && (!mode || (*mode != "sum" && *mode != "mean" && *mode != "max")))
        raiseAs("ValueError", "mode has to be one of sum, mean or max");
    const std::string used = mode ? *mode : "mean";
    if (bags.samples && (mode || !modeGiven) && used != "sum")
        raiseAs("NotImplementedError", "embedding_bag: per_sample_weights was not None. per_sample_weights is only "
                                       "supported for mode='sum' (got mode='" +
                                           used + "'). Please open a feature request on GitHub.");
    requireIndices(bags.input, "embedding_bag");
}

/// A tuple or list of sizes as Python prints it.
std::string printedSizes(const ValueSequence& sequence, const Sizes& sizes) {
    const std::string list = sizesText(sizes);
    if (sequence.isSize) return "torch.Size(" + list + ")";
    return sequence.list ? list : "(" + list.substr(1, list.size() - 2) + (sizes.size() == 1 ? ",)" : ")");
}

void requireGrid(const TensorCall& call) {
    const auto* theta = tensorIn(call.at(0, "theta"));
    const Value* given = call.at(1, "size");
    if (!theta || !given) return;
    if (theta->tensor->dtype != DType::Other && dtypeKind(theta->tensor->dtype) != DTypeKind::Float)
        raiseAs("ValueError",
                "Expected theta to have floating point type, but got " + std::string(dtypeName(theta->tensor->dtype)));
    const auto* sequence = given->as<ValueSequence>();
    const auto size = sequence ? sizesFrom(sequence->items) : std::nullopt;
    if (!size) return;
    const std::string shown = printedSizes(*sequence, *size);
    if (size->size() != 4 && size->size() != 5)
        raiseAs("NotImplementedError", "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
                                       "respectively. Got size " +
                                           shown + ".");
    const Sizes* sizes = knownSizes(theta);
    if (!sizes) return;
    const std::int64_t rank = static_cast<std::int64_t>(size->size()) - 2;
    const std::string inner = std::to_string(rank), outer = std::to_string(rank + 1);
    if (sizes->size() != 3 || (*sizes)[1] != rank || (*sizes)[2] != rank + 1)
        raiseAs("ValueError", "Expected a batch of " + inner + "D affine matrices of shape Nx" + inner + "x" + outer +
                                  " for size " + shown + ". Got torch.Size(" + sizesText(*sizes) + ").");
    const bool isUnit = call.isTrue(2, "align_corners") && *std::min_element(size->begin() + 2, size->end()) == 1;
    if (!isUnit && *std::min_element(size->begin(), size->end()) <= 0)
        raiseAs("ValueError", "Expected non-zero, positive output size. Got " + shown);
    if (size->front() > 0 && size->front() != sizes->front())
        raiseAs("RuntimeError", "Expected size for first two dimensions of batch2 tensor to be: [" +
                                    std::to_string(size->front()) + ", " + outer + "] but got: [" +
                                    std::to_string(sizes->front()) + ", " + outer + "].");
}

} // namespace

void requireFunctional(std::string_view name, const TensorCall& call) {
    if (name == "embedding") requireLookUp(call);
    if (name == "embedding_bag") requireBags(call);
    if (name == "affine_grid") requireGrid(call);
}

} // namespace fx::trace
