#pragma once

namespace ofindex {

// True if this program is built with a sanitizer. Sanitizers reserve terabytes of address space and end the program
// when memory runs out, so tests of memory limits are skipped.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

// Tests of thousands of cases that differ in a byte or in a random number try every seventh under a sanitizer, which is
// several times slower; without one, they try all. 7 has no divisor in common with the 8 bits of a byte, nor with a
// cycle of 2, 3 or 5 changes, so that a test that takes such a step still meets each of them.
inline constexpr int kCaseStep = kSanitized ? 7 : 1;

}  // namespace ofindex
