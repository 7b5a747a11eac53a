// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/constants/size_errors.h"

#include <algorithm>

namespace fx::trace {
namespace {

[[noreturn]] void refuse(const std::string& text) { throw PythonError("RuntimeError: " + text); }

std::string shown(std::int64_t number) { return std::to_string(number); }

std::string shown(const Sizes& sizes) {
    std::string out;
    for (const std::int64_t size : sizes) out += (out.empty() ? "" : ", ") + shown(size);
    return "[" + out + "]";
}

/// "2x3"
std::string matrix(std::int64_t rows, std::int64_t columns) { return shown(rows) + "x" + shown(columns); }

} // namespace

void requireBroadcast(const std::vector<const Sizes*>& all) {
    Sizes left;
    for (const Sizes* each : all) {
        const std::size_t rank = std::max(left.size(), each->size());
        Sizes right = *each;
        left.insert(left.begin(), rank - left.size(), 1);
        right.insert(right.begin(), rank - right.size(), 1);
        for (std::size_t dim = rank; dim-- > 0;) {
            if (left[dim] != right[dim] && left[dim] != 1 && right[dim] != 1)
                refuse("The size of tensor a (" + shown(left[dim]) + ") must match the size of tensor b (" +
                       shown(right[dim]) + ") at non-singleton dimension " + std::to_string(dim));
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
        refuse("inconsistent tensor size, expected tensor " + shown(a) + " and src " + shown(b) +
               " to have the same number of elements, but got " + shown(columns) + " and " + shown(inner) +
               " elements respectively");
    if (b.size() == 1)
        refuse("size mismatch, got input (" + shown(*rows) + "), mat (" + matrix(*rows, columns) + "), vec (" +
               shown(inner) + ")");
    refuse("mat1 and mat2 shapes cannot be multiplied (" + matrix(*rows, columns) + " and " + matrix(inner, b.back()) +
           ")");
}

void requireJoined(const std::vector<const Sizes*>& all, std::size_t dim) {
    const Sizes& first = *all.front();
    for (std::size_t i = 1; i < all.size(); ++i)
        for (std::size_t each = 0; each < first.size(); ++each)
            if (each != dim && first[each] != (*all[i])[each])
                refuse("Sizes of tensors must match except in dimension " + std::to_string(dim) + ". Expected size " +
                       shown(first[each]) + " but got size " + shown((*all[i])[each]) + " for tensor number " +
                       std::to_string(i) + " in the list.");
}

void requireSameSizes(const std::vector<const Sizes*>& all) {
    for (std::size_t i = 1; i < all.size(); ++i)
        if (*all[i] != *all.front())
            refuse("stack expects each tensor to be equal size, but got " + shown(*all.front()) + " at entry 0 and " +
                   shown(*all[i]) + " at entry " + std::to_string(i));
}

void requireExpansion(const Sizes& sizes, const Sizes& wanted) {
    for (std::size_t dim = wanted.size(); dim-- > 0;) {
        const std::size_t fromEnd = wanted.size() - dim;
        const bool isNew = fromEnd > sizes.size();
        if (isNew && wanted[dim] == -1)
            refuse("The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension " +
                   std::to_string(dim));
        const std::int64_t size = isNew ? 1 : sizes[sizes.size() - fromEnd];
        if (size != 1 && wanted[dim] != -1 && wanted[dim] != size)
            refuse("The expanded size of the tensor (" + shown(wanted[dim]) + ") must match the existing size (" +
                   shown(size) + ") at non-singleton dimension " + std::to_string(dim) +
                   ".  Target sizes: " + shown(wanted) + ".  Tensor sizes: " + shown(sizes));
    }
}

void refuseShape(const Sizes& wanted, std::int64_t count) {
    if (count == 0 && std::find(wanted.begin(), wanted.end(), -1) != wanted.end())
        refuse("cannot reshape tensor of 0 elements into shape " + shown(wanted) +
               " because the unspecified dimension size -1 can be any value and is ambiguous");
    refuse("shape '" + shown(wanted) + "' is invalid for input of size " + shown(count));
}

} // namespace fx::trace
