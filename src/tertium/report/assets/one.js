"use strict";
// One segment, all its texts side by side, word by word. Alignments come with the page, or are made here where they do not.
tertium.one = ({ n, evidence, at, label, number }) => { // `at` has the data of a segment, by its place here
  const $ = (id) => document.getElementById(id);
  const { make, marked, shown, plain, BETWEEN } = tertium.drawing;
  const { chosen, round, dot } = tertium.choice;
  const { systems, metrics } = n;
  const { SIDES, spansOf, seen, legend } = tertium.marks({ evidence, make, marked, shown, plain, BETWEEN });
  let others = false; // whether those that are not chosen are open

  const LONG = 4000; // characters shown at first
  const WIDE = 600; // words from which on texts are not aligned: that costs their product
  const tokens = (text) => (text === "" ? [] : text.split(BETWEEN));
  const expand = (operations) => [...operations.matchAll(/(\d*)([=SDI])/g)].flatMap(([, times, letter]) => Array(Number(times || 1)).fill(letter));
  function align(output, reference) { // Levenshtein (1966), as the file's own alignments are made
    const [a, b] = [output, reference].map((each) => each.map((token) => token.trim()));
    const width = b.length + 1;
    const cost = new Uint16Array((a.length + 1) * width);
    for (let j = 0; j < width; j++) cost[j] = j;
    for (let i = 1; i <= a.length; i++) {
      cost[i * width] = i;
      for (let j = 1; j < width; j++) {
        const change = cost[(i - 1) * width + j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
        cost[i * width + j] = Math.min(change, cost[(i - 1) * width + j] + 1, cost[i * width + j - 1] + 1);
      }
    }
    const found = [];
    for (let i = a.length, j = b.length; i || j;) {
      const here = cost[i * width + j];
      if (i && j && here === cost[(i - 1) * width + j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)) { found.push(a[i - 1] === b[j - 1] ? "=" : "S"); i--; j--; }
      else if (i && here === cost[(i - 1) * width + j] + 1) { found.push("I"); i--; }
      else { found.push("D"); j--; }
    }
    return found.reverse();
  }

  function closest(segment) { // of a segment from the file beside the page, which has no alignments: the reference with the fewest edits
    return segment.o.map((output) => {
      let best = null;
      if (output !== null) segment.r.forEach((reference, r) => {
        if (Math.max(tokens(output).length, tokens(reference).length) > WIDE) return;
        const operations = align(tokens(output), tokens(reference)).join("");
        const edits = operations.replaceAll("=", "").length;
        if (!best || edits < best[2]) best = [r, operations, edits];
      });
      return best;
    });
  }

  function compared(text, other, operations, spans) {
    const [said, wanted] = [tokens(text), tokens(other)];
    const parts = [];
    let [i, j, from] = [0, 0, 0];
    const gap = (token) => token.match(/^\s*/)[0];
    for (let at = 0; at < operations.length;) {
      const same = operations[at] === "=";
      const [lost, new_] = [[], []];
      const begin = from;
      while (at < operations.length && (operations[at] === "=") === same) {
        if (operations[at] !== "I") lost.push(wanted[j++] ?? "");
        if (operations[at] !== "D") { new_.push(said[i] ?? ""); from += (said[i++] ?? "").length; }
        at++;
      }
      const piece = new_.join("");
      if (same) { parts.push(...marked(piece, spans, begin)); continue; }
      const missing = lost.join("");
      const lead = gap(piece || missing);
      parts.push(lead);
      if (missing.trim()) parts.push(make("del", {}, shown(missing.trim())), piece.trim() ? " " : "");
      if (piece.trim()) parts.push(make("ins", {}, ...marked(piece.trimStart(), spans, begin + piece.length - piece.trimStart().length)));
    }
    return parts;
  }


  function body(k, system) {
    const segment = at(k);
    const text = segment.o[system];
    if (text === null) return [make("i", { class: "note" }, "missing")];
    if (text === "") return [make("i", { class: "note" }, "empty")];
    const against = $("against").value;
    const metric = against.startsWith("marks ") ? Number(against.slice(6)) : null;
    if (metric !== null && plain(text).length <= LONG && segment.m?.[metric].o[system]) return seen(segment, system, metric);
    const spans = (segment.f ?? []).filter(([who, , , span]) => who === system && span).map(([, kind, proof, [start, end]]) => [start, end, `${n.detectors[kind]}: ${proof}`]);
    for (const [who, scale, rater, , errors] of segment.j ?? []) if (who === system) for (const [start, end, why] of errors) spans.push([start, end, `${scale}, ${rater}: ${why}`]);
    evidence.forEach((_, e) => { if (segment.m?.[e].o[system]?.[1] === 0) spans.push(...spansOf(segment, system, e, "output")); });
    spans.sort((a, b) => a[0] - b[0]);
    if (plain(text).length <= LONG) {
      if (against === "reference" && (segment.a ??= closest(segment))[system]) {
        const [reference, operations] = segment.a[system];
        return compared(text, segment.r[reference], expand(operations), spans);
      }
      const other = against.startsWith("system ") ? segment.o[Number(against.slice(7))] : null;
      if (other && Number(against.slice(7)) !== system && plain(other).length <= LONG) return compared(text, other, align(tokens(text), tokens(other)), spans);
    }
    return clipped(plain(text), spans);
  }
  function clipped(text, spans = []) {
    if (text.length <= LONG) return marked(text, spans);
    const more = make("button", { type: "button" }, `Show all ${text.length} characters`);
    more.addEventListener("click", () => more.parentElement.replaceChildren(...marked(text, spans)));
    return [...marked(text.slice(0, LONG), spans), "… ", more];
  }

  function detail(k) {
    const segment = at(k);
    const facts = [n.documents && `document ${n.documents[k]}`, ...Object.entries(n.labels).map(([name, values]) => `${name} ${values[k]}`)].filter(Boolean).map(shown);
    const head = make("header", {}, make("h3", {}, "Segment ", make("bdi", {}, shown(label(k)))), make("span", { class: "note" }, make("bdi", {}, facts.join(" · "))),
      make("a", { href: `#segment-${number(k)}`, class: "note" }, "link"));
    const said = (lang, name, ...content) => make("div", { class: "text" }, make("h4", {}, name), make("p", { dir: "auto", ...(lang ? { lang } : {}) }, ...content));
    const parts = [head];
    if (evidence.length && !segment.m && $("against").value.startsWith("marks ")) parts.push(make("p", { class: "note" }, "What metrics mark is on the page only for the segments that it holds itself."));
    if (segment.s !== null) {
      const spans = (segment.f ?? []).filter(([, , , , span]) => span).map(([system, kind, proof, , [start, end]]) => [start, end, `${n.detectors[kind]} (${systems[system]}): ${proof}`]);
      evidence.forEach((_, e) => systems.forEach((name, system) => {
        if (segment.m?.[e].o[system]?.[4] === 0) spans.push(...spansOf(segment, system, e, "source").map(([start, end, why, style]) => [start, end, `${why} (${name})`, style]));
      }));
      spans.sort((a, b) => a[0] - b[0]);
      parts.push(said(n.language.source, "Source", ...clipped(segment.s, spans)));
    }
    segment.r.forEach((text, r) => parts.push(said(n.language.target, segment.r.length > 1 ? `Reference ${r + 1}` : "Reference", ...clipped(plain(text)))));
    const order = [chosen.first, chosen.second, ...systems.keys()].filter((system, at, all) => all.indexOf(system) === at);
    const pinned = Math.min(order.length, 2);
    const folded = make("details", { class: "others", ...(others ? { open: "" } : {}) }, make("summary", {}, `${order.length - pinned} other system${order.length - pinned === 1 ? "" : "s"}`));
    const block = (system) => {
      const scores = metrics.map(({ name, decimals }, m) => make("span", { class: m === chosen.metric ? "score main" : "score" }, make("b", {}, name), ` ${round(n.scores[m][system][k], decimals)}`));
      const output = said(n.language.target, "", ...body(k, system));
      output.classList.add("output");
      output.querySelector("h4").append(make("bdi", {}, ...(systems.length > 1 ? [dot(system)] : []), systems[system]), make("span", { class: "scores" }, ...scores));
      const found = (segment.f ?? []).filter(([who]) => who === system).map(([, kind, proof]) => make("li", {}, make("b", {}, n.detectors[kind]), ` ${proof}`));
      evidence.forEach(({ name }, e) => { // what is marked nowhere in the texts
        for (const [on, , , , why] of segment.m?.[e].o[system]?.[3] ?? []) if (on === SIDES.length) found.push(make("li", {}, make("b", {}, name), ` ${why}`));
      });
      if (found.length) output.append(make("ul", { class: "found" }, ...found));
      const rated = new Map();
      for (const [who, scale, rater, value, , again] of segment.j ?? []) if (who === system) rated.set(scale, [...(rated.get(scale) ?? []), `${value} (${rater}${again ? ", again" : ""})`]);
      if (rated.size) output.append(make("div", { class: "rated" }, [...rated].map(([scale, values]) => `${scale} ${values.join(", ")}`).join(" · ")));
      if (segment.p?.[system]) { // what a language model was asked, and what it said before any step was done to it
        const [asked, answer] = segment.p[system];
        const raw = (name, text) => [make("h5", {}, name), make("pre", { dir: "auto", tabindex: "0" }, ...clipped(text))];
        output.append(make("details", { class: "asked" }, make("summary", {}, "Prompt and raw answer"), ...raw("Prompt", asked), ...raw("Raw answer", answer)));
      }
      return output;
    };
    parts.push(...order.slice(0, pinned).map(block));
    const unfold = () => { if (folded.open && folded.children.length === 1) folded.append(...order.slice(pinned).map(block)); };
    folded.addEventListener("toggle", () => { others = folded.open; unfold(); });
    unfold();
    if (order.length > pinned) parts.push(folded);
    $("detail").replaceChildren(...parts);
  }

  return { detail, legend };
};
