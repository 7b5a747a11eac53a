// SPDX-License-Identifier: GPL-3.0-or-later
// The gamma function by Lanczos' approximation, as in CPython's Modules/mathmodule.c: with g = kG and a rational
// function L of degree 12, gamma(x) = L(x) / exp(x + g - 0.5) * (x + g - 0.5) ** (x - 0.5) for x > 0. Negative numbers
// follow from gamma(-x) = -pi / (x * sin(pi * x) * gamma(x)). The order of the operations decides about the last bits.
#include "core/trace/numbers/gamma_functions.h"

#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>

namespace fx::trace {
namespace {
constexpr double kG = 6.024680040776729583740234375, kLessHalf = kG - 0.5;
constexpr double kLogPi = 1.144729885849400174143427351353058711647;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

/// The coefficients of L by rising power: the numerator, and x * (x + 1) * ... * (x + 11).
constexpr double kOver[] = {
    23531376880.410759688572007674451636754734846804940, 42919803642.649098768957899047001988850926355848959,
    35711959237.355668049440185451547166705960488635843, 17921034426.037209699919755754458931112671403265390,
    6039542586.3520280050642916443072979210699388420708, 1439720407.3117216736632230727949123939715485786372,
    248874557.86205415651146038641322942321632125127801, 31426415.585400194380614231628318205362874684987640,
    2876370.6289353724412254090516208496135991145378768, 186056.26539522349504029498971604569928220784236328,
    8071.6720023658162106380029022722506138218516325024, 210.82427775157934587250973392071336271166969580291,
    2.5066282746310002701649081771338373386264310793408};
constexpr double kUnder[] = {0,       39916800, 120543840, 150917976, 105258076, 45995730, 13339535,
                             2637558, 357423,   32670,     1925,      66,        1};

/// L(x) for x > 0.
double lanczosSum(double x) {
    constexpr std::size_t kCount = std::size(kOver);
    double over = 0, under = 0;
    for (std::size_t i = 0; i < kCount; ++i) { // in powers of 1 / x where those of x would overflow
        const std::size_t place = x < 5 ? kCount - 1 - i : i;
        over = (x < 5 ? over * x : over / x) + kOver[place];
        under = (x < 5 ? under * x : under / x) + kUnder[place];
    }
    return over / under;
}

/// sin(pi * x), exact at multiples of a half.
double sineOfPi(double x) {
    constexpr double kPi = std::numbers::pi;
    const double y = std::fmod(std::fabs(x), 2.0);
    const auto at = [y](int halves) {
        switch (halves) {
        case 0: return std::sin(kPi * y);
        case 1: return std::cos(kPi * (y - 0.5));
        case 2: return std::sin(kPi * (1.0 - y));
        case 3: return -std::cos(kPi * (y - 1.5));
        default: return std::sin(kPi * (y - 2.0));
        }
    };
    return std::copysign(1.0, x) * at(static_cast<int>(std::round(2.0 * y)));
}
} // namespace

double gammaOf(double x) {
    if (std::isnan(x) || x == kInfinity) return x;
    if (x == 0) return std::copysign(kInfinity, x);
    if (x < 0 && x == std::floor(x)) return kNaN; // also -inf
    const double size = std::fabs(x);
    if (x == std::floor(x) && x <= 23) { // exact
        double out = 1;
        for (int i = 2; i < x; ++i) out *= i;
        return out;
    }
    if (size < 1e-20) return 1 / x;
    if (size > 200) return x < 0 ? 0.0 / sineOfPi(x) : kInfinity;
    const double y = size + kLessHalf;
    const double lost = size > kLessHalf ? (y - size) - kLessHalf : (y - kLessHalf) - size; // by rounding y
    const double correction = lost * kG / y;
    double out = x < 0 ? -std::numbers::pi / sineOfPi(size) / size * std::exp(y) / lanczosSum(size)
                       : lanczosSum(size) / std::exp(y);
    out += (x < 0 ? -correction : correction) * out;
    const bool isHalved = size >= 140; // the power would overflow
    const double power = isHalved ? std::pow(y, size / 2.0 - 0.25) : std::pow(y, size - 0.5);
    for (int i = 0; i < (isHalved ? 2 : 1); ++i) out = x < 0 ? out / power : out * power;
    return out;
}

double logGammaOf(double x) {
    if (std::isnan(x)) return x;
    if (std::isinf(x)) return kInfinity;
    if (x <= 2 && x == std::floor(x)) return x <= 0 ? kNaN : 0;
    const double size = std::fabs(x);
    if (size < 1e-20) return -std::log(size);
    double out = std::log(lanczosSum(size)) - kG;
    out += (size - 0.5) * (std::log(size + kG - 0.5) - 1);
    return x < 0 ? kLogPi - std::log(std::fabs(sineOfPi(size))) - std::log(size) - out : out;
}

} // namespace fx::trace
