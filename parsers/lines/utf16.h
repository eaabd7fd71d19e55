// Lines of UTF-16: little-endian, what PowerShell's ">" writes, or big-endian.
//
// Text is split at newline bytes whatever its encoding is, so that positions in a file are those of its bytes. A
// line of UTF-16 then lacks the second byte of its own newline, and begins with that of the newline before it: it has
// an odd number of bytes, and all but the first are pairs (big-endian: all but the last, which is the first byte of its
// own newline). The file's first line begins with the mark FF FE (FE FF) instead.
// Most characters of a log are Latin, so that every second byte is NUL; other text has no such lines.
#pragma once

#include <span>

namespace etad {

// The line in UTF-8, written over its own bytes, without a return at its end; what is no such line is returned as it
// is. A character that takes more bytes in UTF-8 than the characters before it have left room for becomes a question
// mark.
std::span<char> narrow_utf16(std::span<char> line);

}  // namespace etad
