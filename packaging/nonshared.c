// What gcc 12 and Debian 12's static libraries use, and glibc 2.28 lacks. glibc_2_28.py links it in.

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// The functions of stat(2) got names of their own in 2.33; until then, they were such wrappers in libc_nonshared.a.
int __xstat64(int, const char*, struct stat64*);
int __lxstat64(int, const char*, struct stat64*);
int __fxstat64(int, int, struct stat64*);
int __fxstatat64(int, int, const char*, struct stat64*, int);

enum { kStatVersion = 1 };  // _STAT_VER of x86-64, where stat and stat64 are the same

int stat64(const char* path, struct stat64* found) { return __xstat64(kStatVersion, path, found); }
int lstat64(const char* path, struct stat64* found) { return __lxstat64(kStatVersion, path, found); }
int fstat64(int file, struct stat64* found) { return __fxstat64(kStatVersion, file, found); }
int fstatat64(int folder, const char* path, struct stat64* found, int flags) {
  return __fxstatat64(kStatVersion, folder, path, found, flags);
}
int stat(const char* path, struct stat* found) { return stat64(path, (struct stat64*)found); }
int lstat(const char* path, struct stat* found) { return lstat64(path, (struct stat64*)found); }
int fstat(int file, struct stat* found) { return fstat64(file, (struct stat64*)found); }

// Since 2.32; libstdc++ counts references without atomics where it is true. False is right for every process.
char __libc_single_threaded = 0;

// Since 2.30; std::condition_variable waits with it. Waits for the same time on the clock that older versions know; if
// that is set meanwhile, the wait ends early or late, as it did with them.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* until) {
  struct timespec now;
  struct timespec end;
  if (clock_gettime(clock, &now) != 0 || clock_gettime(CLOCK_REALTIME, &end) != 0) return EINVAL;
  end.tv_sec += until->tv_sec - now.tv_sec;
  end.tv_nsec += until->tv_nsec - now.tv_nsec;
  const long second = 1000000000;
  if (end.tv_nsec < 0) end.tv_sec -= 1, end.tv_nsec += second;
  if (end.tv_nsec >= second) end.tv_sec += 1, end.tv_nsec -= second;
  return pthread_cond_timedwait(condition, mutex, &end);
}

// Since 2.36; std::random_device calls it.
uint32_t arc4random(void) {
  uint32_t number;
  if (getentropy(&number, sizeof number) != 0) abort();  // only a kernel before 3.17 has no entropy to give
  return number;
}
