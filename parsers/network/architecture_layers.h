// Which layers and parameters the architecture's fingerprint leaves out. Internal to parsers/network.
#pragma once

#include <string_view>

namespace etad {

bool is_loss(std::string_view type);
bool is_judge(std::string_view type);       // accuracies and other ends that only look at results
bool only_reshapes(std::string_view type);  // dropped where they lead to nothing that is kept

// Keys of a layer, or of a message in it, that say how it learns, not what it computes.
bool is_learning_key(std::string_view key);

// A parameter written out although it is the default says nothing: a net printed by another version, which
// leaves it out, is the same net.
bool is_default(std::string_view key, std::string_view value);

}  // namespace etad
