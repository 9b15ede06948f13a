// Which of sixty-four bytes at a time are of a kind, by the widest instructions that the processor has. They are chosen
// when the kernel is loaded, not when it is compiled: one build runs everywhere. The scalar twin is the definition, and
// tests hold all others to it (`use_simd`).
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

#if defined(__SSE2__) || defined(_M_X64)
#define TERTIUM_SSE2
#include <immintrin.h>
#elif defined(__aarch64__) || defined(_M_ARM64)
#define TERTIUM_NEON
#include <arm_neon.h>
#endif

#if defined(_MSC_VER)
#include <intrin.h>
#define TERTIUM_INLINE __forceinline
#define TERTIUM_AVX2  // its compiler knows the instructions without being told
#else
#define TERTIUM_INLINE [[gnu::always_inline]] inline
#define TERTIUM_AVX2 [[gnu::target("avx2")]]
#endif

namespace tertium {

// The kinds.

struct Newlines {
    static bool has(unsigned char byte) { return byte == '\n'; }
};

// White space beyond ASCII hides behind the lead bytes C2, E1, E2 and E3.
inline bool is_space_lead(unsigned char byte) { return byte == 0xC2 || (byte >= 0xE1 && byte <= 0xE3); }

struct MarksSpace {
    static bool has(unsigned char byte) { return byte <= 0x20 || is_space_lead(byte); }
};

struct Marks13a {  // everything but letters, digits, apostrophes and the harmless non-ASCII bytes
    static bool has(unsigned char byte) {
        const unsigned char letter = byte | 0x20;
        if (byte >= 0x80) return is_space_lead(byte);
        return !((letter >= 'a' && letter <= 'z') || (byte >= '0' && byte <= '9') || byte == '\'');
    }
};

namespace scan {

// Fills a mask for each block of sixty-four bytes: bit k is of byte k.
using Scan = void (*)(const char* at, std::span<uint64_t> masks);

struct Scans {  // by one set of instructions
    const char* name;
    Scan newlines, space, marks13a;
};

template <class Kind>
void scalar(const char* at, std::span<uint64_t> masks) {
    for (uint64_t& mask : masks) {
        mask = 0;
        for (size_t k = 0; k < 64; ++k) mask |= uint64_t{Kind::has(static_cast<unsigned char>(*at++))} << k;
    }
}

inline constexpr Scans by_scalar{"scalar", &scalar<Newlines>, &scalar<MarksSpace>, &scalar<Marks13a>};

#if defined(TERTIUM_SSE2)

inline __m128i between(__m128i bytes, char low, char high) {  // unsigned low <= byte <= high
    const __m128i shifted = _mm_sub_epi8(bytes, _mm_set1_epi8(low));
    return _mm_cmpeq_epi8(_mm_min_epu8(shifted, _mm_set1_epi8(static_cast<char>(high - low))), shifted);
}
inline __m128i equal(__m128i bytes, char byte) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte)); }
inline __m128i space_leads(__m128i bytes) { return _mm_or_si128(equal(bytes, '\xC2'), between(bytes, '\xE1', '\xE3')); }
inline __m128i of(Newlines, __m128i bytes) { return equal(bytes, '\n'); }
inline __m128i of(MarksSpace, __m128i bytes) { return _mm_or_si128(between(bytes, 0, 0x20), space_leads(bytes)); }
inline __m128i of(Marks13a, __m128i bytes) {
    const __m128i letters = between(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 'z');
    const __m128i boring = _mm_or_si128(_mm_or_si128(letters, between(bytes, '0', '9')), equal(bytes, '\''));
    const __m128i ascii = _mm_cmpgt_epi8(bytes, _mm_set1_epi8(-1));
    return _mm_or_si128(_mm_andnot_si128(boring, ascii), space_leads(bytes));
}

template <class Kind>
void sse2(const char* at, std::span<uint64_t> masks) {
    for (uint64_t& mask : masks) {
        mask = 0;
        for (int k = 0; k < 64; k += 16, at += 16) {
            const __m128i found = of(Kind{}, _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
            mask |= static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(found))) << k;
        }
    }
}

inline constexpr Scans by_sse2{"sse2", &sse2<Newlines>, &sse2<MarksSpace>, &sse2<Marks13a>};

TERTIUM_AVX2 inline __m256i between(__m256i bytes, char low, char high) {
    const __m256i shifted = _mm256_sub_epi8(bytes, _mm256_set1_epi8(low));
    return _mm256_cmpeq_epi8(_mm256_min_epu8(shifted, _mm256_set1_epi8(static_cast<char>(high - low))), shifted);
}
TERTIUM_AVX2 inline __m256i equal(__m256i bytes, char byte) { return _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte)); }
TERTIUM_AVX2 inline __m256i space_leads(__m256i bytes) {
    return _mm256_or_si256(equal(bytes, '\xC2'), between(bytes, '\xE1', '\xE3'));
}
TERTIUM_AVX2 inline __m256i of(Newlines, __m256i bytes) { return equal(bytes, '\n'); }
TERTIUM_AVX2 inline __m256i of(MarksSpace, __m256i bytes) {
    return _mm256_or_si256(between(bytes, 0, 0x20), space_leads(bytes));
}
TERTIUM_AVX2 inline __m256i of(Marks13a, __m256i bytes) {
    const __m256i letters = between(_mm256_or_si256(bytes, _mm256_set1_epi8(0x20)), 'a', 'z');
    const __m256i boring = _mm256_or_si256(_mm256_or_si256(letters, between(bytes, '0', '9')), equal(bytes, '\''));
    const __m256i ascii = _mm256_cmpgt_epi8(bytes, _mm256_set1_epi8(-1));
    return _mm256_or_si256(_mm256_andnot_si256(boring, ascii), space_leads(bytes));
}

template <class Kind>
TERTIUM_AVX2 void avx2(const char* at, std::span<uint64_t> masks) {
    for (uint64_t& mask : masks) {
        mask = 0;
        for (int k = 0; k < 64; k += 32, at += 32) {
            const __m256i found = of(Kind{}, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
            mask |= static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(found))) << k;
        }
    }
}

inline constexpr Scans by_avx2{"avx2", &avx2<Newlines>, &avx2<MarksSpace>, &avx2<Marks13a>};

inline bool has_avx2() {
#if defined(_MSC_VER)
    int facts[4];
    __cpuid(facts, 0);
    if (facts[0] < 7) return false;
    __cpuid(facts, 1);
    const bool saved = (facts[2] & 1 << 27) != 0 && (_xgetbv(0) & 6) == 6;  // by the operating system: wide registers
    __cpuidex(facts, 7, 0);
    return saved && (facts[1] & 1 << 5) != 0;
#else
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") != 0;
#endif
}

#elif defined(TERTIUM_NEON)

inline uint8x16_t between(uint8x16_t bytes, uint8_t low, uint8_t high) {
    return vcleq_u8(vsubq_u8(bytes, vdupq_n_u8(low)), vdupq_n_u8(static_cast<uint8_t>(high - low)));
}
inline uint8x16_t equal(uint8x16_t bytes, uint8_t byte) { return vceqq_u8(bytes, vdupq_n_u8(byte)); }
inline uint8x16_t space_leads(uint8x16_t bytes) { return vorrq_u8(equal(bytes, 0xC2), between(bytes, 0xE1, 0xE3)); }
inline uint8x16_t of(Newlines, uint8x16_t bytes) { return equal(bytes, '\n'); }
inline uint8x16_t of(MarksSpace, uint8x16_t bytes) { return vorrq_u8(between(bytes, 0, 0x20), space_leads(bytes)); }
inline uint8x16_t of(Marks13a, uint8x16_t bytes) {
    const uint8x16_t letters = between(vorrq_u8(bytes, vdupq_n_u8(0x20)), 'a', 'z');
    const uint8x16_t boring = vorrq_u8(vorrq_u8(letters, between(bytes, '0', '9')), equal(bytes, '\''));
    return vorrq_u8(vbicq_u8(vcltq_u8(bytes, vdupq_n_u8(0x80)), boring), space_leads(bytes));
}

// There is no instruction that collects a bit of each byte: every byte keeps the bit of its place, neighbours are added.
template <class Kind>
void neon(const char* at, std::span<uint64_t> masks) {
    const uint8x16_t places = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
    for (uint64_t& mask : masks) {
        uint8x16_t found[4];
        for (uint8x16_t& part : found) {
            part = vandq_u8(of(Kind{}, vld1q_u8(reinterpret_cast<const uint8_t*>(at))), places);
            at += 16;
        }
        const uint8x16_t half = vpaddq_u8(vpaddq_u8(found[0], found[1]), vpaddq_u8(found[2], found[3]));
        mask = vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(half, half)), 0);
    }
}

inline constexpr Scans by_neon{"neon", &neon<Newlines>, &neon<MarksSpace>, &neon<Marks13a>};

#endif

// What this processor can, from the scalar twin to the best.
inline std::span<const Scans* const> possible() {
#if defined(TERTIUM_SSE2)
    static constexpr const Scans* all[] = {&by_scalar, &by_sse2, &by_avx2};
    return std::span(all).first(has_avx2() ? 3 : 2);
#elif defined(TERTIUM_NEON)
    static constexpr const Scans* all[] = {&by_scalar, &by_neon};
    return all;
#else
    static constexpr const Scans* all[] = {&by_scalar};
    return all;
#endif
}

inline std::atomic<const Scans*> chosen = possible().back();

}  // namespace scan

// For tests: from now on, all threads scan by these instructions.
inline void use_simd(const std::string& name) {
    std::string known;
    for (const scan::Scans* const scans : scan::possible()) {
        if (name == scans->name) return scan::chosen.store(scans, std::memory_order_relaxed);
        known += (known.empty() ? "" : ", ") + std::string(scans->name);
    }
    throw std::invalid_argument("no instructions '" + name + "' on this processor; it has " + known);
}

template <class Kind>
void scan_blocks(const char* at, std::span<uint64_t> masks) {
    const scan::Scans& by = *scan::chosen.load(std::memory_order_relaxed);
    if constexpr (std::is_same_v<Kind, Newlines>)
        by.newlines(at, masks);
    else if constexpr (std::is_same_v<Kind, MarksSpace>)
        by.space(at, masks);
    else
        by.marks13a(at, masks);
}

// Calls `visit` on every byte of the kind in order until it returns false. Sixty-three bytes behind `end` can be read:
// the end of the loop over the marks is what the processor mispredicts, so there should be few ends. Blocks are scanned
// several at a time, because whom to call is only known at run time.
template <class Kind, class Visit>
TERTIUM_INLINE void visit_marked(const char* at, const char* end, Visit visit) {
    uint64_t masks[8];
    while (at < end) {
        const size_t blocks = std::min<size_t>(std::size(masks), static_cast<size_t>(end - at + 63) / 64);
        scan_blocks<Kind>(at, {masks, blocks});
        for (size_t k = 0; k < blocks; ++k, at += 64) {
            uint64_t mask = masks[k];
            if (end - at < 64) mask &= (uint64_t{1} << (end - at)) - 1;
            for (; mask != 0; mask &= mask - 1)
                if (!visit(at + std::countr_zero(mask))) return;
        }
    }
}

}  // namespace tertium
