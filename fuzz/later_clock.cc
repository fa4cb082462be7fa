// A file that changed less than 20 ms ago makes readers wait (base/file_watch.h), since a change within a tick of the
// clock may leave its times alone. Files of fuzz targets are new each time, and nobody changes them, so the clock that
// file systems use runs an hour ahead here: the C library's function is replaced in every program with fuzz targets.

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const auto failed = static_cast<int>(::syscall(SYS_clock_gettime, clock, now));
  if (failed == 0 && clock == CLOCK_REALTIME_COARSE) now->tv_sec += 3600;
  return failed;
}
