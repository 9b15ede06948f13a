"use strict";
// An alignment as lines between words: the output above, the reference below; and beside it the alignment that was
// rejected. Texts are as a metric reads them, words with spaces between them.
tertium.lines = ({ make, shown, texts, links, rejected, kinds }) => {
  const SVG = new DOMParser().parseFromString("<svg></svg>", "text/html").querySelector("svg").namespaceURI;
  const words = (text) => [...text.matchAll(/[^ ]+/g)].map((found) => ({ text: found[0], start: found.index, end: found.index + found[0].length }));
  const said = words(texts.output);
  const wanted = words(texts.reference);
  const inside = (all, [start, end]) => all.flatMap((word, k) => (word.start >= start && word.end <= end ? [k] : []));
  const paired = (chosen) => chosen.flatMap(({ kind, output, reference }) => { // word by word, as far as both sides go
    const [own, other] = [inside(said, output), inside(wanted, reference)];
    return own.slice(0, other.length).map((i, k) => ({ kind, from: i, to: other[k] }));
  });
  const crossings = (pairs) => pairs.reduce((sum, a, k) => sum + pairs.slice(k + 1).filter((b) => (a.from - b.from) * (a.to - b.to) < 0).length, 0);
  function picture(pairs, dashed, name) {
    const row = (all) => make("div", { class: "line-words" }, ...all.flatMap((word) => [make("span", {}, shown(word.text)), " "]));
    const [above, below] = [row(said), row(wanted)];
    const sheet = document.createElementNS(SVG, "svg");
    sheet.setAttribute("aria-hidden", "true");
    const box = make("div", { class: "lines", dir: "ltr" }, make("div", {}, above, sheet, below));
    const place = (line, k) => { const { offsetLeft, offsetWidth } = line.children[k]; return offsetLeft + offsetWidth / 2; };
    requestAnimationFrame(() => {
      const width = Math.max(above.scrollWidth, below.scrollWidth);
      sheet.setAttribute("viewBox", `0 0 ${width} 56`);
      sheet.setAttribute("width", width);
      sheet.setAttribute("height", 56);
      if (box.scrollWidth > box.clientWidth) for (const [key, value] of Object.entries({ tabindex: 0, role: "region", "aria-label": name })) box.setAttribute(key, value);
      for (const { kind, from, to } of pairs) {
        const line = document.createElementNS(SVG, "line");
        Object.entries({ x1: place(above, from), y1: 2, x2: place(below, to), y2: 54 }).forEach(([name, value]) => line.setAttribute(name, value));
        line.setAttribute("class", `line-${kind ? 1 + ((kind - 1) % 4) : 0}${dashed.has(`${from} ${to}`) ? " line-rejected" : ""}`);
        const title = document.createElementNS(SVG, "title");
        title.textContent = `${said[from].text} – ${wanted[to].text}: ${kinds[kind]}`;
        line.append(title);
        sheet.append(line);
      }
    });
    return box;
  }
  const pairs = paired(links);
  const count = (number) => `${number} crossing${number === 1 ? "" : "s"}`;
  const parts = [make("p", { class: "note" }, `Chosen: ${count(crossings(pairs))}.`), picture(pairs, new Set(), "Chosen alignment")];
  const others = paired(rejected);
  if (others.length) {
    const away = new Set(others.map(({ from }) => from));
    const all = [...pairs.filter(({ from }) => !away.has(from)), ...others];
    parts.push(make("p", { class: "note" }, `Rejected: ${count(crossings(all))}, with two equal words the other way round.`), picture(all, new Set(others.map(({ from, to }) => `${from} ${to}`)), "Rejected alignment"));
  }
  return parts;
};
