#include "tools/packing/calendar.h"

#include <chrono>
#include <limits>

#include "base/text.h"

namespace ofindex {
namespace {

constexpr int64_t kNanosecondsInSecond = 1'000'000'000;

constexpr int64_t NanosecondsIn(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kSeconds: return kNanosecondsInSecond;
    case TimeUnit::kMilliseconds: return 1'000'000;
    case TimeUnit::kMicroseconds: return 1'000;
    case TimeUnit::kNanoseconds: return 1;
  }
  return 1;
}

// Reads a text from front to back; a Take moves on only if it succeeds.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  bool TakeDigits(size_t count, int& value) {
    if (rest_.size() < count) return false;
    int number = 0;
    for (size_t i = 0; i < count; ++i) {
      if (rest_[i] < '0' || rest_[i] > '9') return false;
      number = number * 10 + (rest_[i] - '0');
    }
    value = number;
    rest_.remove_prefix(count);
    return true;
  }

  bool TakeOneOf(std::string_view set, char& taken) {
    if (rest_.empty() || set.find(rest_.front()) == std::string_view::npos) return false;
    taken = rest_.front();
    rest_.remove_prefix(1);
    return true;
  }
  bool Take(char c) {
    char taken = 0;
    return TakeOneOf(std::string_view(&c, 1), taken);
  }

  [[nodiscard]] bool done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

bool TakeDate(Cursor& cursor, int64_t& days) {
  int year = 0;
  int month = 0;
  int day = 0;
  if (!cursor.TakeDigits(4, year) || !cursor.Take('-') || !cursor.TakeDigits(2, month) || !cursor.Take('-') ||
      !cursor.TakeDigits(2, day)) {
    return false;
  }
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return false;
  days = std::chrono::sys_days(date).time_since_epoch().count();
  return true;
}

bool TakeFraction(Cursor& cursor, int64_t& nanoseconds) {
  int digit = 0;
  int64_t unit = kNanosecondsInSecond / 10;
  if (!cursor.TakeDigits(1, digit)) return false;
  do {
    if (unit == 0) return false;
    nanoseconds += digit * unit;
    unit /= 10;
  } while (cursor.TakeDigits(1, digit));
  return true;
}

bool TakeTime(Cursor& cursor, int64_t& seconds, int64_t& nanoseconds) {
  int hour = 0;
  int minute = 0;
  int second = 0;
  if (!cursor.TakeDigits(2, hour) || !cursor.Take(':') || !cursor.TakeDigits(2, minute)) return false;
  if (cursor.Take(':')) {
    if (!cursor.TakeDigits(2, second)) return false;
    if (cursor.Take('.') && !TakeFraction(cursor, nanoseconds)) return false;
  }
  seconds = hour * 3600 + minute * 60 + second;
  return hour < 24 && minute < 60 && second < 60;
}

bool TakeZone(Cursor& cursor, int64_t& seconds) {
  char sign = 0;
  if (!cursor.TakeOneOf("+-", sign)) {
    static_cast<void>(cursor.Take('Z'));
    return true;
  }
  int hour = 0;
  int minute = 0;
  if (!cursor.TakeDigits(2, hour)) return false;
  static_cast<void>(cursor.Take(':'));
  static_cast<void>(cursor.TakeDigits(2, minute));
  seconds = (sign == '-' ? -1 : 1) * (int64_t{hour} * 3600 + int64_t{minute} * 60);
  return hour < 24 && minute < 60;
}

tl::unexpected<Error> NoTime(std::string_view text, std::string_view expected) {
  return Fail(ErrorCode::kFeature, StrCat("'", Printable(text.substr(0, 64)), "' is not a valid ", expected));
}

Result<int64_t> InUnit(std::string_view text, int64_t seconds, int64_t nanoseconds, TimeUnit unit) {
  const __int128 time = static_cast<__int128>(seconds) * kNanosecondsInSecond + nanoseconds;
  const __int128 count = time / NanosecondsIn(unit);
  if (count * NanosecondsIn(unit) != time) {
    return Fail(ErrorCode::kFeature, StrCat("'", Printable(text), "' is not a whole number in the unit of time"),
                "choose a finer unit: --time-unit ms, us or ns");
  }
  if (count > std::numeric_limits<int64_t>::max() || count < std::numeric_limits<int64_t>::min()) {
    return Fail(ErrorCode::kFeature, StrCat("'", Printable(text), "' does not fit an int64 in the unit of time"),
                "choose a coarser unit: --time-unit us, ms or s");
  }
  return static_cast<int64_t>(count);
}

}  // namespace

Result<int64_t> ParseDate(std::string_view text) {
  Cursor cursor(text);
  int64_t days = 0;
  if (!TakeDate(cursor, days) || !cursor.done()) return NoTime(text, "date such as 2026-11-22");
  return days;
}

Result<int64_t> ParseTime(std::string_view text, TimeUnit unit) {
  Cursor cursor(text);
  int64_t seconds = 0;
  int64_t nanoseconds = 0;
  if (!TakeTime(cursor, seconds, nanoseconds) || !cursor.done()) return NoTime(text, "time such as 10:30:05.25");
  return InUnit(text, seconds, nanoseconds, unit);
}

Result<int64_t> ParseTimestamp(std::string_view text, TimeUnit unit) {
  Cursor cursor(text);
  int64_t days = 0;
  int64_t seconds = 0;
  int64_t nanoseconds = 0;
  int64_t zone = 0;
  char between = 0;
  if (!TakeDate(cursor, days) || !cursor.TakeOneOf("T ", between) || !TakeTime(cursor, seconds, nanoseconds) ||
      !TakeZone(cursor, zone) || !cursor.done()) {
    return NoTime(text, "timestamp such as 2026-11-22T10:30:05Z");
  }
  return InUnit(text, days * 86400 + seconds - zone, nanoseconds, unit);
}

}  // namespace ofindex
