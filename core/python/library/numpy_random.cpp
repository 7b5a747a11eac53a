// SPDX-License-Identifier: GPL-3.0-or-later
// numpy.random: the legacy generator, with the bits of NumPy's for the same seed.
#include "core/python/python_interpreter.h"

#include <cmath>
#include <memory>
#include <random>

namespace fx::python {

namespace {
/// What NumPy draws from a Mersenne Twister: `random_sample`, `legacy_gauss` and `random_interval` of its C sources.
class LegacyDraw {
public:
    explicit LegacyDraw(std::uint32_t seed) : m_engine(seed) {}

    double real() {
        const std::uint32_t high = word() >> 5, low = word() >> 6;
        return (high * 67108864.0 + low) / 9007199254740992.0;
    }
    /// By the polar method, two at once.
    double normal() {
        if (m_hasSpare) {
            m_hasSpare = false;
            return m_spare;
        }
        double x = 0, y = 0, square = 0;
        do {
            x = 2.0 * real() - 1.0;
            y = 2.0 * real() - 1.0;
            square = x * x + y * y;
        } while (square >= 1.0 || square == 0.0);
        const double factor = std::sqrt(-2.0 * std::log(square) / square);
        m_hasSpare = true;
        m_spare = factor * x;
        return factor * y;
    }
    /// From 0 to `last`: numbers with as many bits are drawn until one is small enough.
    std::uint64_t below(std::uint64_t last) {
        if (last == 0) return 0;
        std::uint64_t mask = last;
        for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
        for (;;) {
            std::uint64_t drawn = word();
            if (last > UINT32_MAX) drawn = drawn << 32 | word();
            if ((drawn &= mask) <= last) return drawn;
        }
    }

private:
    std::uint32_t word() { return static_cast<std::uint32_t>(m_engine()); }

    std::mt19937 m_engine;
    bool m_hasSpare = false;
    double m_spare = 0;
};
} // namespace

/// What the text of numpy.random draws with.
void Library::addRandomNumbers() {
    const auto twister = [](Interpreter& in, Values& args, Keywords&) -> Value { // seed
        const auto draw = std::make_shared<LegacyDraw>(static_cast<std::uint32_t>(args.at(0).asInt()));
        return in.native("draw", [draw](Interpreter& self, Values& given, Keywords&) -> Value { // kind, count, last
            const std::string kind = self.str(given.at(0));
            const std::int64_t count = given.at(1).asInt();
            constexpr std::int64_t kMost = 1 << 24;
            if (count > kMost) throw trace::CannotFollow(Message("trace.long_sequence"));
            Values out;
            for (std::int64_t i = 0; i < count; ++i)
                out.push_back(kind == "below" ? Value(static_cast<std::int64_t>(
                                                    draw->below(static_cast<std::uint64_t>(given.at(2).asInt()))))
                                              : Value(kind == "normal" ? draw->normal() : draw->real()));
            return self.listOf(std::move(out));
        });
    };
    m_in.builtins().names().set("__mersenne_twister__", native("__mersenne_twister__", twister));
}

} // namespace fx::python
