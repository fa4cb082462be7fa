#include "fuzz/expect.h"
#include "fuzz/index/forged_index.h"
#include "fuzz/index/index_checks.h"
#include "fuzz/index/index_questions.h"
#include "fuzz/input.h"

namespace ofindex {

// The first byte is the number of the question; from 128 on, the index is one that was updated.
void CheckIndex(ByteView bytes) {
  FuzzInput input(bytes);
  const size_t question = input.Byte();
  const bool is_updated = question >= 128;  // then a shard is gone, and its records cannot be read
  const ForgedIndex index(is_updated, input);
  const IndexAnswers count = AskIndex(index.path(), question);
  Expect(index.is_changed() || is_updated || count.errors == 0,
         "a question to an unchanged index fails: ", count.first_error);
}

}  // namespace ofindex
