#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "query/dataset.h"
#include "tools/report_page/html.h"
#include "tools/report_page/pictures.h"
#include "tools/report_page/pixel_shapes.h"
#include "tools/show/shown_record.h"

namespace ofindex {

/// Writes records as cards: pictures first, then the features with as many of their values as fit. What is shown of a
/// record is bounded, whatever it holds. Not thread-safe.
class RecordCards {
 public:
  /// All must outlive this object.
  RecordCards(const Dataset& dataset, const PixelShapes& shapes, Pictures& pictures)
      : dataset_(dataset), shapes_(shapes), pictures_(pictures) {}

  /// Writes the card of record `ordinal`, to which links lead by `id`; `labels` are why it is shown. A record that
  /// cannot be read has a card that says so. Errors: those that are not about this record or its shard.
  [[nodiscard]] Result<void> Write(uint64_t ordinal, const std::string& id, const std::vector<std::string>& labels,
                                   Html& html);

  /// Returns the number of records that could not be read.
  [[nodiscard]] uint64_t unread() const { return unread_; }

 private:
  [[nodiscard]] Result<void> Load(uint64_t ordinal);
  void Unread(const Error& error, Html& html);
  void Features(Html& html);
  void DrawPictures(const std::string& of, Html& html);
  void DrawFeature(const Feature& feature, const std::string& of, Html& html);
  void WriteFeature(const Feature& feature, Html& html);
  void WriteLists(size_t room, Html& html);
  void WriteOpaque(Html& html);
  [[nodiscard]] std::vector<double> NumbersOf(FeatureValue value) const;

  const Dataset& dataset_;
  const PixelShapes& shapes_;
  Pictures& pictures_;
  ShownRecord record_;
  std::vector<bool> drawn_;  // of each feature of the record: as a picture
  uint64_t unread_ = 0;
};

}  // namespace ofindex
