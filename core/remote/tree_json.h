// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/values/value_tree.h"
#include "core/json/json_document.h"
#include "core/json/json_writer.h"

#include <unordered_map>

namespace fx::remote {

/// Writes value trees into a message. Tensors go into a table at its end; their bytes go into the blob, or are
/// positions in files of this machine.
class TreeWriter {
public:
    /// How tensors in files are sent.
    enum class Files : std::uint8_t { ByPlace, AsBytes };
    explicit TreeWriter(Files files) : m_files(files) {}

    /// Writes a tree as the next value of `json`.
    void write(JsonWriter& json, const ValueTree& tree);
    /// Writes the members "tensors" and "storages". Call it after all trees are written.
    void writeTables(JsonWriter& json);
    /// Returns the bytes that the tables refer to. Call it after `writeTables`.
    std::shared_ptr<const std::vector<std::byte>> blob();
    /// Returns the files that the message refers to by path.
    std::vector<std::string> files() const;

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
    /// `files` says whether the message may refer to files by path. A client's message may. A worker runs untrusted
    /// code, so its replies must not make this process open files.
    TreeReader(JsonValue message, std::shared_ptr<const std::vector<std::byte>> blob, TreeWriter::Files files);
    /// Reads one tree.
    ValueTree read(JsonValue value) const { return read(value, 0); }

private:
    ValueTree read(JsonValue value, int depth) const;
    static Quantizer readQuantizer(JsonValue value);
    static void readScales(JsonValue rows, const std::vector<std::shared_ptr<TensorRef>>& tensors);
    std::vector<TensorPtr> m_tensors;
};

/// Returns the tensor in a worker's reply. Throws Error{Run} for other values.
TensorPtr tensorOf(const ValueTree& answer);
/// Throws Error{Run} unless a worker gave one answer per question.
void requireCount(std::size_t answers, std::size_t questions);

} // namespace fx::remote
