// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/descriptor_channel.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>

namespace fx::remote {
namespace {

/// A message of one byte with room for descriptors beside it.
struct DescriptorMessage {
    char byte = 0;
    iovec content{&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostDescriptors * sizeof(int))> control{};
    msghdr header{};

    explicit DescriptorMessage(std::size_t descriptors) {
        header.msg_iov = &content, header.msg_iovlen = 1;
        header.msg_control = control.data(), header.msg_controllen = CMSG_SPACE(descriptors * sizeof(int));
    }
};

} // namespace

bool sendDescriptors(int channel, std::span<const int> descriptors, const Progress& progress) {
    constexpr int kPause = 20; // ms between looks at the stop request
    DescriptorMessage message(descriptors.size());
    cmsghdr* const rights = CMSG_FIRSTHDR(&message.header);
    rights->cmsg_level = SOL_SOCKET, rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
    while (::sendmsg(channel, &message.header, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
        if (errno == EINTR) continue;
        // ETOOMANYREFS: too many are under way.
        if ((errno != EAGAIN && errno != ETOOMANYREFS) || progress.stopRequested()) return false;
        pollfd waiting = {channel, POLLOUT, 0};
        ::poll(&waiting, 1, kPause);
    }
    return true;
}

std::vector<int> receiveDescriptors(int channel) {
    DescriptorMessage message(kMostDescriptors);
    ssize_t got = 0;
    do got = ::recvmsg(channel, &message.header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    while (got < 0 && errno == EINTR);
    const cmsghdr* const rights = got > 0 ? CMSG_FIRSTHDR(&message.header) : nullptr;
    if (!rights || rights->cmsg_level != SOL_SOCKET || rights->cmsg_type != SCM_RIGHTS) return {};
    std::vector<int> out((rights->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(out.data(), CMSG_DATA(rights), out.size() * sizeof(int));
    return out;
}

} // namespace fx::remote
