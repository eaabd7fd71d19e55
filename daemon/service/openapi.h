// The description of the whole API in OpenAPI 3.1: openapi.json beside this, compiled in. tests/api holds it against
// the routes there are and against real answers.
#pragma once

#include <string_view>

namespace etad::service {

std::string_view openapi();

}  // namespace etad::service
