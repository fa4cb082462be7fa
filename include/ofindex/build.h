#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ofindex/api.h>
#include <ofindex/dataset.h>
#include <ofindex/format.h>
#include <ofindex/info.h>
#include <ofindex/result.h>

namespace ofindex::v1 {

/// The progress of a long operation, and the way to stop it. All members may be called from any thread while the
/// operation runs; Cancel also from a signal handler. Must outlive the operation.
class OFINDEX_API Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Asks the operation to stop; it then soon ends with kInterrupted.
  void Cancel();

  /// The total size of the shards, 0 until it is known, and the bytes read so far.
  [[nodiscard]] uint64_t bytes_total() const;
  [[nodiscard]] uint64_t bytes_done() const;
  [[nodiscard]] uint64_t records_done() const;

 private:
  friend struct Internals;
  struct OFINDEX_INTERNAL State;
  std::unique_ptr<State> state_;
};

struct BuildOptions {
  std::vector<std::string> data;  ///< files, folders, globs, lists (`@FILE`), from the working directory
  std::string index = {};         ///< path; empty: named after the only argument in `data`
  bool verify = false;            ///< also check every payload byte
  bool force = false;             ///< replace an index of other shards or options
  bool wait_if_locked = false;    ///< wait for another builder of this index, instead of an error

  /// Features that become columns of SQL, with all values of lists. With `auto_columns`, other features are chosen
  /// automatically as well. If `columns` is empty and `auto_columns` is false, payloads are not decoded, and queries
  /// have only the built-in columns, such as _id.
  std::vector<std::string> columns = {};
  bool auto_columns = true;

  /// Columns that are made of the bytes of a feature: "NAME:image" stores `NAME#width`, `NAME#height`, `NAME#channels`
  /// and `NAME#format`, from the header of the image; "NAME:hash" stores `NAME#hash`, and "NAME:length" `NAME#length`.
  std::vector<std::string> derive = {};

  /// Features by which the index gets a key (keys.h), once it is published.
  std::vector<std::string> keys = {};

  /// If set, used instead of what is detected from the content.
  std::optional<Framing> framing = {};
  std::optional<PayloadKind> payload = {};
  std::optional<Compression> compression = {};

  /// For payloads that are messages of your own type: the path of a FileDescriptorSet, as written by protoc, and the
  /// name of the message in it, "pkg.Name". `columns` must not be empty, and `auto_columns` must be false.
  std::string descriptor = {};
  std::string message = {};

  unsigned threads = 0;  ///< 0: one per processor. The index does not depend on it.

  /// A compressed shard that inflates to more, per byte of the file or in total, is refused as a bomb.
  uint64_t max_ratio = 200;  ///< 1 to 2000
  uint64_t max_inflated_bytes = uint64_t{1} << 40;
};

/// The contents of an index after a build.
struct BuildReport {
  DatasetInfo info;
  bool was_up_to_date = false;       ///< nothing was done
  std::vector<std::string> missing;  ///< shards missing from a set NAME-SSSSS-of-NNNNN
};

/// Reads the shards once, in place, and publishes their index. The index appears whole or not at all; an up-to-date
/// one is left alone. Damage does not stop a build: it is listed in the report and in the index. Thread-safe. Reports
/// to `progress` unless it is null.
///
/// Errors: kUsage if an option or a name makes no sense, if no record has a feature of `columns` or `keys`, or bytes in
/// one of `derive`; kFormat if there is no record file, or if the shards have different framings; kStale if an index
/// exists for other shards or options (set `force`); kIndex if the file at the path of the index is not an index, which
/// is never replaced; kLocked, kIo, kLimit, kInterrupted.
[[nodiscard]] OFINDEX_API Result<BuildReport> BuildIndex(const BuildOptions& options, Progress* progress = nullptr);

struct VerifyOptions {
  bool quick = false;    ///< compare fingerprints only
  unsigned threads = 0;  ///< 0: one per processor
};

/// The result of comparing shards and index.
struct VerifyReport {
  uint64_t records_checked = 0;
  uint64_t bytes_checked = 0;           ///< of records, framing included
  bool all_payloads_checked = true;     ///< every payload was read and compared with a checksum
  std::vector<BadRecord> bad;           ///< ascending
  std::vector<FileNote> stale;          ///< missing, changed and unreadable shards; record files that are not indexed
  std::vector<Damage> damage;           ///< as listed in the index
  std::string map_damage;               ///< the fault of the map next to the index; empty if it is sound
  std::vector<std::string> key_damage;  ///< the faults of keys next to the index; those of another build, too
  std::string attached_damage;          ///< the fault of attached columns next to the index; empty if they are sound

  [[nodiscard]] bool clean() const {
    return bad.empty() && stale.empty() && damage.empty() && map_damage.empty() && key_damage.empty() &&
           attached_damage.empty();
  }
};

/// Checks every row of the index, its keys and attached columns, and every shard against it: fingerprints and, unless
/// `quick`, all checksums. Faults of the shards are listed in the report; they are not errors of this function. Errors:
/// kIndex if the index is damaged; kStale if the index was rewritten meanwhile; kIo if it cannot be read; kLimit,
/// kInterrupted.
[[nodiscard]] OFINDEX_API Result<VerifyReport> Verify(const Dataset& dataset, const VerifyOptions& options = {},
                                                      Progress* progress = nullptr);

}  // namespace ofindex::v1
