"use strict";
// Points with names: adequacy and fluency.
window.tertium = (() => {
  const groups = (item) => [...item.element.querySelectorAll(".choice")];
  const chosen = (group) => group.querySelector("input:checked") ?? group.querySelector("input");
  const protocol = {
    empty: () => ({}),
    complete: (value, item) => groups(item).every((group) => value[group.dataset.scale] !== undefined),
    body: (value) => ({ values: value }),
    value: (body) => body.values,
    show(item, value) {
      for (const group of groups(item)) {
        for (const input of group.querySelectorAll("input")) input.checked = Number(input.value) === value[group.dataset.scale];
      }
    },
    attach(item, say) {
      item.say = say;
      for (const group of groups(item)) {
        group.addEventListener("change", (event) => say({ ...item.value, [group.dataset.scale]: Number(event.target.value) }));
      }
    },
    key(item, event) {
      if (!/^[0-9]$/.test(event.key) || event.ctrlKey || event.metaKey) return false;
      const all = groups(item);
      const group = event.target.closest?.(".choice") ?? all.find((one) => item.value[one.dataset.scale] === undefined) ?? all[0];
      const input = group.querySelector(`input[value="${event.key}"]`);
      if (!input) return true;
      item.say({ ...item.value, [group.dataset.scale]: Number(event.key) });
      const following = all[all.indexOf(group) + 1];
      (following && item.value[following.dataset.scale] === undefined ? chosen(following) : input).focus();
      return true;
    },
    first: (item) => chosen(groups(item).find((group) => item.value[group.dataset.scale] === undefined) ?? groups(item)[0]),
    lacking: (item) => protocol.first(item),
  };
  return { protocol };
})();
