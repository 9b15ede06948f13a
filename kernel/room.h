// A list that is filled anew for every segment. Room is made once for as many items as there can be and nothing is
// cleared, so that adding one is a store and a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tertium {

template <class Item>
class Room {
public:
    // Empties the list and makes room.
    void open(size_t most) {
        if (items_.size() < most) items_.resize(most);
        size_ = 0;
    }
    void push_back(Item item) { items_[size_++] = item; }
    const Item* begin() const { return items_.data(); }
    const Item* end() const { return items_.data() + size_; }
    Item operator[](size_t k) const { return items_[k]; }
    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

    // Lists `make(k, item)` for k = 0 .. count - 1, those for which it returns true. Wanted or not, the item is
    // stored, and the place is taken or not: no branch.
    template <class Make>
    void collect(size_t count, Make make) {
        open(count);
        Item* const items = items_.data();
        size_t kept = 0;
        for (size_t k = 0; k < count; ++k) {
            Item item;
            const bool wanted = make(static_cast<uint32_t>(k), item);
            items[kept] = item;
            kept += wanted;
        }
        size_ = kept;
    }

    // Keeps the items for which `visit(item)`, which may change them, returns true.
    template <class Visit>
    void filter(Visit visit) {
        Item* const items = items_.data();
        size_t kept = 0;
        for (size_t k = 0; k < size_; ++k) {
            Item item = items[k];
            const bool wanted = visit(item);
            items[kept] = item;
            kept += wanted;
        }
        size_ = kept;
    }

private:
    std::vector<Item> items_;
    size_t size_ = 0;
};

}  // namespace tertium
