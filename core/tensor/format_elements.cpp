// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/python_text.h"
#include "core/tensor/elements.h"
#include "core/tensor/quantized_values.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace fx {

namespace {

/// Significant digits that tell any two values of the type apart, 0: all that a double needs.
int digitsOf(DType dtype) {
    switch (dtype) {
    case DType::Float32:
    case DType::Complex64: return 9;
    case DType::Float16:
    case DType::Complex32: return 5;
    case DType::BFloat16:
    case DType::Float8E8M0FNU: return 4;
    case DType::Float8E4M3FN:
    case DType::Float8E4M3FNUZ:
    case DType::Float8E5M2:
    case DType::Float8E5M2FNUZ: return 3;
    default: return 0;
    }
}

/// The double that prints with the fewest digits needed in `dtype`.
double shortened(DType dtype, double value) {
    const int digits = digitsOf(dtype);
    if (digits == 0 || !std::isfinite(value)) return value;
    char text[40];
    const std::to_chars_result end =
        digits == 9 ? std::to_chars(text, text + sizeof text, static_cast<float>(value))
                    : std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits);
    double result = value;
    std::from_chars(text, end.ptr, result);
    return result;
}

std::string integerText(DType dtype, const std::byte* at, double value) {
    if (dtype == DType::Int64) {
        std::int64_t exact;
        std::memcpy(&exact, at, sizeof exact);
        return std::to_string(exact);
    }
    if (dtype == DType::UInt64) {
        std::uint64_t exact;
        std::memcpy(&exact, at, sizeof exact);
        return std::to_string(exact);
    }
    return std::to_string(static_cast<long long>(value));
}

std::string elementText(DType dtype, const ElementStream::Run& run, std::size_t i, const QuantizedValues& quantized) {
    std::string text;
    if (partsOf(dtype) == 2) {
        appendPythonComplex(text, shortened(dtype, run.values[2 * i]), shortened(dtype, run.values[2 * i + 1]));
    } else if (quantized.active()) {
        appendPythonFloat(text,
                          quantized.real(run.values[i], run.logical + static_cast<std::int64_t>(i) * run.logicalStep));
    } else if (dtype == DType::Bool) {
        text = run.values[i] != 0 ? "True" : "False";
    } else if (digitsOf(dtype) > 0 || dtype == DType::Float64) {
        appendPythonFloat(text, shortened(dtype, run.values[i]));
    } else {
        text = integerText(dtype, run.bytes + i * run.byteStride, run.values[i]);
    }
    return text;
}

} // namespace

std::vector<std::string> formatElements(const TensorRef& tensor, std::int64_t first, std::int64_t count,
                                        const Progress& progress) {
    ElementStream stream(tensor, ElementStream::Order::Logical);
    const QuantizedValues quantized(tensor);
    std::vector<std::string> texts;
    stream.visit(first, count, progress, [&](const ElementStream::Run& run) {
        for (std::size_t i = 0; i < run.count; ++i) texts.push_back(elementText(tensor.dtype, run, i, quantized));
    });
    return texts;
}

} // namespace fx
