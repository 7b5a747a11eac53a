// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/value.h"

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace fx::engine {

/// torch.manual_seed
void seed(std::uint64_t value);
/// torch.set_num_threads; 0 means LibTorch's default.
void setThreads(int count);
int threads();
/// LibTorch's version and build configuration, as text.
std::string libraryDescription();

/// The message of a LibTorch error without its C++ stack trace.
std::string messageOf(const std::exception& error);
/// Whether a text of LibTorch complains of dtypes, or of an operator that has no kernel for one: no values help then.
bool complainsOfDtypes(std::string_view text);
/// The same as a message. LibTorch tells kinds of failure by its texts alone, so this is where they are read, once.
Message torchFailure(const std::exception& error);

/// Modes of the calling thread that nodes may switch for later nodes: gradient recording and torch.autocast("cpu").
struct Modes {
    bool records, autocasts;
    at::ScalarType autocastType;
    int autocastDepth; ///< number of autocast regions that are entered but not left

    static Modes current();
    void apply() const;
};

/// Restores the modes on destruction.
class ModesScope {
public:
    ModesScope() = default;
    ~ModesScope() { m_before.apply(); }
    ModesScope(const ModesScope&) = delete;
    ModesScope& operator=(const ModesScope&) = delete;

private:
    Modes m_before = Modes::current();
};

/// Enters torch.autocast("cpu", type, enabled).
void enterAutocast(bool enabled, at::ScalarType type);

/// An input drawn at random: floats by torch.randn, integers by torch.randint(high), booleans by
/// torch.randint(2).bool().
at::Tensor randomInput(const std::vector<std::int64_t>& sizes, at::ScalarType type, std::int64_t high);

} // namespace fx::engine
