// What the daemon takes from the machine: files whole, the host's name, the local time zone, the service
// manager's hand. Everything else gets these injected.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/base/error.h"
#include "parsers/base/time.h"

namespace etad::system {

Instant now();
std::string host_name();  // without the domain

// An id of this installation that is nobody else's and tells nothing of /etc/machine-id, which it is made of;
// empty: there is none.
std::string machine_id();

// The machine's zone by the system's time-zone database; UTC where there is none.
ZoneOffset local_zone();

// Whose the name is, of a link and not of what it leads to; where it can't be asked, whose the nearest folder above is that
// can be.
std::optional<std::int64_t> owner_of_name(std::string path);

// The *.toml files of a folder, by name. A folder that does not exist is empty.
Result<std::vector<std::string>> toml_files(const std::string& folder);

// What the calling thread has taken of a core.
std::chrono::nanoseconds thread_time();

// How many descriptors this process may hold.
std::size_t descriptor_limit();

// Has the allocator keep what each turn of the ingest thread needs again, instead of giving it back to the system and
// having it cleared page by page for the next one: a fifth of the time that catching up takes. Before any thread begins.
void keep_memory();
// Gives back to the system what the allocator holds free: after a catch-up, most of it.
void return_memory();

// sd_notify(3); nothing where no service manager asked for it.
void notify(std::string_view state);

// The listening socket handed over by socket activation; -1: none.
int inherited_socket();

// How often the service manager wants to hear WATCHDOG=1; zero: it does not.
std::chrono::microseconds watchdog_interval();

}  // namespace etad::system
