// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/zip/inflate_stream.h"

#include "core/diag/error.h"

#include <algorithm>

namespace fx {

namespace {
constexpr std::size_t kChunk = 1 << 16;
}

InflateStream::InflateStream(std::shared_ptr<const DataFile> file, std::uint64_t offset, std::uint64_t compressed,
                             std::uint64_t size, std::string name)
    : m_file(std::move(file)), m_offset(offset), m_compressed(compressed), m_size(size), m_name(std::move(name)) {}

InflateStream::~InflateStream() {
    if (m_running) inflateEnd(&m_stream);
}

void InflateStream::restart() {
    if (m_running) inflateEnd(&m_stream);
    m_stream = {};
    m_running = inflateInit2(&m_stream, -MAX_WBITS) == Z_OK; // raw deflate data, no header
    if (!m_running) throw Error(ErrorKind::File, Message("zip.no_memory")).in(m_file->path());
    m_position = m_consumed = 0;
}

void InflateStream::produce(std::span<std::byte> out) {
    m_stream.next_out = reinterpret_cast<Bytef*>(out.data());
    m_stream.avail_out = static_cast<uInt>(out.size());
    while (m_stream.avail_out > 0) {
        if (m_stream.avail_in == 0 && m_consumed < m_compressed) {
            m_input.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, m_compressed - m_consumed)));
            m_file->read(m_offset + m_consumed, m_input);
            m_consumed += m_input.size();
            m_stream.next_in = reinterpret_cast<Bytef*>(m_input.data());
            m_stream.avail_in = static_cast<uInt>(m_input.size());
        }
        const int status = inflate(&m_stream, Z_NO_FLUSH);
        if (m_stream.avail_out > 0 && status != Z_OK)
            throw Error(ErrorKind::File, Message("zip.damaged_member")).in(m_file->path()).at(m_name);
    }
    m_position += out.size();
}

void InflateStream::read(std::uint64_t offset, std::span<std::byte> out) {
    const std::lock_guard lock(m_mutex);
    if (offset > m_size || out.size() > m_size - offset)
        throw Error(ErrorKind::File, Message("zip.past_member")).in(m_file->path());
    if (!m_running || offset < m_position) restart();
    try {
        std::vector<std::byte> skipped;
        while (m_position < offset) {
            skipped.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, offset - m_position)));
            produce(skipped);
        }
        for (; !out.empty(); out = out.subspan(std::min<std::size_t>(out.size(), 1 << 30)))
            produce(out.first(std::min<std::size_t>(out.size(), 1 << 30)));
    } catch (...) {
        m_position = m_size + 1; // starts again at the next read
        throw;
    }
}

} // namespace fx
