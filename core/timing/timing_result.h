// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What timing a model gives. Times are milliseconds of wall clock unless a name says otherwise.
namespace fx::timing {

/// What an interval of ratios says of b against a.
enum class Verdict : std::uint8_t { Faster, Slower, Same, TooNoisy };
/// "faster", "slower", "same", "too_noisy"
const char* verdictName(Verdict verdict);

struct Interval {
    double low = 0, high = 0;
    bool operator==(const Interval&) const = default;
};

/// One model, timed in turns with the others.
struct VariantTiming {
    std::string model;         ///< as the request named it
    double medianMs = 0;       ///< of one run
    double q1Ms = 0, q3Ms = 0; ///< quartiles; their distance is the IQR
    double minMs = 0;
    double coldMs = 0;            ///< the very first run, which learns kernels and makes oneDNN primitives
    std::size_t runsPerBlock = 1; ///< a sample is the mean of so many runs, so that it lasts 10 ms at least
    std::size_t warmupRuns = 0;
    bool settled = true; ///< warm-up ended because times were stable, not because its share of the time was over
    std::vector<double> samplesMs; ///< one a round, in the order of rounds
    double iqrMs() const { return q3Ms - q1Ms; }
};

/// Variant b against variant a, from samples of the same rounds.
struct RatioTiming {
    std::size_t a = 0, b = 0; ///< places among the variants
    double ratio = 1;         ///< median(b) / median(a)
    Interval ci95{1, 1};      ///< bootstrap over rounds
    Verdict verdict = Verdict::TooNoisy;
    std::string why; ///< why it is too noisy; else empty
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
    std::string name, op, target; ///< target: of a call_module the type of the module
    double ms = 0;                ///< mean over the fastest third of the runs (by whole time), so that nodes add up
    double iqrMs = 0;
    double share = 0;                   ///< of the sum over all nodes, 0..1
    std::optional<double> flops;        ///< none: not known for this operator
    std::optional<double> bytes;        ///< read and written at least once: operands, parameters, results
    std::optional<double> ceilingShare; ///< of what the machine can do at this ratio of FLOPs to bytes (roofline);
                                        ///< above 1: data came from caches
    bool memoryBound = false;           ///< the ceiling is that of memory
    std::vector<Primitive> primitives;  ///< what oneDNN and MKL ran for it; none: ATen's own kernels
    std::size_t reorders = 0;           ///< of them conversions between memory formats
    std::string memoryFormat;           ///< of its result: "contiguous", "channels_last", or empty
};

/// All nodes of one target together.
struct TypeTotal {
    std::string target;
    std::size_t count = 0;
    double ms = 0, share = 0;
    double flops = 0;
};

/// Where the time of one variant goes.
struct NodeReport {
    std::size_t variant = 0;
    double wholeMs =
        0; ///< of runs that nothing looks at, in turns with those whose nodes were timed; mean of the fastest third
    double sumMs = 0;     ///< of all nodes
    std::size_t runs = 0; ///< runs whose nodes were timed
    std::size_t reorders = 0;
    std::vector<NodeTiming> nodes; ///< in graph order
    std::vector<TypeTotal> types;  ///< longest first
};

/// What the machine can do at most, measured by a short matrix product and a copy that does not fit the caches.
struct Ceiling {
    double gflops = 0; ///< float32
    double gbytes = 0; ///< 10^9 bytes per second, read and written
    int threads = 0;
    bool cached = false; ///< one of them is from an earlier measurement, which found more
};

/// Where and how a measurement was made.
struct Environment {
    std::string processor; ///< "AMD EPYC 7763"
    int processors = 0;    ///< that this process may use
    int threads = 0;
    std::string isa;               ///< of ATen's kernels: "AVX2"
    std::string oneDnn, oneDnnIsa; ///< "v3.7.1", "Intel AVX2"
    std::string blas, library, system;
    bool denormalsFlushed = false;
    std::string governor;    ///< empty: cannot be read
    double frequencyMhz = 0; ///< when the measurement ended; 0: cannot be read
    double loadAverage = 0;  ///< of the last minute, before the measurement
    double otherLoad = 0;    ///< processors kept busy by other processes during the measurement, on average
    double stealShare = 0;   ///< of processor time taken away by the hypervisor, 0..1
    double noiseFloor = 0;   ///< how far the interval of a model against itself reaches from 1: 0.01 is 1 %
    std::optional<Ceiling> ceiling;
};

/// All of one measurement.
struct BenchResult {
    Environment environment;
    std::vector<VariantTiming> variants;
    std::vector<RatioTiming> ratios; ///< each later variant against the first
    std::vector<NodeReport> reports; ///< when asked for, one per variant
    std::size_t rounds = 0;
    double seconds = 0;                ///< that the measurement took
    std::vector<std::string> warnings; ///< load of other processes, a governor that saves power, ...
};

} // namespace fx::timing
