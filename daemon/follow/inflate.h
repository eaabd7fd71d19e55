// The content of a gzip file, of one member or several: offsets, sizes and bytes are those of the decompressed text.
//
// A gzip stream can be read only from its beginning. So a read behind the last one goes on from there, one within the
// last 200 KiB is answered from memory, and one farther back begins again. No content takes more than half a MiB. How much
// is inflated, `inflating` bounds (content.h): EAGAIN where the turn's share is spent, EFBIG beyond the largest size,
// EBADMSG where the bytes are no gzip stream, ENODATA where they are no whole one (yet), ENOMEM where zlib got no memory;
// after any of them the same call may be tried again.
#pragma once

#include <memory>

#include "daemon/follow/content.h"

namespace etad::follow {

std::unique_ptr<Content> inflated(std::unique_ptr<Content> raw, Inflating& inflating);

}  // namespace etad::follow
