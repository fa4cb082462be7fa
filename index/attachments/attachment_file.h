#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "index/attachments/attached_column.h"
#include "index/attachments/attachment_format.h"
#include "index/catalog/catalog.h"
#include "mmap/sealed/sealed_file.h"

namespace ofindex {

/// An open file of attached columns, whose bytes are untrusted. Immutable, thread-safe, usable after a fork. It keeps
/// answering as before if another file takes its name.
class AttachmentFile {
 public:
  /// Reads header and directory. Messages use `shown`, or `path` if `shown` is empty. Errors: kNotFound if there is no
  /// such file; kIndex if it is not a file of attached columns, is of another version, or damaged; kIo, kLimit.
  [[nodiscard]] static Result<std::shared_ptr<const AttachmentFile>> Open(const std::string& path,
                                                                          AttachmentPlace place,
                                                                          const std::string& shown = {});

  [[nodiscard]] const std::string& path() const { return file_.path(); }
  [[nodiscard]] uint64_t size() const { return file_.size(); }
  [[nodiscard]] const GenerationRow& generation() const { return directory_.generation; }
  [[nodiscard]] const std::vector<AttachedBlock>& blocks() const { return directory_.blocks; }
  [[nodiscard]] const std::vector<AttachedColumn>& columns() const { return directory_.columns; }

  /// Returns the data of a chunk of one of the columns. Errors: kIndex if they are not what was written;
  /// kStale if the file was rewritten in place.
  [[nodiscard]] Result<std::vector<uint8_t>> Data(const AttachedChunk& chunk) const;

  /// Compares all bytes with their checksums. Errors: kIndex, kStale, kInterrupted.
  [[nodiscard]] Result<void> CheckAll(const Progress& progress) const { return file_.CheckAll(progress); }

  /// Succeeds if the columns are those of the records of `index`, whose generations, at least one, are `generations`
  /// and whose blocks, those of missing shards included, are `blocks`: it is the generation of this file, or has grown
  /// from it by updates that moved no ordinal. Errors: kStale, saying what differs.
  [[nodiscard]] Result<void> CheckBelongs(const std::string& index, const std::vector<GenerationRow>& generations,
                                          const std::vector<AttachedBlock>& blocks) const;

 private:
  AttachmentFile(SealedFile file, AttachmentPlace place, AttachmentDirectory directory)
      : file_(std::move(file)), place_(place), directory_(std::move(directory)) {}

  SealedFile file_;
  AttachmentPlace place_;
  AttachmentDirectory directory_;
};

}  // namespace ofindex
