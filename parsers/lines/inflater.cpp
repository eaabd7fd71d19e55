#include "parsers/lines/inflater.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace etad {

struct Inflater::Impl {
  enum class State { unknown, plain, member, between, trailing };
  static constexpr std::string_view kMagic = "\x1f\x8b";
  static constexpr std::size_t kPiece = 256UL * 1024;

  Impl(Sink s, bool r) : sink(std::move(s)), required(r) {}
  ~Impl() {
    if (open) inflateEnd(&stream);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  static tl::unexpected<Error> no_memory() {
    return fail(ErrorKind::unavailable, "no memory to decompress with");
  }

  // The first two bytes, of the stream or behind a member, say what follows.
  Result<void> decide() {
    if (kMagic == held) {
      if (!open) {
        piece.resize(kPiece);
        // 15: the largest window; + 16: a gzip header and no other.
        if (inflateInit2(&stream, 15 + 16) != Z_OK) return no_memory();
        open = true;
      } else {
        inflateReset(&stream);
      }
      state = State::member;
      const std::string magic = std::exchange(held, {});
      std::string_view rest = magic;
      return inflate_some(rest);
    }
    if (state == State::between) {  // padding and garbage behind the last member: gzip ignores it, so do we
      state = State::trailing;
      held.clear();
      return {};
    }
    if (required) return fail("the content is not gzip, though Content-Encoding says so");
    state = State::plain;
    const std::string begun = std::exchange(held, {});
    return begun.empty() ? Result<void>{} : sink(begun);
  }

  // Takes compressed bytes off the front of `bytes` until they or the member end.
  Result<void> inflate_some(std::string_view& bytes) {
    do {
      const auto offered =
          static_cast<uInt>(std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max()));
      // zlib's interface predates const; it does not write through next_in.
      stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
      stream.avail_in = offered;
      stream.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream.avail_out = static_cast<uInt>(piece.size());
      const int code = inflate(&stream, Z_NO_FLUSH);
      bytes.remove_prefix(offered - stream.avail_in);
      const std::size_t made = piece.size() - stream.avail_out;
      if (made > 0) {
        if (auto taken = sink({piece.data(), made}); !taken) return taken;
      }
      if (code == Z_STREAM_END) {
        state = State::between;
        return {};
      }
      if (code == Z_MEM_ERROR) return no_memory();
      if (code != Z_OK && code != Z_BUF_ERROR) {
        return fail(std::string("the compressed stream is damaged: ") +
                    (stream.msg != nullptr ? stream.msg : "inflate failed"));
      }
    } while (!bytes.empty() || stream.avail_out == 0);
    return {};
  }

  Sink sink;
  bool required;
  State state = State::unknown;
  bool open = false;
  z_stream stream{};
  std::string held;         // one byte of a magic whose second has not come yet
  std::vector<char> piece;  // decompressed, on its way to the sink
};

Inflater::Inflater(Sink sink, bool required) : impl_(std::make_unique<Impl>(std::move(sink), required)) {}
Inflater::~Inflater() = default;

Result<void> Inflater::feed(std::string_view bytes) {
  using State = Impl::State;
  while (!bytes.empty()) {
    Result<void> done;
    if (impl_->state == State::trailing) return {};
    if (impl_->state == State::plain) return impl_->sink(bytes);
    if (impl_->state == State::member) {
      done = impl_->inflate_some(bytes);
    } else {
      impl_->held += bytes.front();
      bytes.remove_prefix(1);
      const bool may_be_magic = Impl::kMagic.starts_with(impl_->held);
      if (!may_be_magic || impl_->held.size() == Impl::kMagic.size()) done = impl_->decide();
    }
    if (!done) return done;
  }
  return {};
}

Result<void> Inflater::finish() {
  if (impl_->state == Impl::State::member) return fail("the compressed stream is cut short");
  if (impl_->state == Impl::State::unknown) return impl_->decide();
  return {};
}

}  // namespace etad
