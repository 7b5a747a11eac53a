// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reader/byte_arena.h"

#include "core/diag/error.h"

#include <algorithm>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace fx::reader {

std::shared_ptr<ByteArena> ByteArena::make(std::uint64_t bytes) {
    const int descriptor = ::memfd_create("lancet-weights", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0) return nullptr;
    // Whoever shares it cannot cut it off: reading what is gone would end this process.
    void* const start = ::ftruncate(descriptor, static_cast<off_t>(bytes)) == 0 &&
                                ::fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0
                            ? ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED | MAP_NORESERVE, descriptor, 0)
                            : MAP_FAILED;
    if (start == MAP_FAILED) {
        ::close(descriptor);
        return nullptr;
    }
    return std::shared_ptr<ByteArena>(new ByteArena(descriptor, bytes, static_cast<const std::byte*>(start)));
}

ByteArena::~ByteArena() {
    ::munmap(const_cast<std::byte*>(m_start), m_size);
    ::close(m_descriptor);
}

std::string ByteArena::place() const {
    return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(m_descriptor);
}

std::shared_ptr<const Storage> ByteArena::storage(std::uint64_t at, std::uint64_t bytes) {
    if (at > m_size || bytes > m_size - at) throw Error(ErrorKind::Run, Message("remote.tensor_outside"));
    return Storage::through(bytes, [arena = shared_from_this(), at](std::uint64_t offset, std::span<std::byte> out) {
        std::copy_n(arena->m_start + at + offset, out.size(), out.data());
    });
}

std::span<std::byte> ByteArena::open(const std::string& place, std::uint64_t bytes) {
    const int descriptor = bytes > 0 ? ::open(place.c_str(), O_RDWR | O_CLOEXEC) : -1;
    if (descriptor < 0) return {};
    void* const start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
    ::close(descriptor);
    return start == MAP_FAILED ? std::span<std::byte>() : std::span(static_cast<std::byte*>(start), bytes);
}

} // namespace fx::reader
