// Whether a sanitizer owns the heap: then neither what is allocated nor what is resident is the code's own.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ETAD_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ETAD_SANITIZED 1
#endif
#endif
#ifndef ETAD_SANITIZED
#define ETAD_SANITIZED 0
#endif

namespace etad {
// Of a long row of cases that are alike each is tried where code is optimized, and one in so many under a sanitizer,
// which takes ten times as long and looks for what any of them would show.
inline constexpr int kOneCaseIn = ETAD_SANITIZED ? 5 : 1;
}  // namespace etad
