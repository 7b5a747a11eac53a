// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/run_value.h"

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace fx::engine {

/// Mirrors torch.manual_seed.
void seed(std::uint64_t value);
/// Mirrors torch.set_num_threads; 0 is LibTorch's default.
void setThreads(int count);
/// Returns the current number of threads.
int threads();
/// Returns LibTorch's version and build configuration, as text.
std::string libraryDescription();

/// Returns the message of a LibTorch error without its C++ stack trace.
std::string messageOf(const std::exception& error);
/// True if a LibTorch message is about dtypes, or an operator without a kernel for one, so that no values can help.
bool complainsOfDtypes(std::string_view text);
/// Converts a LibTorch error to a message. LibTorch distinguishes kinds of failure by text only; this is the only
/// place that parses it.
Message torchFailure(const std::exception& error);

/// Thread-local modes that nodes may switch for later nodes: gradient recording and torch.autocast("cpu").
struct Modes {
    bool records, autocasts;     ///< gradient recording; autocast is enabled
    at::ScalarType autocastType; ///< dtype of autocast
    int autocastDepth;           ///< number of autocast regions that are open

    /// Returns the modes of this thread.
    static Modes current();
    /// Sets the modes of this thread.
    void apply() const;
};

/// Restores the modes of construction time on destruction.
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

/// Draws an input: floats by torch.randn, integers by torch.randint(high), booleans by torch.randint(2).bool().
at::Tensor randomInput(const std::vector<std::int64_t>& sizes, at::ScalarType type, std::int64_t high);

} // namespace fx::engine
