"use strict";
// Sliders that start unset: direct assessment, the scalar quality metric, and the score after marking errors.
window.tertium = (() => {
  function sliders(item) { return [...item.element.querySelectorAll(".scale")]; }
  function attachSliders(item, get, say) {
    for (const scale of sliders(item)) {
      const input = scale.querySelector("input");
      const set = (number) => say({ ...get(), [scale.dataset.scale]: number });
      input.addEventListener("change", () => { item.typed = ""; set(Number(input.value)); });
      input.addEventListener("input", () => draw(scale, Number(input.value)));
      const touched = () => setTimeout(() => { if (get()[scale.dataset.scale] === undefined) set(Number(input.value)); });
      input.addEventListener("click", touched); // at its middle nothing changes
      input.addEventListener("pointerup", touched); // nor is there a click, by a finger
      input.addEventListener("blur", () => { item.typed = ""; });
    }
  }
  function draw(scale, number) {
    const input = scale.querySelector("input");
    const unset = number === undefined;
    scale.querySelector(".slider").classList.toggle("unset", unset);
    input.value = unset ? (Number(input.min) + Number(input.max)) / 2 : number;
    scale.querySelector("output").textContent = unset ? "–" : number;
    input.setAttribute("aria-valuetext", unset ? JSON.parse(document.getElementById("batch").dataset.words).unset : number);
  }
  function showSliders(item, values) { for (const scale of sliders(item)) draw(scale, values[scale.dataset.scale]); }
  function sliderKey(item, event, values, say) { // digits make a number, as in a calculator
    const scale = event.target.closest?.(".scale") ?? sliders(item)[0];
    const name = scale.dataset.scale;
    if (/^[0-9]$/.test(event.key) && !event.ctrlKey && !event.metaKey) {
      const input = scale.querySelector("input");
      const longer = (item.typed ?? "") + event.key;
      item.typed = Number(longer) > Number(input.max) || longer.length > 3 ? event.key : longer;
      say({ ...values, [name]: Number(item.typed) });
      return true;
    }
    if (event.key === "Backspace" || event.key === "Delete") {
      item.typed = "";
      const rest = { ...values };
      delete rest[name];
      say(rest);
      return true;
    }
    if (event.key.startsWith("Arrow")) item.typed = "";
    return false;
  }
  const answered = (item, values) => sliders(item).every((scale) => values[scale.dataset.scale] !== undefined);
  const protocol = {
    empty: () => ({}),
    complete: (value, item) => answered(item, value),
    body: (value) => ({ values: value }),
    value: (body) => body.values,
    show: showSliders,
    attach(item, say) { item.say = say; attachSliders(item, () => item.value, say); },
    key: (item, event) => sliderKey(item, event, item.value, item.say),
    first: (item) => item.element.querySelector(".scale input"),
    lacking: (item) => (sliders(item).find((scale) => item.value[scale.dataset.scale] === undefined) ?? sliders(item)[0]).querySelector("input"),
  };
  return { protocol, sliders: { attach: attachSliders, show: showSliders, key: sliderKey, answered } };
})();
