// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/make/normal_numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace fx {
namespace {

std::uint32_t bitsOf(float value) { return std::bit_cast<std::uint32_t>(value); }
float withBits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

template<std::size_t N> float polynomial(float x, const float (&coefficients)[N]) {
    float y = coefficients[0];
    for (std::size_t i = 1; i < N; ++i) y = std::fma(y, x, coefficients[i]);
    return y;
}

float naturalLogarithm(float x) {
    static constexpr float kCoefficients[] = {7.0376836292E-2f,  -1.1514610310E-1f, 1.1676998740E-1f,
                                              -1.2420140846E-1f, 1.4249322787E-1f,  -1.6668057665E-1f,
                                              2.0000714765E-1f,  -2.4999993993E-1f, 3.3333331174E-1f};
    x = std::max(x, withBits(0x00800000));
    float exponent = static_cast<float>(static_cast<int>(bitsOf(x) >> 23) - 0x7f) + 1.0f;
    x = withBits((bitsOf(x) & ~0x7f800000u) | bitsOf(0.5f));
    const bool isSmall = x < 0.707106781186547524f;
    const float kept = isSmall ? x : 0.0f;
    x -= 1.0f;
    exponent -= isSmall ? 1.0f : 0.0f;
    x += kept;
    const float square = x * x;
    float y = polynomial(x, kCoefficients) * x;
    y = std::fma(y, square, exponent * -2.12194440e-4f);
    y = std::fma(-square, 0.5f, y);
    x += y;
    return std::fma(exponent, 0.693359375f, x);
}

struct SineCosine {
    float sine, cosine;
};
/// Of an angle that is not negative.
SineCosine sineCosine(float x) {
    static constexpr float kCosine[] = {2.443315711809948E-005f, -1.388731625493765E-003f, 4.166664568298827E-002f};
    static constexpr float kSine[] = {-1.9515295891E-4f, 8.3321608736E-3f, -1.6666654611E-1f};
    const std::int32_t octant = (static_cast<std::int32_t>(x * 1.27323954473516f) + 1) & ~1;
    const float y = static_cast<float>(octant);
    for (const float part : {-0.78515625f, -2.4187564849853515625e-4f, -3.77489497744594108e-8f})
        x = std::fma(y, part, x);
    const float square = x * x;
    const float even = std::fma(polynomial(square, kCosine) * square, square, -(square * 0.5f)) + 1.0f;
    const float odd = std::fma(polynomial(square, kSine) * square, x, x);
    const bool straight = (octant & 2) == 0;
    const std::uint32_t sineSign = static_cast<std::uint32_t>(octant & 4) << 29,
                        cosineSign = static_cast<std::uint32_t>(~(octant - 2) & 4) << 29;
    return {withBits(bitsOf(straight ? odd : even) ^ sineSign), withBits(bitsOf(straight ? even : odd) ^ cosineSign)};
}

} // namespace

void makeNormal16(std::span<float, 16> numbers, float mean, float deviation) {
    constexpr float kTwoPi = static_cast<float>(2.0f * std::numbers::pi);
    for (std::size_t i = 0; i < 8; ++i) {
        const float radius = std::sqrt(-2.0f * naturalLogarithm(1.0f - numbers[i]));
        const auto [sine, cosine] = sineCosine(kTwoPi * numbers[i + 8]);
        numbers[i] = std::fma(radius * cosine, deviation, mean);
        numbers[i + 8] = std::fma(radius * sine, deviation, mean);
    }
}

} // namespace fx
