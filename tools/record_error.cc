#include "tools/record_error.h"

#include "base/framing.h"
#include "base/text.h"

namespace ofindex {

Error InRecord(const Dataset& dataset, uint64_t ordinal, Error error) {
  const Result<RecordLocation> location = dataset.reader().Locate(ordinal);
  if (!location) return error;
  const Result<MapShard> shard = dataset.reader().map().Shard(location->shard);
  if (!shard) return error;
  error.message = StrCat(Printable(shard->path), "@", location->offset + HeaderBytes(shard->framing), ": record ",
                         ordinal, ": ", error.message);
  if (error.hint.empty()) error.hint = StrCat("`ofindex get --raw INDEX ", ordinal, "` writes the bytes as they are");
  return error;
}

}  // namespace ofindex
