#include "fuzz/expect.h"
#include "fuzz/index/forged_index.h"
#include "fuzz/index/index_checks.h"
#include "fuzz/index/index_questions.h"
#include "fuzz/input.h"

namespace ofindex {

void CheckIndex(ByteView bytes) {
  FuzzInput input(bytes);
  const ForgedIndex index(input);
  const IndexAnswers count = AskIndex(index.path());
  Expect(index.is_changed() || count.errors == 0, "a question to an unchanged index fails: ", count.first_error);
}

}  // namespace ofindex
