#include "query/decoding/batch_decoder.h"

#include "base/allocation.h"
#include "query/decoding/decoding_job.h"
#include "query/decoding/piece_decoder.h"

namespace ofindex {

Result<BatchDecoder> BatchDecoder::Of(std::vector<FeatureSpec> specs) {
  return WithMemory("the specs of features", [&]() -> Result<BatchDecoder> {
    OFINDEX_ASSIGN(std::vector<FeatureSpec> checked, DecodingPlan::Check(std::move(specs)));
    return BatchDecoder(std::make_shared<const DecodingPlan>(std::move(checked)), std::make_shared<DecoderStatePool>());
  });
}

Result<DecodedBatch> BatchDecoder::Decode(const PayloadSource& source, std::span<const uint64_t> ordinals,
                                          unsigned threads, const std::atomic<bool>* cancel) const {
  return WithMemory(kBatchMemory, [&] { return DecodingJob(*plan_, *pool_, source, ordinals, cancel).Run(threads); });
}

}  // namespace ofindex
