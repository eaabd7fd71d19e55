// Decompression of a content that streams in.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "parsers/base/error.h"

namespace etad {

// Passes plain bytes on unchanged and gzip (by its magic bytes) decompressed, in pieces of bounded size,
// however well it was compressed. Concatenated gzip members, as log rotation makes them, are one stream.
class Inflater {
 public:
  using Sink = std::function<Result<void>(std::string_view)>;

  // `required`: anything but gzip is an error.
  explicit Inflater(Sink sink, bool required = false);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  Result<void> feed(std::string_view bytes);
  Result<void> finish();  // an error where the compressed stream is cut short

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace etad
