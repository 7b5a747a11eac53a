// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/constants/size_errors.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace fx::trace {
namespace {

[[noreturn]] void raiseError(const std::string& text) { throw PythonError("RuntimeError: " + text); }

std::string sizeText(std::int64_t number) { return std::to_string(number); }

std::string sizeText(const Sizes& sizes) {
    std::string out;
    for (const std::int64_t size : sizes) out += (out.empty() ? "" : ", ") + sizeText(size);
    return "[" + out + "]";
}

/// "2x3"
std::string matrixText(std::int64_t rows, std::int64_t columns) { return sizeText(rows) + "x" + sizeText(columns); }

} // namespace

void raiseAs(std::string_view type, const std::string& text) { throw PythonError(std::string(type) + ": " + text); }

std::string sizesText(const Sizes& sizes) { return sizeText(sizes); }

std::string numberText(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", number);
    return text;
}

void requireBroadcast(const std::vector<const Sizes*>& all) {
    Sizes left;
    for (const Sizes* each : all) {
        const std::size_t rank = std::max(left.size(), each->size());
        Sizes right = *each;
        left.insert(left.begin(), rank - left.size(), 1);
        right.insert(right.begin(), rank - right.size(), 1);
        for (std::size_t dim = rank; dim-- > 0;) {
            if (left[dim] != right[dim] && left[dim] != 1 && right[dim] != 1)
                raiseError("The size of tensor a (" + sizeText(left[dim]) + ") must match the size of tensor b (" +
                           sizeText(right[dim]) + ") at non-singleton dimension " + std::to_string(dim));
            if (left[dim] == 1) left[dim] = right[dim];
        }
    }
}

void requireProduct(const Sizes& a, const Sizes& b) {
    const std::int64_t columns = a.back(), inner = b.size() == 1 ? b.back() : b[b.size() - 2];
    if (columns == inner || b.size() > 2) return; // batches are folded in some cases only
    const auto rows = product(Sizes(a.begin(), a.end() - 1));
    if (!rows) return;
    if (a.size() == 1 && b.size() == 1)
        raiseError("inconsistent tensor size, expected tensor " + sizeText(a) + " and src " + sizeText(b) +
                   " to have the same number of elements, but got " + sizeText(columns) + " and " + sizeText(inner) +
                   " elements respectively");
    if (b.size() == 1)
        raiseError("size mismatch, got input (" + sizeText(*rows) + "), mat (" + matrixText(*rows, columns) +
                   "), vec (" + sizeText(inner) + ")");
    raiseError("mat1 and mat2 shapes cannot be multiplied (" + matrixText(*rows, columns) + " and " +
               matrixText(inner, b.back()) + ")");
}

void requireJoined(const std::vector<const Sizes*>& all, std::size_t dim) {
    const Sizes& first = *all.front();
    for (std::size_t i = 1; i < all.size(); ++i)
        for (std::size_t each = 0; each < first.size(); ++each)
            if (each != dim && first[each] != (*all[i])[each])
                raiseError("Sizes of tensors must match except in dimension " + std::to_string(dim) +
                           ". Expected size " + sizeText(first[each]) + " but got size " + sizeText((*all[i])[each]) +
                           " for tensor number " + std::to_string(i) + " in the list.");
}

void requireSameSizes(const std::vector<const Sizes*>& all) {
    for (std::size_t i = 1; i < all.size(); ++i)
        if (*all[i] != *all.front())
            raiseError("stack expects each tensor to be equal size, but got " + sizeText(*all.front()) +
                       " at entry 0 and " + sizeText(*all[i]) + " at entry " + std::to_string(i));
}

void requireExpansion(const Sizes& sizes, const Sizes& wanted) {
    for (std::size_t dim = wanted.size(); dim-- > 0;) {
        const std::size_t fromEnd = wanted.size() - dim;
        const bool isNew = fromEnd > sizes.size();
        if (isNew && wanted[dim] == -1)
            raiseError("The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension " +
                       std::to_string(dim));
        const std::int64_t size = isNew ? 1 : sizes[sizes.size() - fromEnd];
        if (size != 1 && wanted[dim] != -1 && wanted[dim] != size)
            raiseError("The expanded size of the tensor (" + sizeText(wanted[dim]) +
                       ") must match the existing size (" + sizeText(size) + ") at non-singleton dimension " +
                       std::to_string(dim) + ".  Target sizes: " + sizeText(wanted) +
                       ".  Tensor sizes: " + sizeText(sizes));
    }
}

void requireMatrices(std::string_view attribute, const Sizes& sizes) {
    const std::size_t rank = sizes.size();
    const std::string name = "tensor." + std::string(attribute), got = ". Got " + std::to_string(rank) + "-D tensor.";
    if (attribute == "H" && rank != 0 && rank != 2)
        raiseError(name + " is only supported on matrices (2-D tensors)" + got +
                   (rank > 2 ? " For batches of matrices, consider using tensor.mH" : ""));
    if (attribute.starts_with('m') && rank == 1)
        raiseError(name + " is only supported on matrices or batches of matrices" + got);
}

void requireReshapable(const Sizes& wanted) {
    bool isOpen = false;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i] < -1)
            raiseError("invalid shape dimension " + sizeText(wanted[i]) + " at index " + std::to_string(i) +
                       " of shape " + sizeText(wanted));
        if (wanted[i] == -1 && std::exchange(isOpen, true)) raiseError("only one dimension can be inferred");
    }
}

void refuseShape(const Sizes& wanted, std::int64_t count) {
    if (count == 0 && std::find(wanted.begin(), wanted.end(), -1) != wanted.end())
        raiseError("cannot reshape tensor of 0 elements into shape " + sizeText(wanted) +
                   " because the unspecified dimension size -1 can be any value and is ambiguous");
    raiseError("shape '" + sizeText(wanted) + "' is invalid for input of size " + sizeText(count));
}

} // namespace fx::trace
