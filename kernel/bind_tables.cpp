// How much work tables have with words and numbers: for tests, which count it instead of measuring time.
#include "binding.h"
#include "meteor_tables.h"
#include "secrets.h"
#include "types.h"
#include "vocabulary.h"

using namespace tertium;

namespace {

// How many slots a table looks at in vain to find all these words, when it holds them; a line is a word.
size_t count_steps(const View& view, const std::string& table) {
    const LinesView lines = view.lines();
    std::string text;  // words that a vocabulary reads have room behind them
    for (size_t i = 0; i < lines.count; ++i) text.append(lines[i]);
    text.append(readable_bytes, '\0');
    Words words;
    words.open(lines.count);
    for (size_t i = 0, at = 0; i < lines.count; at += lines[i++].size()) words.push_back({text.data() + at, lines[i].size()});
    const auto count = [&](auto&& numbers) {
        size_t steps = 0;
        for (const std::string_view word : words) numbers.add(word);
        for (const std::string_view word : words) steps += numbers.steps(word);
        return steps;
    };
    if (table == "types") return count(Types());
    if (table == "numbers") return count(WordNumbers());
    if (table != "vocabulary") throw nb::value_error(("the kernel has no table '" + table + "'").c_str());
    Vocabulary vocabulary;
    std::vector<uint32_t> room;
    vocabulary.reset(words.size());
    vocabulary.add(words, room);
    return vocabulary.steps(words);
}

// What tables of numbers find their slots by: those of n-grams by the first bits.
std::vector<uint64_t> hash_numbers(const std::vector<uint64_t>& keys, bool ngrams) {
    std::vector<uint64_t> hashes;
    for (const uint64_t key : keys) hashes.push_back(ngrams ? hash_ngram(key, secrets) : hash_number(key));
    return hashes;
}

}  // namespace

void tertium::bind_tables(nb::module_& m) {
    m.def("count_steps", &count_steps, "words"_a, "table"_a);
    m.def("hash_numbers", &hash_numbers, "keys"_a, "ngrams"_a = false);
}
