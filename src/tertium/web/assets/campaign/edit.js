"use strict";
// Post-editing: the output in a field of its own, mended until the rater says that it is done.
window.tertium = (() => {
  const area = (item) => item.element.querySelector("textarea");
  const fit = (field) => { field.style.height = "auto"; field.style.height = `${field.scrollHeight + 2}px`; };
  const protocol = {
    empty: () => ({}),
    complete: (value) => value.done === true,
    body: (value) => ({ text: value.text }),
    value: (body) => ({ text: body.text, done: true }),
    show(item, value) {
      const field = area(item);
      const text = value.text ?? item.given;
      if (field.value !== text) field.value = text;
      item.element.querySelector(".finished").setAttribute("aria-pressed", String(value.done === true));
      fit(field);
    },
    attach(item, say) {
      const field = area(item);
      item.say = say;
      item.given = JSON.parse(field.dataset.text);
      field.value = item.given;
      if (field.value !== item.given) item.shown = field.value; // a field knows one kind of line end only
      field.addEventListener("input", () => { say({ text: field.value, done: false }); });
    },
    finish(item) {
      const text = area(item).value.toWellFormed?.() ?? area(item).value; // halves of characters cannot be kept
      if (item.value.done && item.value.text === text) return;
      item.say({ text: text === item.shown ? item.given : text, done: true });
    },
    shown(items) { for (const item of items) fit(area(item)); },
    key: () => false,
    first: area,
    lacking: area,
  };
  return { protocol };
})();
