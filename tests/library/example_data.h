#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include <ofindex/build.h>
#include <ofindex/writer.h>

namespace ofindex {

/// Returns the value of `result`; an error ends the test with its text.
template <typename T>
T Must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// Returns the payload of an Example with features id = `number`, word = "even" or "odd", half = number / 2.
inline std::string ExamplePayload(uint64_t number) {
  PayloadBuilder builder(PayloadKind::kExample);
  builder.AddInt64("id", static_cast<int64_t>(number))
      .AddBytes("word", number % 2 == 0 ? "even" : "odd")
      .AddFloat("half", static_cast<float>(number) / 2);
  return std::string(AsText(Must(builder.Finish())));
}

/// Writes one TFRecord shard of the Examples 0 to `count` - 1.
inline void WriteExamples(const std::string& path, uint64_t count, WriteOptions options = {}) {
  RecordWriter writer = Must(RecordWriter::Create(path, options));
  for (uint64_t number = 0; number < count; ++number) Must(writer.Write(AsBytes(ExamplePayload(number))));
  Must(writer.Close());
}

/// Writes `count` Examples to `path`, builds their index and opens it.
inline Dataset OpenExamples(const std::string& path, uint64_t count, const OpenOptions& options = {}) {
  WriteExamples(path, count);
  Must(BuildIndex({.data = {path}}));
  return Must(Dataset::Open(path, options));
}

}  // namespace ofindex
