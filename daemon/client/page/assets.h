// The files that the page is made of: our own, installed with etactl, and the chart library's, which is a
// package of the system's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parsers/base/error.h"

namespace etad::client {

class PageAssets {
 public:
  PageAssets(std::string own, std::string library) : own_(std::move(own)), library_(std::move(library)) {}

  // Where they lie on this system.
  static PageAssets installed();

  // The content of "js/main.js" or "vendor/dygraph.min.js". not_found where there is none of that name.
  Result<std::string> read(std::string_view name) const;

  // The whole page with its data as one file: styles and scripts inlined, each allowed by its hash and
  // nothing else. `data`: a JSON object of the API's answers by the target that gives them.
  // `tables`: what is shown where no script runs, as markup.
  Result<std::string> export_with(std::string_view data, std::string_view tables) const;

 private:
  std::string own_, library_;
};

std::string_view content_type(std::string_view name);

// The scripts of `modules` (names and texts, each behind those it imports from) as one: without their
// imports, since what they import stands above them. Top-level names are unique over all of them; a test
// holds that.
std::string one_script(const std::vector<std::string>& modules);

}  // namespace etad::client
