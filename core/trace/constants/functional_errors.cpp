// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/promotion.h"
#include "core/trace/constants/argument_parser.h"
#include "core/trace/constants/call_errors.h"
#include "core/trace/constants/dtype_texts.h"
#include "core/trace/constants/size_errors.h"

#include <algorithm>

namespace fx::trace {
namespace {

const TensorValue* tensorIn(const Value* value) { return value ? value->as<TensorValue>() : nullptr; }
const Sizes* knownSizes(const TensorValue* tensor) {
    return tensor && tensor->shapeKnown ? &tensor->tensor->sizes : nullptr;
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
    const auto* indices = tensorIn(input);
    if (!indices || indices->tensor->dtype == DType::Int64 || indices->tensor->dtype == DType::Int32) return;
    raiseAs("RuntimeError",
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, "
            "Int; but got " +
                typeText(indices->tensor->dtype) + " instead (while checking arguments for embedding)");
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
    if (name == "affine_grid") requireGrid(call);
}

} // namespace fx::trace
