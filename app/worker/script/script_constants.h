// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_writer.h"
#include "core/tensor/tensor_ref.h"

#include <ATen/core/ivalue.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace app {

/// Constants of a script as JSON, by number; the data of tensors is in `bytes`.
class ScriptConstants {
public:
    ScriptConstants();                          ///< Starts an empty array.
    std::int64_t add(const c10::IValue& value); ///< Adds a constant and returns its number.
    /// Returns the array. Call it after adding the last constant.
    std::string text();
    std::shared_ptr<const std::vector<std::byte>> bytes(); ///< Returns the data of the tensors.

private:
    template<class List> void writeItems(const List& list);
    void write(const c10::IValue& value);
    void writeReal(double value);
    void writeOther(const c10::IValue& value);
    void writeTensor(const at::Tensor& tensor);
    void writeCopy(const fx::TensorRef& copy);

    fx::JsonWriter m_json;
    std::int64_t m_count = 0;
    std::vector<std::byte> m_bytes;
};

} // namespace app
