// The body of POST /v1/runs/{id}/labels.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "daemon/service/message.h"

namespace etad::service {

// A JSON object of names and strings or numbers, {"network": "LeNet", "batch_size": 64}; null takes a label
// back. An empty body is no labels.
Answer<std::map<std::string, std::string>> labels_from(std::string_view body);

}  // namespace etad::service
