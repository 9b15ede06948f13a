"use strict";
// What drawings are made of: elements with their attributes, texts whose control characters can be seen, texts with spans.
tertium.drawing = (() => {
  const BETWEEN = "\u001f"; // before every word of a text but the first
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) if (value !== undefined && value !== false) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const shown = (text) => text.replace(/[\u0000-\u0008\u000b-\u001e\u007f]/g, (c) => (c === "\u007f" ? "␡" : String.fromCharCode(0x2400 + c.charCodeAt(0))))
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, (c) => `[U+${c.charCodeAt(0).toString(16).toUpperCase()}]`);
  const plain = (text) => text.replaceAll(BETWEEN, "");
  function marked(text, spans, from = 0) { // a piece of a text that begins at `from`, with what was found in it
    const parts = [];
    let place = 0;
    for (const [start, end, why, style] of spans) {
      const [low, high] = [Math.max(start - from, place), Math.min(end - from, text.length)];
      if (low >= high) continue;
      parts.push(shown(text.slice(place, low)), make("mark", { title: why, class: style === undefined ? undefined : `style-${style % 4}` }, shown(text.slice(low, high))));
      place = high;
    }
    parts.push(shown(text.slice(place)));
    return parts.filter((part) => part !== "");
  }
  return { make, marked, shown, plain, BETWEEN };
})();

// What metrics mark in a segment, drawn: links between an output and a reference, what is matched, and spans. Which kinds
// there are comes with the data. Links in which both sides have the same order make a stretch, numbered as in the reference.
tertium.marks = ({ evidence, make, marked, shown, plain, BETWEEN, open = false }) => {
  const SIDES = ["output", "reference", "source"];
  let drawn = open; // whether the reader wants to see lines
  const spaced = (text) => text.replaceAll(`${BETWEEN} `, " ").replaceAll(BETWEEN, " ");
  const reading = (how, text) => { // a text as a metric reads it: given, or made of its words, or put in lower case
    if (typeof how === "string") return how;
    const read = how & 2 ? spaced(text) : plain(text);
    return how & 1 ? read.toLowerCase() : read;
  };
  function stretches(row, said, wanted) { // of numbers: twice the kind and whether lengths differ, gap, length, gap in the reference, length in it
    const found = [];
    let [end, until] = [0, 0];
    for (let k = 0; k < row.length;) {
      const [code, gap, length, passed] = row.slice(k, k + 4);
      const width = code % 2 ? row[k + 4] : length;
      k += code % 2 ? 5 : 4;
      const [start, at] = [end + gap, until + passed];
      const next = found.length && gap >= 0 && passed >= 0 && !said.slice(end, start).trim() && !wanted.slice(until, at).trim();
      if (!next) found.push({ number: found.length + 1, links: [] });
      [end, until] = [start + length, at + width];
      found.at(-1).links.push({ kind: Math.floor(code / 2), output: [start, end], reference: [at, until] });
    }
    return found;
  }
  function side(own, other, texts, found, spans, kinds, rest) { // one side of an alignment; `rest`: the element for what has no partner
    const text = texts[own];
    const parts = [];
    let place = 0;
    const piece = (from, to) => marked(text.slice(from, to), spans, from);
    const between = (until) => {
      const gap = text.slice(place, until);
      const [lead, tail] = [gap.length - gap.trimStart().length, gap.trimEnd().length];
      if (tail) parts.push(gap.slice(0, lead), make(rest, {}, ...piece(place + lead, place + tail)), gap.slice(tail));
      else parts.push(gap);
      place = Math.max(place, until);
    };
    for (const { number, links } of [...found].sort((a, b) => a.links[0][own][0] - b.links[0][own][0])) {
      const inside = [];
      for (const { kind, ...link } of links) {
        const [start, end] = [Math.max(link[own][0], place), link[own][1]];
        if (start >= end) continue; // drawn already: somebody linked it twice
        if (inside.length) inside.push(text.slice(place, start));
        else between(start);
        const why = kind ? `${kinds[kind]}: ${shown(texts[other].slice(...link[other]))}` : undefined;
        inside.push(...(kind ? [make("span", { class: `link-${1 + ((kind - 1) % 4)}`, title: why }, ...piece(start, end))] : piece(start, end)));
        place = end;
      }
      if (inside.length) parts.push(make("span", { class: "chunk" }, make("sup", {}, String(number)), ...inside));
    }
    between(text.length);
    return parts;
  }
  const hitClass = (e, kind) => `hit ${evidence[e].noted[kind] ? "noted" : `hit-${evidence[e].depths[kind] % 5}`}`;
  function matched(text, row, e) { // a text with what is matched in it: twice the kind and whether there is a note, gap, length, note
    const { name, hits } = evidence[e];
    const parts = [];
    let place = 0;
    for (let k = 0; k < row.length;) {
      const [code, gap, length] = row.slice(k, k + 3);
      const kind = Math.floor(code / 2);
      const note = code % 2 ? row[k + 3] : "";
      k += code % 2 ? 4 : 3;
      parts.push(shown(text.slice(place, place + gap)));
      place += gap;
      parts.push(make("span", { class: hitClass(e, kind), title: `${name}: ${hits[kind]}${note ? `, ${note}` : ""}` }, shown(text.slice(place, place + length)), ...(note ? [make("sup", {}, note.match(/\d+/g)?.reverse().join("/") ?? "")] : [])));
      place += length;
    }
    parts.push(shown(text.slice(place)));
    return parts.filter((part) => part !== "");
  }
  function spansOf(segment, system, e, where) { // on one side: start, end, what to say, style
    const { name, ranks } = evidence[e];
    return (segment.m?.[e].o[system]?.[3] ?? []).filter(([on]) => SIDES[on] === where).map(([, start, end, style, why]) => [start, end, `${name}: ${why}`, ranks[style]]);
  }
  function seen(segment, system, e) { // an output as a metric sees it
    const { r, o } = segment.m[e];
    const [place, how, row, , source, hits, rejected] = o[system];
    const texts = { output: reading(how, segment.o[system]), reference: place < 0 ? "" : reading(r[place][1], segment.r[r[place][0]]), source: segment.s === null ? "" : reading(source ?? 0, segment.s) };
    const spans = Object.fromEntries(SIDES.map((where) => [where, spansOf(segment, system, e, where)]));
    const line = (name, parts) => make("span", { class: "side" }, make("span", { class: "note" }, `${name} `), make("bdi", {}, ...parts));
    const found = stretches(row, texts.output, texts.reference);
    const { kinds } = evidence[e];
    if (hits?.length || (evidence[e].hits.length && !row.length && !spans.output.length)) {
      const reference = place < 0 ? [] : [line(segment.r.length > 1 ? `reference ${r[place][0] + 1}` : "reference", [shown(texts.reference)])];
      return [line("output", matched(texts.output, hits || [], e)), ...reference];
    }
    const lines = place < 0 ? [line("output", marked(texts.output, spans.output))]
      : [line("output", side("output", "reference", texts, found, spans.output, kinds, "ins")), line("reference", side("reference", "output", texts, found, spans.reference, kinds, "del"))];
    if (place >= 0 && row.length) lines.push(drawing(texts, found, stretches(rejected ?? [], texts.output, texts.reference), kinds));
    return spans.source.length ? [...lines, line("source", marked(texts.source, spans.source))] : lines;
  }
  function drawing(texts, found, others, kinds) { // lines between words, where the reader asks for them
    const box = make("details", { class: "drawing", ...(drawn ? { open: "" } : {}) }, make("summary", {}, "Lines between words"));
    const flat = (all) => all.flatMap(({ links }) => links);
    const draw = () => { if (box.open && box.children.length === 1) box.append(...tertium.lines({ make, shown, texts, links: flat(found), rejected: flat(others), kinds })); };
    box.addEventListener("toggle", () => { drawn = box.open; draw(); });
    draw();
    return box;
  }
  function legend(e) { // what is drawn of a metric, by the kinds that there are
    const { name, kinds, styles, ranks, hits, depths, noted, read, aligned } = evidence[e];
    const listed = (items) => items.flatMap((item, k) => (k ? [", ", item] : [item]));
    const parts = read ? [`Texts as ${name} reads them. `] : [];
    if (hits.length) {
      const sorted = [...hits.keys()].sort((a, b) => noted[a] - noted[b] || depths[a] - depths[b]);
      parts.push("What a reference has too, by the longest match: ", ...listed(sorted.map((k) => make("span", { class: hitClass(e, k) }, hits[k]))));
      parts.push(noted.includes(true) ? " (said more often than a reference has it: how often that is, and how often the output says it). " : ". ");
    } else if (aligned) {
      parts.push(make("span", { class: "chunk" }, make("sup", {}, "1"), "Numbered"), ": what it links in the same order on both sides. ");
      if (kinds.length > 1) parts.push(...listed(kinds.slice(1).map((kind, k) => make("span", { class: `link-${1 + (k % 4)}` }, kind))), ": point at them for the partner. ");
      parts.push(make("ins", {}, "Only in the output"), ", ", make("del", {}, "only in the reference"), ". ");
    }
    const order = styles.map((style, k) => [ranks[k], style]).sort(([a], [b]) => a - b);
    if (styles.length) parts.push(...listed(order.map(([rank, style]) => make("mark", { class: `style-${rank % 4}` }, style))), `: what ${name} marks; point at it for more.`);
    return parts;
  }
  return { SIDES, spansOf, seen, legend };
};
