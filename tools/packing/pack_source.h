#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/progress.h"
#include "base/record.h"
#include "base/result.h"
#include "tools/packing/calendar.h"
#include "tools/packing/pack_schema.h"

namespace ofindex {

/// What records are made of: files as they are, or the rows of text files.
enum class SourceForm { kFiles, kJsonLines, kCsv, kTsv };

struct PackRequest {
  std::vector<std::string> sources;
  std::optional<SourceForm> form = {};  ///< not given: told by the sources' names
  PayloadKind payload = PayloadKind::kExample;
  std::string field = "content";  ///< the feature that holds a file's bytes
  std::string schema = {};        ///< a file; empty: types are inferred
  TimeUnit unit = TimeUnit::kMicroseconds;
  std::optional<uint64_t> seed = {};  ///< shuffle
};

/// A feature that will be written, and of which kind; kNone where each value has its own, or none has any.
struct PackedFeature {
  std::string name;
  FeatureKind kind = FeatureKind::kNone;
};

/// Makes payloads of a source. Everything that has to be known of all of it before the first record can be written was
/// found out when it was opened. Not thread-safe.
class PackSource {
 public:
  virtual ~PackSource() = default;

  [[nodiscard]] virtual uint64_t records() const = 0;
  [[nodiscard]] virtual std::vector<PackedFeature> features() const = 0;

  /// Every file that is read.
  [[nodiscard]] virtual std::vector<std::string> paths() const = 0;

  /// The content of _labels.tsv; empty if there are no labels.
  [[nodiscard]] virtual std::string labels() const { return {}; }

  /// What was found and is no record, and why.
  [[nodiscard]] virtual std::vector<std::string> skipped() const { return {}; }

  using TakePayload = std::function<Result<void>(ByteView payload)>;

  /// Hands the payload of each record to `take`, in order. Errors: those of reading and of `take`; kFormat, kFeature
  /// with file, byte and line; kIo  the source is not as it was when it was opened; kInterrupted.
  [[nodiscard]] virtual Result<void> ForEach(const TakePayload& take) = 0;
};

/// Errors: kUsage  the sources are of several forms; kFormat  there is nothing in them; those of reading.
[[nodiscard]] Result<std::unique_ptr<PackSource>> OpenPackSource(const PackRequest& request, Progress& progress);

// The two ways of it.
[[nodiscard]] Result<std::unique_ptr<PackSource>> OpenFileSource(const PackRequest& request, Progress& progress);
[[nodiscard]] Result<std::unique_ptr<PackSource>> OpenRowSource(const PackRequest& request, SourceForm form,
                                                                Progress& progress);

/// The order of `records` under `seed`: the one in which `ofindex sample --seed` shuffles as many.
[[nodiscard]] std::function<uint64_t(uint64_t)> OrderOf(uint64_t records, std::optional<uint64_t> seed);

}  // namespace ofindex
