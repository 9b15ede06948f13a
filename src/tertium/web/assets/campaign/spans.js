"use strict";
// Errors marked in texts, in code points; then a score (ESA), or what each error is (MQM). Marks begin and end where
// characters do as people see them: an emoji or a letter with its accents is one.
window.tertium = (() => {
  const { sliders } = window.tertium;
  const root = document.getElementById("batch");
  const words = JSON.parse(root.dataset.words);
  const named = root.dataset.protocol === "mqm";
  const SEVERITIES = ["minor", "major", "critical"];
  const split = globalThis.Intl?.Segmenter
    ? (text, kind) => [...new Intl.Segmenter(undefined, { granularity: kind }).segment(text)].map((part) => part.segment)
    : (text, kind) => (kind === "word" ? text.split(/(?<=\s)(?=\S)|(?<=\S)(?=\s)/) : [...text]);
  const points = (text) => [...text].length;
  function bounds(parts) { // where they begin, in code points; and the end
    const found = [0];
    for (const part of parts) found.push(found.at(-1) + points(part));
    return found;
  }
  function wordsOf(text) { // where words begin, and where they end: not the spaces between them
    const parts = split(text, "word");
    const edges = bounds(parts);
    const real = [...parts.keys()].filter((k) => parts[k].trim());
    return { starts: real.map((k) => edges[k]), ends: real.map((k) => edges[k + 1]) };
  }
  const texts = (item) => [...item.element.querySelectorAll("[data-side]")];

  // A text with its marks, and the place where the keyboard is.
  function draw(item, place) {
    const { characters, letters, at, from } = item.texts.get(place);
    const marks = item.value.spans.filter((span) => span[4] === place.dataset.side);
    const [low, high] = from <= at ? [from, at] : [at, from];
    const runs = []; // [name, letters]: each is written once, because a text may be long
    for (let k = 0; k < characters.length - 1; k += 1) {
      const [start, end] = [characters[k], characters[k + 1]];
      const mark = marks.findLast((span) => span[0] < end && span[1] > start);
      const name = [mark ? `mark ${mark[2]}` : "", start >= low && end <= high && low < high ? "chosen" : "", start === at ? "caret" : ""].join(" ").trim();
      if (runs.at(-1)?.[0] !== name || start === at) runs.push([name, []]);
      runs.at(-1)[1].push(letters[k]);
    }
    if (at === characters.at(-1)) runs.push(["caret end", []]);
    place.replaceChildren(...runs.map(([name, some]) => Object.assign(document.createElement("span"), { className: name, textContent: some.join("") })));
  }
  function list(item) { // the errors, below the texts
    const place = item.element.querySelector(".errors");
    const categories = JSON.parse(place.dataset.categories);
    const held = place.contains(document.activeElement) ? [...place.querySelectorAll("select, button")].indexOf(document.activeElement) : -1;
    place.replaceChildren();
    item.value.spans.forEach((span, k) => {
      const [start, end, severity, category, side] = span;
      const row = document.createElement("li");
      const quoted = document.createElement("bdi");
      const text = texts(item).find((one) => one.dataset.side === side);
      quoted.textContent = [...item.texts.get(text).text].slice(start, end).join("");
      quoted.className = `mark ${severity}`;
      row.append(quoted, ` ${words[severity]}${side === "source" ? `, ${words["in-source"]}` : ""} `);
      if (named) {
        const select = document.createElement("select");
        select.setAttribute("aria-label", words.category);
        select.append(new Option(words.category, ""), ...categories.map((name) => new Option(name, name, false, name === category)));
        select.value = category;
        select.addEventListener("change", () => change(item, item.value.spans.map((one, each) => (each === k ? [start, end, severity, select.value, side] : one))));
        row.append(select, " ");
      }
      const remove = document.createElement("button");
      remove.type = "button";
      remove.textContent = words.remove;
      remove.addEventListener("click", () => { change(item, item.value.spans.filter((_, each) => each !== k)); text.focus(); });
      row.append(remove);
      place.append(row);
    });
    if (!item.value.spans.length) { const none = document.createElement("li"); none.textContent = words["no-errors"]; none.className = "note"; place.append(none); }
    if (held >= 0) place.querySelectorAll("select, button")[held]?.focus();
  }
  function change(item, spans) { item.say({ ...item.value, spans, done: false }); }

  function snap(known, start, end) { // to whole characters
    return [known.characters.findLast((k) => k <= start) ?? 0, known.characters.find((k) => k >= end) ?? known.characters.at(-1)];
  }
  function selected(item) { // [text, start, end] of what is chosen: by mouse or finger, or by keys
    const selection = getSelection();
    if (selection.rangeCount && !selection.isCollapsed) {
      const range = selection.getRangeAt(0);
      const place = texts(item).find((one) => one.contains(range.startContainer) && one.contains(range.endContainer));
      if (place) {
        const before = document.createRange();
        before.setStart(place, 0);
        before.setEnd(range.startContainer, range.startOffset);
        const start = points(before.toString());
        return [place, ...snap(item.texts.get(place), start, start + points(range.toString()))];
      }
    }
    for (const place of [document.activeElement, ...texts(item)]) {
      const known = item.texts.get(place);
      if (known && known.from !== known.at) return [place, Math.min(known.from, known.at), Math.max(known.from, known.at)];
    }
    return null;
  }
  function mark(item, severity) {
    const found = selected(item);
    if (!found) return;
    const [place, start, end] = found;
    if (start >= end) return;
    const known = item.texts.get(place);
    known.from = known.at = end;
    getSelection().removeAllRanges();
    const same = (span) => span[0] === start && span[1] === end && span[4] === place.dataset.side;
    const before = item.value.spans.find(same);
    const spans = [...item.value.spans.filter((span) => !same(span)), [start, end, severity, before?.[3] ?? "", place.dataset.side]];
    spans.sort((a, b) => (a[4] === b[4] ? a[0] - b[0] || a[1] - b[1] : a[4] < b[4] ? -1 : 1));
    change(item, spans);
    if (named) item.element.querySelectorAll(".errors select")[spans.findIndex(same)].focus(); else place.focus();
  }
  function move(item, place, event) { // arrows, Home, End; with Shift they select
    const known = item.texts.get(place);
    const byWord = event.ctrlKey || event.metaKey;
    const before = byWord ? known.words.starts : known.characters;
    const after = !byWord ? known.characters : event.shiftKey ? known.words.ends : known.words.starts; // what is chosen ends with a word
    const back = getComputedStyle(place).direction === "rtl" ? "ArrowRight" : "ArrowLeft";
    const on = back === "ArrowLeft" ? "ArrowRight" : "ArrowLeft";
    if (event.key === back) known.at = before.findLast((k) => k < known.at) ?? 0;
    else if (event.key === on) known.at = after.find((k) => k > known.at) ?? known.characters.at(-1);
    else if (event.key === "Home") known.at = 0;
    else if (event.key === "End") known.at = known.characters.at(-1);
    else return false;
    if (!event.shiftKey) known.from = known.at;
    getSelection().removeAllRanges();
    draw(item, place);
    return true;
  }

  const protocol = {
    empty: () => ({ spans: [], values: {}, done: false }),
    complete: (value, item) => (named ? value.done && value.spans.every((span) => span[3]) : sliders.answered(item, value.values)),
    body: (value) => (named ? { spans: value.spans } : { spans: value.spans, values: value.values }),
    value: (body) => ({ spans: body.spans, values: body.values ?? {}, done: true }),
    show(item, value) {
      for (const place of texts(item)) draw(item, place);
      list(item);
      sliders.show(item, value.values);
      item.element.querySelector(".finished")?.setAttribute("aria-pressed", String(value.done && protocol.complete(value, item)));
    },
    attach(item, say) {
      item.say = say;
      item.texts = new Map(texts(item).map((place) => {
        const text = JSON.parse(place.dataset.text);
        const letters = split(text, "grapheme");
        return [place, { text, letters, characters: bounds(letters), words: wordsOf(text), at: 0, from: 0 }];
      }));
      sliders.attach(item, () => item.value.values, (values) => say({ ...item.value, values }));
      for (const button of item.element.querySelectorAll("[data-severity]")) {
        button.addEventListener("mousedown", (event) => event.preventDefault()); // which would take the selection away
        button.addEventListener("click", () => mark(item, button.dataset.severity));
      }
    },
    finish(item) { if (named && !item.value.done) item.say({ ...item.value, done: true }); },
    key(item, event) {
      const place = event.target.closest?.("[data-side]");
      if (!place) return event.target.closest?.(".scale") ? sliders.key(item, event, item.value.values, (values) => item.say({ ...item.value, values })) : false;
      if (move(item, place, event)) return true;
      if (event.ctrlKey || event.metaKey) return false;
      const severity = SEVERITIES[Number(event.key) - 1];
      if (severity) { mark(item, severity); return true; }
      if (event.key === "Delete" || event.key === "Backspace") {
        const { at } = item.texts.get(place);
        const hit = item.value.spans.findLast((span) => span[4] === place.dataset.side && span[0] <= at && at <= span[1]);
        if (hit) change(item, item.value.spans.filter((span) => span !== hit));
        return true;
      }
      return false;
    },
    first: (item) => texts(item).at(-1),
    lacking(item) {
      const select = [...item.element.querySelectorAll(".errors select")].find((one) => !one.value);
      return select ?? (named ? item.element.querySelector(".finished") : item.element.querySelector(".scale input"));
    },
  };
  return { protocol };
})();
