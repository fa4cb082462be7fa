#include <fcntl.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>

#include "base/framing.h"
#include "mmap/sources/byte_source.h"

namespace ofindex {
namespace {

class Pread final : public ByteSource {
 public:
  explicit Pread(const File& file) : file_(file) {}

  ReadOutcome Read(Framing framing, std::span<const RecordRead> reads) const override {
    for (size_t i = 0; i < reads.size(); ++i) {
      ReadOutcome outcome = ReadOne(HeaderBytes(framing), reads[i]);
      if (outcome.status != ReadOutcome::Status::kDone) {
        outcome.at = i;
        return outcome;
      }
    }
    return {};
  }

  void Prefetch(Framing framing, std::span<const RecordRead> reads) const override {
    for (const RecordRead& read : reads) {
      static_cast<void>(::posix_fadvise(file_.fd(), static_cast<off_t>(read.begin),
                                        static_cast<off_t>(HeaderBytes(framing) + read.length), POSIX_FADV_WILLNEED));
    }
  }

 private:
  // Reads header and payload with one call, each into its own buffer.
  ReadOutcome ReadOne(uint64_t header_bytes, const RecordRead& read) const {
    std::array<uint8_t, kMaxHeaderBytes> header;
    const uint64_t total = header_bytes + read.length;
    for (uint64_t done = 0; done < total;) {
      std::array<iovec, 2> parts;
      int count = 0;
      if (done < header_bytes) parts[static_cast<size_t>(count++)] = {header.data() + done, header_bytes - done};
      const uint64_t payload_done = done < header_bytes ? 0 : done - header_bytes;
      parts[static_cast<size_t>(count++)] = {read.out + payload_done, read.length - payload_done};
      const ssize_t n = ::preadv(file_.fd(), parts.data(), count, static_cast<off_t>(read.begin + done));
      if (n == 0) return {ReadOutcome::Status::kGone};
      if (n < 0 && errno != EINTR) return {ReadOutcome::Status::kFailed, 0, errno};
      if (n > 0) done += static_cast<uint64_t>(n);
    }
    if (LoadLe64(header.data()) != read.length) return {ReadOutcome::Status::kOtherFraming};
    return {};
  }

  const File& file_;
};

}  // namespace

std::unique_ptr<ByteSource> PreadSource(const File& file) { return std::make_unique<Pread>(file); }

}  // namespace ofindex
