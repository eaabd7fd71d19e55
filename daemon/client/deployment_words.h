// The network and deployment of an estimate, a model or a problem, in words.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "daemon/client/views.h"

namespace etad::client {

std::int64_t count_of(const Object& object, std::string_view name);  // a whole number; 0 where there is none
std::string or_dash(std::string text);                               // "-" for an empty one
// " (524 288 tokens)" of an iteration or a phase; empty where they are not known.
std::string tokens_text(const Object& of);
std::string confidence_text(const Object& estimate);   // "99.99": of 100, with all its digits
std::string joined(const boost::json::array& values);  // "1, 2", "LeNet, CaffeNet"

std::string devices_text(const Object& deployment);     // "Tesla K80", "2 x Tesla K80", "? x Tesla K80", "-"
std::string place_text(const Object& deployment);       // "2 x Tesla K80 of gpu1": in a sentence
std::string deployment_text(const Object& deployment);  // "caffe on 2 x Tesla K80 of gpu1": in a sentence

}  // namespace etad::client
