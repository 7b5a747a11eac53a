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

/// The verdict on b relative to a, from an interval of ratios.
enum class Verdict : std::uint8_t { Faster, Slower, Same, TooNoisy };
/// "faster", "slower", "same", "too_noisy"
const char* verdictName(Verdict verdict);

/// A confidence interval.
struct Interval {
    double low = 0, high = 0;
    bool operator==(const Interval&) const = default;
};

/// One model, timed in alternation with the others.
struct VariantTiming {
    std::string model;         ///< as named in the request
    double medianMs = 0;       ///< of one run
    double q1Ms = 0, q3Ms = 0; ///< quartiles; their distance is the IQR
    double minMs = 0;
    /// The first run of the measurement, one by itself: it learns kernels, and creates the oneDNN primitives that this
    /// process has not kept from other runs. It may be faster than the fastest sample, which is the mean of a block.
    double coldMs = 0;
    std::size_t runsPerBlock = 1; ///< a sample is the mean of this many runs, so that it lasts at least 10 ms
    std::size_t warmupRuns = 0;
    bool settled = true;           ///< warm-up ended because times were stable, not because its time was over
    std::vector<double> samplesMs; ///< one per round, in order
    double iqrMs() const { return q3Ms - q1Ms; }
};

/// Variant b against variant a, from samples of the same rounds.
struct RatioTiming {
    std::size_t a = 0, b = 0; ///< indices of variants
    double ratio = 1;         ///< median of b / a over rounds
    Interval ci95{1, 1};      ///< bootstrap over rounds
    Verdict verdict = Verdict::TooNoisy;
    Message why; ///< why it is too noisy, or empty
};

/// A primitive of oneDNN, or a call of MKL, that a node ran.
struct Primitive {
    std::string library = "oneDNN"; ///< or "MKL"
    std::string kind;               ///< "convolution", "reorder", "sgemm"
    std::string implementation;     ///< "brg_conv_fwd:avx2"
    std::string formats;            ///< "src:f32:acdb wei:f32:ABcd8b dst:f32:acdb"
    std::string problem;            ///< "mb1_ic3oc64_ih224..."
    bool isReorder() const { return kind == "reorder"; }
    bool operator==(const Primitive&) const = default;
};

/// One node of a model.
struct NodeTiming {
    std::string name, op, target; ///< target: for a call_module, the type of the module
    double ms = 0;                ///< mean over the fastest third of the runs (by whole time), so that nodes add up
    double iqrMs = 0;
    double share = 0;                   ///< of the sum over all nodes, 0..1
    std::optional<double> flops;        ///< nullopt if unknown for this operator
    std::optional<double> bytes;        ///< read and written at least once: operands, parameters, results
    std::optional<double> ceilingShare; ///< of the machine's ceiling at this ratio of FLOPs to bytes (roofline);
                                        ///< above 1 if data came from caches
    bool memoryBound = false;           ///< whether the memory ceiling applies
    std::vector<Primitive> primitives;  ///< what oneDNN and MKL ran for it; empty for ATen's own kernels
    std::size_t reorders = 0;           ///< number of conversions between memory formats among them
    std::string memoryFormat;           ///< of its result: "contiguous", "channels_last", or empty
};

/// The total of all nodes with the same target.
struct TypeTotal {
    std::string target;
    std::size_t count = 0;
    double ms = 0, share = 0;
    double flops = 0;
};

/// The time of one variant by node and by type.
struct NodeReport {
    std::size_t variant = 0;
    double wholeMs = 0;   ///< of untimed runs, alternating with timed ones; mean of the fastest third
    double sumMs = 0;     ///< of all nodes
    std::size_t runs = 0; ///< runs whose nodes were timed
    std::size_t reorders = 0;
    std::vector<NodeTiming> nodes; ///< in graph order
    std::vector<TypeTotal> types;  ///< longest first
};

/// The machine's ceiling, measured by a short matrix product and a copy that does not fit the caches.
struct Ceiling {
    double gflops = 0; ///< float32
    double gbytes = 0; ///< 10^9 bytes per second, read and written
    int threads = 0;
    bool cached = false; ///< whether a value is from an earlier, higher measurement
};

/// Where and how a measurement was made.
struct Environment {
    std::string processor; ///< "AMD EPYC 7763"
    int processors = 0;    ///< available to this process
    int threads = 0;
    std::string isa;               ///< of ATen's kernels: "AVX2"
    std::string oneDnn, oneDnnIsa; ///< "v3.7.1", "Intel AVX2"
    std::string blas, library, system;
    bool denormalsFlushed = false;
    std::string governor;    ///< empty if unreadable
    double frequencyMhz = 0; ///< at the end of the measurement; 0 if unreadable
    double loadAverage = 0;  ///< of the last minute, before the measurement
    double otherLoad = 0;    ///< average number of CPUs kept busy by other processes during the measurement
    double stealShare = 0;   ///< share of CPU time taken by the hypervisor, 0..1
    double noiseFloor = 0;   ///< deviation from 1 of the interval of a model against itself: 0.01 is 1 %
    std::optional<Ceiling> ceiling;
};

/// The complete result of a measurement.
struct BenchResult {
    Environment environment;
    std::vector<VariantTiming> variants;
    std::vector<RatioTiming> ratios; ///< each later variant against the first
    std::vector<NodeReport> reports; ///< if requested, one per variant
    std::size_t rounds = 0;
    double seconds = 0;            ///< duration of the measurement
    std::vector<Message> warnings; ///< load of other processes, a power-saving governor, ...
};

} // namespace fx::timing
