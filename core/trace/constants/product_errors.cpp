// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/constants/call_errors.h"
#include "core/trace/constants/dtype_texts.h"
#include "core/trace/constants/size_errors.h"

namespace fx::trace {
namespace {

[[noreturn]] void raiseProduct(const std::string& text) { raiseAs("RuntimeError", text); }

std::string dimensionsText(const Sizes& sizes) { return std::to_string(sizes.size()) + "D"; }

/// The numbers of dimensions that each function asks for.
void requireRanks(std::string_view name, const Sizes& a, const Sizes& b) {
    if (name == "mm" && a.size() != 2) raiseProduct("self must be a matrix");
    if (name == "mm" && b.size() != 2) raiseProduct("mat2 must be a matrix");
    if (name == "bmm" && a.size() != 3) raiseProduct("batch1 must be a 3D tensor");
    if (name == "bmm" && b.size() != 3) raiseProduct("batch2 must be a 3D tensor");
    if (name == "mv" && !a.empty() && (a.size() != 2 || b.size() != 1))
        raiseProduct("vector + matrix @ vector expected, got 1, " + std::to_string(a.size()) + ", " +
                     std::to_string(b.size()));
    if (name == "dot" && (a.size() != 1 || b.size() != 1))
        raiseProduct("1D tensors expected, but got " + dimensionsText(a) + " and " + dimensionsText(b) + " tensors");
    if (name == "matmul" && (a.empty() || b.empty()))
        raiseProduct("both arguments to matmul need to be at least 1D, but they are " + dimensionsText(a) + " and " +
                     dimensionsText(b));
}

void requireBatches(const Sizes& a, const Sizes& b) {
    if (a.size() != 3 || b.size() != 3) return;
    if (a[0] == b[0] && a[2] == b[1]) return;
    raiseProduct("Expected size for first two dimensions of batch2 tensor to be: " + sizesText({a[0], a[2]}) +
                 " but got: " + sizesText({b[0], b[1]}) + ".");
}

void requireSameDtype(const CheckedCall& checked, const Sizes& a, const Sizes& b) {
    const DType left = checked.call.dtype(0), right = checked.call.dtype(1);
    if (left == DType::Bool || right == DType::Bool) return; // some of them have no kernel
    if (left == right || scalarText(left).empty() || scalarText(right).empty()) return;
    const std::string from(scalarText(left)), to(scalarText(right));
    if (a.size() == 1 && b.size() == 1)
        raiseProduct("dot : expected both vectors to have same dtype, but found " + from + " and " + to);
    if (b.size() == 1)
        raiseProduct("addmv input tensors must have the same dtype, but got " + to + ", " + from + ", and " + to);
    if (a.size() > 2 && b.size() > 2) raiseProduct("expected scalar type " + from + " but found " + to);
    raiseProduct("expected m1 and m2 to have the same dtype, but got: " + std::string(storedText(left)) +
                 " != " + std::string(storedText(right)));
}

} // namespace

void requireFactors(const CheckedCall& checked) {
    const Sizes* b = checked.call.sizes(1);
    if (!b || checked.call.args.size() != 2) return;
    const Sizes& a = checked.sizes;
    requireRanks(checked.name, a, *b);
    if (checked.name == "bmm") requireBatches(a, *b);
    if (checked.name == "matmul" && a.size() > 2 && b->size() > 2) {
        const Sizes left(a.begin(), a.end() - 2), right(b->begin(), b->end() - 2);
        requireBroadcast({&left, &right});
    }
    if (a.empty() || b->empty()) return;
    requireProduct(a, *b);
    if (product(a) != std::optional<std::int64_t>(0) && product(*b) != std::optional<std::int64_t>(0))
        requireSameDtype(checked, a, *b);
}

} // namespace fx::trace
