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
#include "tools/packing/row_files.h"

namespace ofindex {

/// The kind of source from which records are made: whole files, or the rows of text files.
enum class SourceForm { kFiles, kJsonLines, kCsv, kTsv };

struct PackRequest {
  std::vector<std::string> sources;
  std::optional<SourceForm> form = {};  ///< not given: inferred from the sources' names
  PayloadKind payload = PayloadKind::kExample;
  std::string field = "content";  ///< the feature that holds a file's bytes
  std::string schema = {};        ///< path of a file; empty: types are inferred
  TimeUnit unit = TimeUnit::kMicroseconds;
  std::optional<uint64_t> seed = {};  ///< of the shuffle; not given: no shuffle
};

/// A feature that will be written, and its kind: kNone if the kind depends on the value or no row has a value.
struct PackedFeature {
  std::string name;
  FeatureKind kind = FeatureKind::kNone;
};

/// Makes the payloads of a source. Opening a source determines everything that must be known before the first record
/// can be written. Not thread-safe.
class PackSource {
 public:
  virtual ~PackSource() = default;

  [[nodiscard]] virtual uint64_t records() const = 0;
  [[nodiscard]] virtual std::vector<PackedFeature> features() const = 0;

  /// Returns every file that is read.
  [[nodiscard]] virtual std::vector<std::string> paths() const = 0;

  /// Returns the content of _labels.tsv, or an empty string if there are no labels.
  [[nodiscard]] virtual std::string labels() const { return {}; }

  /// Returns the files that were found but make no record, with the reasons.
  [[nodiscard]] virtual std::vector<std::string> skipped() const { return {}; }

  using TakePayload = std::function<Result<void>(ByteView payload)>;

  /// Passes the payload of each record to `take`, in order. Errors: those of reading and of `take`; kFormat and
  /// kFeature, both with file, byte and line; kIo if the source has changed since it was opened; kInterrupted.
  [[nodiscard]] virtual Result<void> ForEach(const TakePayload& take) = 0;
};

/// Opens a source. Errors: kUsage if the sources have different forms; kFormat if they are empty; those of reading.
[[nodiscard]] Result<std::unique_ptr<PackSource>> OpenPackSource(const PackRequest& request, Progress& progress);

// The two implementations.
[[nodiscard]] Result<std::unique_ptr<PackSource>> OpenFileSource(const PackRequest& request, Progress& progress);
[[nodiscard]] Result<std::unique_ptr<PackSource>> OpenRowSource(const PackRequest& request, RowFormat format,
                                                                Progress& progress);

/// Returns the order of `records` under `seed`: the one in which `ofindex sample --seed` shuffles that many records.
[[nodiscard]] std::function<uint64_t(uint64_t)> OrderOf(uint64_t records, std::optional<uint64_t> seed);

}  // namespace ofindex
