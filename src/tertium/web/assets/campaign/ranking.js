"use strict";
// Outputs side by side: each gets a place; equal places are ties.
window.tertium = (() => {
  const groups = (item) => [...item.element.querySelectorAll(".places")];
  const chosen = (group) => group.querySelector("input:checked") ?? group.querySelector("input");
  const protocol = {
    empty: () => [],
    complete: (value, item) => groups(item).every((_, k) => Boolean(value[k])),
    body: (value) => ({ ranks: value }),
    value: (body) => body.ranks,
    show(item, value) {
      groups(item).forEach((group, k) => {
        for (const input of group.querySelectorAll("input")) input.checked = Number(input.value) === value[k];
      });
    },
    attach(item, say) {
      item.say = (k, place) => { const value = groups(item).map((_, each) => item.value[each] ?? null); value[k] = place; say(value); };
      groups(item).forEach((group, k) => group.addEventListener("change", (event) => item.say(k, Number(event.target.value))));
    },
    key(item, event) {
      if (!/^[1-9]$/.test(event.key) || event.ctrlKey || event.metaKey) return false;
      const all = groups(item);
      const group = event.target.closest?.(".places") ?? all.find((_, k) => !item.value[k]) ?? all[0];
      const input = group.querySelector(`input[value="${event.key}"]`);
      if (!input) return true;
      const k = all.indexOf(group);
      item.say(k, Number(event.key));
      (all[k + 1] && !item.value[k + 1] ? chosen(all[k + 1]) : input).focus();
      return true;
    },
    first: (item) => chosen(groups(item).find((_, k) => !item.value[k]) ?? groups(item)[0]),
    lacking: (item) => protocol.first(item),
  };
  return { protocol };
})();
