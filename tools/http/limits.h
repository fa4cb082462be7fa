#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace ofindex {

/// The limits of a server, which hold whoever talks to it. docs/serve.md names them.
struct Limits {
  using Time = std::chrono::steady_clock::duration;

  size_t connections = 256;        ///< beyond that, the one that has been idle the longest is closed
  uint32_t head_bytes = 64 << 10;  ///< the page sends filters of up to 16 KiB, escaped, in a URL
  size_t body_bytes = 64 << 10;    ///< of a request
  unsigned workers = 8;            ///< threads that handlers run on; most may wait for the heavy work of others
  size_t waiting = 128;            ///< requests that wait for a worker; beyond that, 503
  size_t bytes_in_flight = size_t{128} << 20;  ///< of bodies that clients have yet to read; beyond that, 503

  Time request_time = std::chrono::seconds(5);  ///< from the first byte of a request, or its connection, to its last
  Time answer_time = std::chrono::minutes(2);   ///< for a handler; beyond that, its client has gone
  Time idle_time = std::chrono::seconds(15);    ///< between requests
  Time write_time = std::chrono::seconds(20);   ///< for a response, and a second more for each 256 KiB
  Time drain_time = std::chrono::seconds(1);    ///< for the rest of what a refused client sends
};

}  // namespace ofindex
