// Which of a history's names leave the host, and in which form. Pure.
#pragma once

#include <string>
#include <string_view>

#include "fleet/export/settings.h"
#include "storage/change_reader.h"

namespace etad::fleet {

// Takes out of the changes, or hashes in them, what the settings say. Where a name is not kept, free text
// that may hold it (a failed run's message, a layer's parameters, a setting or label with it) is left out.
void make_private(Changes& changes, const Privacy& privacy);

// HMAC-SHA-256 of the name under the salt: its first 16 hex digits.
std::string hashed(std::string_view name, const std::string& salt);

}  // namespace etad::fleet
