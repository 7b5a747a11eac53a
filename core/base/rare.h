// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <utility>

namespace fx {

/// A value that is mostly T(): takes the space of a pointer until it is something else. Copies are deep.
template<class T> class Rare {
public:
    Rare() = default;
    Rare(const Rare& other) : m_value(other.m_value ? std::make_unique<T>(*other.m_value) : nullptr) {}
    Rare(Rare&&) noexcept = default;
    Rare& operator=(Rare other) noexcept {
        m_value = std::move(other.m_value);
        return *this;
    }

    const T& get() const {
        static const T kNothing{};
        return m_value ? *m_value : kNothing;
    }
    void set(T value) { m_value = value == T() ? nullptr : std::make_unique<T>(std::move(value)); }

private:
    std::unique_ptr<T> m_value;
};

} // namespace fx
