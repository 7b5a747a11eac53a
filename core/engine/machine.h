// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/value.h"

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

namespace fx::engine {

/// torch.manual_seed
void seed(std::uint64_t value);
/// torch.set_num_threads; 0: as many as LibTorch chooses by itself.
void setThreads(int count);
int threads();
/// LibTorch's version and how it was built, as text.
std::string libraryDescription();

/// What an error of LibTorch says, without the C++ stack that follows.
std::string messageOf(const std::exception& error);
/// The same as a message. LibTorch tells kinds of failure by its texts alone, so this is where they are read, once.
Message torchFailure(const std::exception& error);

/// What nodes of a graph may switch for those that follow: recording of gradients and torch.autocast("cpu"). Of the
/// calling thread.
struct Modes {
    bool records, autocasts;
    at::ScalarType autocastType;
    int autocastDepth; ///< entered and not yet left

    static Modes current();
    void apply() const;
};

/// Puts the modes back as they were.
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
