#pragma once

#include <chrono>
#include <cstddef>

namespace ofindex {

// What bounds a server, whoever talks to it.

inline constexpr size_t kMaxConnections = 256;     ///< beyond that, the one that has been idle the longest is closed
inline constexpr size_t kMaxHeadBytes = 64 << 10;  ///< the page sends filters of up to 16 KiB, escaped, in a URL
inline constexpr size_t kMaxBodyBytes = 64 << 10;
inline constexpr unsigned kMaxWorkers = 8;
inline constexpr size_t kMaxWaiting = 128;                      ///< requests that wait for a worker; 503 beyond
inline constexpr size_t kMaxBytesInFlight = size_t{128} << 20;  ///< of bodies that clients have yet to read; 503 beyond

inline constexpr std::chrono::seconds kRequestTime{
    5};  ///< from the first byte of a request, or its connection, to its last
inline constexpr std::chrono::seconds kIdleTime{15};   ///< between requests
inline constexpr std::chrono::seconds kWriteTime{20};  ///< for a response, plus one for each kWriteBytesPerSecond
inline constexpr size_t kWriteBytesPerSecond = 256 << 10;
inline constexpr std::chrono::seconds kDrainTime{1};  ///< for the rest of what a refused client sends

}  // namespace ofindex
