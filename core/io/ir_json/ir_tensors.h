// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/ir_json/ir_values.h"
#include "core/io/safetensors/safetensors.h"
#include "core/tensor/tensor_ref.h"

#include <unordered_map>
#include <unordered_set>

namespace fx {

/// Assigns an id to every tensor of a model and one entry of the .safetensors file to every storage.
///
/// An id is the first path of the tensor. The .safetensors file fully describes a row-major tensor with a separate
/// storage; other tensors get a row in the table `tensors`.
class IrTensorWriter {
public:
    /// Returns the id of a tensor. `asParameter` is true for parameters of a module.
    std::string id(const TensorPtr& tensor, const std::string& path, bool asParameter);
    /// Writes the table. Call it last.
    void writeTable(JsonWriter& json);
    /// Returns true if a tensor needs a row in the table.
    bool needsTable() const;
    /// The content of the .safetensors file.
    const SafetensorsFile& weights() const { return m_weights; }

private:
    struct Row {
        std::string id;
        TensorPtr tensor;
        bool asParameter;
        std::string data; ///< key of the storage, empty without one
        bool firstOfStorage;
        bool plain; ///< the .safetensors entry is sufficient
    };
    void addStorage(Row& row);
    void writeRow(JsonWriter& json, const Row& row);
    void writeQuantizer(JsonWriter& json, const Row& row);

    std::vector<Row> m_rows;
    std::unordered_map<const TensorRef*, std::size_t> m_known;
    std::unordered_map<const Storage*, std::string> m_storages;
    std::unordered_set<std::string> m_ids;
    SafetensorsFile m_weights;
};

/// Restores the tensors that `IrTensorWriter` described.
class IrTensorReader {
public:
    /// `table` is the value of `tensors`, which may be missing.
    IrTensorReader(JsonValue table, const SafetensorsFile& weights, std::string weightsPath);

    /// Returns the tensor with this id; null for JSON null. The same id always gives the same pointer.
    TensorPtr tensor(JsonValue id, bool asParameter);

private:
    TensorPtr described(JsonValue row, JsonValue id, bool asParameter);
    Quantizer quantizer(JsonValue value);
    std::shared_ptr<const Storage> storage(std::string_view key, JsonValue where);

    std::unordered_map<std::string_view, JsonValue> m_rows;
    std::unordered_map<std::string_view, const SafetensorsEntry*> m_entries;
    std::unordered_map<std::string, std::shared_ptr<const Storage>> m_expressions;
    std::unordered_map<std::string, TensorPtr> m_tensors;
    std::unordered_set<std::string> m_open; ///< ids being read, to detect cycles of quantisers
    std::string m_weightsPath;
};

} // namespace fx
