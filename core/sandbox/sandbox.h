// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

/// A process that parses untrusted input drops the privileges that it does not need:
///
///     loadEverything();                                  // libraries, caches, the machine's description
///     const auto state = fx::enterSandbox({{"/models/net.pt"}});
///     if (!state.holds()) reportIt();
///     readTheModel();                                    // a vulnerability in it is contained
///
/// Landlock limits the files that can be opened, seccomp the system calls. The process can still read the given files
/// and those it had open, write to descriptors that it had open, and start threads. It cannot open files for writing,
/// change folders, run programs, use sockets other than those it inherited, signal other processes or read their
/// memory. It can still query names, sizes and times of files (stat), which Landlock does not limit.
namespace fx {

/// The restrictions that a kernel supports, or that a process has entered.
struct SandboxState {
    int landlock = 0;     ///< version of the Landlock interface; 0 if unavailable
    bool seccomp = false; ///< system calls are filtered
    /// True if both restrictions are in force.
    bool holds() const { return landlock > 0 && seccomp; }
};

/// Returns the restrictions that this kernel supports, without entering them. With LANCET_SANDBOX=off it reports none.
SandboxState sandboxSupport();

/// The rights that a process keeps in the sandbox.
struct SandboxRights {
    /// Files, or folders with everything below. Links are followed on entry; rights belong to the files found, whatever
    /// the names lead to later. Missing files are skipped.
    std::vector<std::string> readable;
    /// Programs that the process may become, with the same rights: a program that is linked dynamically needs its
    /// loader, too.
    std::vector<std::string> executable = {};
    /// Bytes to which files that are open for writing may grow.
    std::uint64_t largestFile = 0;
};

/// Enters the sandbox permanently, for this process and its threads. Call it while there is one thread: others would
/// stay outside of Landlock, so `landlock` is then 0 in the state. Restrictions that the kernel lacks are omitted and
/// missing in the state. Also forbids core dumps, new privileges and growing files, drops all capabilities except
/// reading files, and makes terminals and files at standard output and error append-only. LANCET_SANDBOX=off, for
/// tests, enters nothing and says so on standard error.
SandboxState enterSandbox(const SandboxRights& rights);

} // namespace fx
