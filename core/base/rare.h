// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <utility>

namespace fx {

/// A value that is usually T(). It takes the space of a pointer until it differs from T(). Copies are deep.
template<class T> class Rare {
public:
    Rare() = default;
    Rare(const Rare& other) : m_value(other.m_value ? std::make_unique<T>(*other.m_value) : nullptr) {}
    Rare(Rare&&) noexcept = default;
    Rare& operator=(Rare other) noexcept {
        m_value = std::move(other.m_value);
        return *this;
    }

    /// The value; a shared T() if none is stored.
    const T& get() const {
        static const T kNothing{};
        return m_value ? *m_value : kNothing;
    }
    /// Stores `value`; frees the storage if it equals T().
    void set(T value) { m_value = value == T() ? nullptr : std::make_unique<T>(std::move(value)); }

private:
    std::unique_ptr<T> m_value;
};

} // namespace fx
