// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/values/value_tree.h"
#include "core/json/json_document.h"
#include "core/json/json_writer.h"

#include <unordered_map>

namespace fx::remote {

/// Writes trees of values into a message: tensors go to a table at its end, their bytes into the blob, or as a position
/// for files of this machine.
class TreeWriter {
public:
    enum class Files : std::uint8_t { ByPlace, AsBytes };
    explicit TreeWriter(Files files) : m_files(files) {}

    void write(JsonWriter& json, const ValueTree& tree);
    /// The member "tensors" and "storages" of the message, after all trees.
    void writeTables(JsonWriter& json);
    std::shared_ptr<const std::vector<std::byte>> blob();

private:
    std::size_t place(const TensorPtr& tensor);
    void writeQuantizer(JsonWriter& json, const Quantizer& quantizer);

    Files m_files;
    std::vector<TensorPtr> m_tensors;
    std::unordered_map<const TensorRef*, std::size_t> m_places;
    std::vector<std::shared_ptr<const Storage>> m_storages;
    std::unordered_map<const Storage*, std::size_t> m_storagePlaces;
    std::vector<std::byte> m_blob;
};

/// Reads trees of values. Throws Error{File} for invalid messages.
class TreeReader {
public:
    TreeReader(JsonValue message, std::shared_ptr<const std::vector<std::byte>> blob);
    ValueTree read(JsonValue value) const { return read(value, 0); }

private:
    ValueTree read(JsonValue value, int depth) const;
    static Quantizer readQuantizer(JsonValue value);
    static void readScales(JsonValue rows, const std::vector<std::shared_ptr<TensorRef>>& tensors);
    std::vector<TensorPtr> m_tensors;
};

} // namespace fx::remote
