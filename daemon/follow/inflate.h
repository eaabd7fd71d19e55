// The content of a gzip file.
#pragma once

#include <memory>

#include "daemon/follow/content.h"

namespace etad::follow {

std::unique_ptr<Content> inflated(std::unique_ptr<Content> raw, Inflating& inflating);

}  // namespace etad::follow
