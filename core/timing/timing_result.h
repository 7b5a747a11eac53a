// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Results of timing models. Times are wall-clock milliseconds unless a name says otherwise.
namespace fx::timing {

/// The verdict on variant b relative to a, from the interval of their ratio.
enum class Verdict : std::uint8_t { Faster, Slower, Same, TooNoisy };
/// Returns "faster", "slower", "same" or "too_noisy".
const char* verdictName(Verdict verdict);

/// A confidence interval.
struct Interval {
    double low = 0, high = 0;
    bool operator==(const Interval&) const = default;
};

/// The times of one model, measured alternately with the others.
struct VariantTiming {
    std::string model;         ///< name in the request
    std::string mode;          ///< "train" or "eval"; empty if unknown
    double medianMs = 0;       ///< per run
    double q1Ms = 0, q3Ms = 0; ///< quartiles; their distance is the IQR
    double minMs = 0;          ///< per run
    /// Time of the first run of the measurement. It learns kernels and creates oneDNN primitives that this process has
    /// not cached. It can be shorter than the fastest sample, which is the mean of a block.
    double coldMs = 0;
    std::size_t runsPerBlock = 1;  ///< a sample is the mean of this many runs, so that it lasts at least 10 ms
    std::size_t warmupRuns = 0;    ///< runs before the first sample
    bool settled = true;           ///< false if warm-up ended by its time limit before times were stable
    std::vector<double> samplesMs; ///< one per round, in order
    /// The interquartile range.
    double iqrMs() const { return q3Ms - q1Ms; }
};

/// The ratio of variant b to variant a, from samples of the same rounds.
struct RatioTiming {
    std::size_t a = 0, b = 0; ///< indices of variants
    double ratio = 1;         ///< median of b / a over rounds
    Interval ci95{1, 1};      ///< bootstrap over rounds
    Verdict verdict = Verdict::TooNoisy;
    Message why; ///< reason for TooNoisy, or empty
};

/// A oneDNN primitive, or an MKL call, that a node ran.
struct Primitive {
    std::string library = "oneDNN"; ///< "oneDNN" or "MKL"
    std::string kind;               ///< "convolution", "reorder", "sgemm"
    std::string implementation;     ///< "brg_conv_fwd:avx2"
    std::string formats;            ///< "src:f32:acdb wei:f32:ABcd8b dst:f32:acdb"
    std::string problem;            ///< "mb1_ic3oc64_ih224..."
    bool isReorder() const { return kind == "reorder"; }
    bool operator==(const Primitive&) const = default;
};

/// The time and the work of one node.
struct NodeTiming {
    std::string name, op, target; ///< `target` of a call_module is the type of the module
    double ms = 0;                ///< mean over the fastest third of the runs (by total time), so node times add up
    double iqrMs = 0;             ///< interquartile range of its times
    double share = 0;             ///< fraction of the sum over all nodes, 0 to 1
    std::optional<double> flops;  ///< nullopt if unknown for the operator
    std::optional<double> bytes;  ///< read and written at least once: operands, parameters, results
    std::optional<double> ceilingShare; ///< of the machine's ceiling at this ratio of FLOPs to bytes (roofline);
                                        ///< above 1 if data came from caches
    bool memoryBound = false;           ///< limited by memory bandwidth, not by arithmetic
    std::vector<Primitive> primitives;  ///< primitives run by oneDNN and MKL; empty for ATen's own kernels
    std::size_t reorders = 0;           ///< number of reorders among them
    std::string memoryFormat;           ///< format of the result: "contiguous", "channels_last", or empty
};

/// The total of all nodes with the same target.
struct TypeTotal {
    std::string target;
    std::size_t count = 0;    ///< number of nodes
    double ms = 0, share = 0; ///< sums over the nodes
    double flops = 0;         ///< sum of the known values
};

/// The time of one variant by node and by target.
struct NodeReport {
    std::size_t variant = 0;       ///< index in `BenchResult::variants`
    double wholeMs = 0;            ///< untimed runs, alternating with timed ones; mean of the fastest third
    double sumMs = 0;              ///< sum over all nodes
    std::size_t runs = 0;          ///< runs whose nodes were timed
    std::size_t reorders = 0;      ///< sum over all nodes
    std::vector<NodeTiming> nodes; ///< in graph order
    std::vector<TypeTotal> types;  ///< longest first
};

/// The machine's ceiling, measured with a short matrix product and a copy that exceeds the caches.
struct Ceiling {
    double gflops = 0;   ///< float32
    double gbytes = 0;   ///< 10^9 bytes per second, read plus written
    int threads = 0;     ///< number of threads during the measurement
    bool cached = false; ///< true if a value is from an earlier, higher measurement
};

/// The machine and the settings of a measurement.
struct Environment {
    std::string processor;             ///< "AMD EPYC 7763"
    int processors = 0;                ///< CPUs available to this process
    int threads = 0;                   ///< number of threads of the model
    std::string isa;                   ///< instruction set of ATen's kernels: "AVX2"
    std::string oneDnn, oneDnnIsa;     ///< "v3.7.1", "Intel AVX2"
    std::string blas, library, system; ///< descriptions of BLAS, LibTorch and the operating system
    bool denormalsFlushed = false;     ///< denormal floats are treated as 0
    std::string governor;              ///< empty if unreadable
    double frequencyMhz = 0;           ///< at the end of the measurement; 0 if unreadable
    double loadAverage = 0;            ///< over the last minute before the measurement
    double otherLoad = 0;              ///< average number of CPUs kept busy by other processes during the measurement
    double stealShare = 0;             ///< fraction of CPU time taken by the hypervisor, 0 to 1
    double noiseFloor = 0;             ///< deviation from 1 of a model against itself; 0.01 is 1 %
    std::optional<Ceiling> ceiling;    ///< if measured
};

/// The complete result of a measurement.
struct BenchResult {
    Environment environment;
    std::vector<VariantTiming> variants;
    std::vector<RatioTiming> ratios; ///< each later variant against the first
    std::vector<NodeReport> reports; ///< if requested, one per variant
    std::size_t rounds = 0;          ///< number of samples per variant
    double seconds = 0;              ///< duration of the whole measurement
    std::vector<Message> warnings;   ///< load of other processes, a power-saving governor, ...
};

} // namespace fx::timing
