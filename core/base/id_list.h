// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fx {

/// A view of ids with another owner, convertible to a vector for keeping.
template<class Id> class IdSpan : public std::span<const Id> {
public:
    using std::span<const Id>::span;
    operator std::vector<Id>() const { return {this->begin(), this->end()}; }
};

/// A list of ids that is only assigned as a whole. Up to three ids are stored inline, without an allocation.
template<class Id> class IdList {
    static constexpr std::uint32_t kFew = 3;

public:
    IdList() = default;
    explicit IdList(std::span<const Id> ids) : m_size(static_cast<std::uint32_t>(ids.size())) {
        if (m_size > kFew) m_many = std::make_unique<Id[]>(m_size);
        std::copy(ids.begin(), ids.end(), m_size > kFew ? m_many.get() : m_few.data());
    }
    IdList(const IdList& other) : IdList(other.span()) {}
    IdList(IdList&&) noexcept = default;
    IdList& operator=(IdList other) noexcept {
        m_few = other.m_few;
        m_size = other.m_size;
        m_many = std::move(other.m_many);
        return *this;
    }

    /// Valid until the list is assigned or destroyed.
    IdSpan<Id> span() const { return {m_size > kFew ? m_many.get() : m_few.data(), m_size}; }

private:
    std::array<Id, kFew> m_few{};
    std::uint32_t m_size = 0;
    std::unique_ptr<Id[]> m_many;
};

} // namespace fx
