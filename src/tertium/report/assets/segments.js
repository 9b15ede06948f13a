"use strict";
// The segment browser and the head-to-head view. Numbers come from the file; here they are only subtracted and sorted,
// and averaged over the runs of a system.
(async () => {
  const $ = (id) => document.getElementById(id);
  const { make, marked, shown, plain, BETWEEN } = tertium.drawing;
  const option = (value, text) => make("option", { value }, text);
  const round = (value, decimals) => (value === null ? "–" : value.toFixed(decimals).replace(/^-(?=[0.]+$)/, "").replace("-", "−")); // no -0.0
  const group = (label, options) => make("optgroup", { label }, ...options);
  const n = await tertium.unpack($("data-numbers").textContent);
  const { systems, metrics } = n;
  let { count } = n; // of segments that are here; `n.whole` counts all, where there are more
  const number = (k) => (n.held ? n.held[k] : k) + 1; // of a segment in the test set

  // ---- Head to head

  function words(first, second, metric) {
    const { name, better, decimals } = metrics[metric];
    if (first === second) return "Choose two different systems.";
    const names = [n.groups[first][0], n.groups[second][0]];
    const [one, other] = names.map(tertium.isolated);
    const item = n.pairs.find((each) => each.metric === metric && names.includes(each.first) && names.includes(each.second));
    if (!item) return `${one} and ${other} were not compared by ${name}.`;
    const turned = item.first !== names[0];
    const sign = turned ? -1 : 1;
    const difference = sign * item.difference;
    const [ours, theirs] = turned ? [...item.scores].reverse() : item.scores;
    const [won, lost] = turned ? [item.lost, item.won] : [item.won, item.lost];
    const fixed = (value) => round(value, decimals);
    const amount = (value) => (value !== 0 && Number(value.toFixed(decimals)) === 0 ? value.toFixed(decimals + 2) : value.toFixed(decimals));
    const ends = item.interval?.map((end) => sign * end).sort((a, b) => a - b).map(fixed);
    const leads = difference === 0 ? "neither is ahead" : `${(difference > 0) === (better === "higher") ? one : other} is ahead by ${amount(Math.abs(difference))}`;
    const p = item.p < 0.001 ? "p < 0.001" : `p = ${item.p.toFixed(3)}`;
    return `${name.replace(" ↓", "")}: ${one} ${fixed(ours)}, ${other} ${fixed(theirs)}; ${leads}${ends ? ` (95 % interval of the difference ${ends.join(" to ")})` : ""}, ` +
      `which ${item.decided ? "is hardly luck alone" : "may be luck"} (${p}, corrected over all pairs). Of ${item.n} segments, ${one} is better on ${won} and ${other} on ${lost}; ${item.tied} ${item.tied === 1 ? "is" : "are"} tied. ` +
      `Effect size ${Math.abs(item.effect).toFixed(2)}.${item.detectable === null ? "" : ` A difference of ${amount(item.detectable)} would be found four times out of five.`}`;
  }
  function means(metric, [, runs]) { // of every segment: null where a run has no score
    return n.scores[metric][runs[0]].map((_, k) => {
      const values = runs.map((run) => n.scores[metric][run][k]);
      return values.includes(null) ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
    });
  }
  function pair() {
    const [first, second, metric] = ["pair-first", "pair-second", "pair-metric"].map((id) => $(id).selectedIndex);
    $("pair-words").textContent = words(first, second, metric);
    const differences = n.whole ? stepped(first, second, metric) : apart(first, second, metric);
    const figure = document.querySelector('figure[data-name="head-to-head"]');
    figure.hidden = !differences.length;
    return figure.hidden ? undefined : tertium.charts.show("head-to-head", { differences });
  }
  function apart(first, second, metric) { // ties have no side
    const [ours, theirs] = [first, second].map((place) => means(metric, n.groups[place]));
    return ours.map((score, k) => (score === null || theirs[k] === null ? null : score - theirs[k])).filter((value) => value).map((difference) => ({ difference, segments: 1 }));
  }
  function stepped(first, second, metric) { // of all segments: where steps begin, their middles, and the ends, which say how far bins reach
    const [a, b] = [Math.min(first, second), Math.max(first, second)];
    const found = a === b ? null : n.whole.differences[metric][(a * (2 * n.groups.length - a - 1)) / 2 + b - a - 1];
    if (!found) return [];
    const at = (place) => ((first < second ? 1 : -1) * (found.first + place) * found.step) / found.divisor;
    const steps = found.counts.flatMap((all, k) => [{ difference: at(k), segments: found.begin[k] }, { difference: at(k + 0.5), segments: all - found.begin[k] }]);
    return [...steps.filter(({ segments }) => segments), ...[found.low, found.high].map((end) => ({ difference: first < second ? end : -end, segments: 0 }))];
  }
  if ($("pair")) {
    $("pair-first").append(...n.groups.map(([name], k) => option(k, name)));
    $("pair-second").append(...n.groups.map(([name], k) => option(k, name)));
    $("pair-metric").append(...metrics.map(({ name }, k) => option(k, name)));
    $("pair-second").selectedIndex = Math.min(1, n.groups.length - 1);
    for (const id of ["pair-first", "pair-second", "pair-metric"]) $(id).addEventListener("change", pair);
    $("pair-swap").addEventListener("click", () => {
      [$("pair-first").selectedIndex, $("pair-second").selectedIndex] = [$("pair-second").selectedIndex, $("pair-first").selectedIndex];
      pair();
    });
    $("pair-words").textContent = words(0, Math.min(1, n.groups.length - 1), 0);
    setTimeout(pair, 300); // after the first paint
  }

  // ---- Order and selection

  if (!$("browser")) return;
  const { segments, marks: evidence } = await tertium.unpack($("data-texts").textContent);
  const ROW = 54;
  const state = { sort: systems.length > 1 ? "gap" : "segment", down: systems.length > 1, order: [], at: 0, others: false };

  const subtract = (a, b) => (a === null || b === null ? null : a - b);
  const favouritism = (metric, segment) => {
    const own = subtract(n.benefits[metric][chosen.first][segment], n.benefits[metric][chosen.second][segment]);
    return own === null ? null : own * n.scales[metric];
  };
  const chosen = { metric: 0, other: Math.min(1, metrics.length - 1), first: 0, second: Math.min(1, systems.length - 1) };
  const counted = () => { // systems in which a detector found something
    const found = n.detectors.map(() => new Uint16Array(count));
    segments.forEach((segment, k) => {
      const seen = new Set();
      for (const [system, kind] of segment.f ?? []) if (!seen.has(`${system} ${kind}`)) { seen.add(`${system} ${kind}`); found[kind][k]++; }
    });
    return found;
  };
  let hits = counted();
  const length = (segment) => (segment.r[0] ?? segment.o[0] ?? "").split(BETWEEN).length;
  // what a list can be sorted by: text, the number of a segment, how it is written, whether large ones come first
  const SORTS = {
    segment: { text: "place in the test set", key: (k) => k, show: () => "", down: false },
    score: { text: "score of the first system", key: (k) => n.scores[chosen.metric][chosen.first][k], show: (v) => round(v, metrics[chosen.metric].decimals), down: () => metrics[chosen.metric].better === "lower" },
    difference: { text: "difference, first less second", key: (k) => subtract(n.scores[chosen.metric][chosen.first][k], n.scores[chosen.metric][chosen.second][k]), show: (v) => round(v, metrics[chosen.metric].decimals), down: true, two: true },
    gap: { text: "difference, whoever is better", key: (k) => { const own = SORTS.difference.key(k); return own === null ? null : Math.abs(own); }, show: () => "", down: true, two: true },
    favouritism: { text: "favouritism of the first over the second", key: (k) => favouritism(chosen.metric, k), show: (v) => round(v, 4), down: true, two: true },
    disagreement: { text: "disagreement of two metrics", down: true, two: true, show: (v) => round(v, 2), key: (k) => {
      const [a, b] = [favouritism(chosen.metric, k), favouritism(chosen.other, k)];
      if (a === null || b === null || Math.sign(a) * Math.sign(b) >= 0) return null;
      const spread = (metric) => n.spreads[metric][chosen.first][chosen.second];
      return Math.min(Math.abs(a) / spread(chosen.metric), Math.abs(b) / spread(chosen.other));
    } },
    length: { text: "words", key: (k) => length(segments[k]), show: (v) => `${v} words`, down: true },
  };
  n.detectors.forEach((kind, number) => {
    SORTS[`detector ${kind}`] = { text: kind, key: (k) => hits[number][k], show: (v) => (v ? `${v} of ${systems.length}` : ""), down: true };
  });

  const FILTERS = { all: () => true };
  if (systems.length > 1) {
    FILTERS.first = (k) => sides(k) > 0;
    FILTERS.second = (k) => sides(k) < 0;
  }
  function sides(k) {
    const difference = subtract(n.scores[chosen.metric][chosen.first][k], n.scores[chosen.metric][chosen.second][k]);
    return (difference ?? 0) * (metrics[chosen.metric].better === "higher" ? 1 : -1);
  }
  n.detectors.forEach((kind, number) => { FILTERS[`detector ${kind}`] = (k) => hits[number][k] > 0; });
  // labels and documents by their places: names put together could be those of another
  const parts = [...Object.entries(n.labels), ...(n.documents ? [["document", n.documents]] : [])].map(([name, values]) => ({ name, values, different: [...new Set(values)] }));
  parts.forEach(({ values, different }, p) => different.forEach((value, v) => { FILTERS[`part ${p} ${v}`] = (k) => values[k] === value; }));
  function ofAll(filter) { // how many of all segments a filter would show; null where only those that are here are known
    if (!n.whole) return null;
    const [kind, ...places] = filter.split(" ");
    if (kind === "all") return state.sort === "disagreement" ? n.whole.opposite[chosen.metric][chosen.other]?.[chosen.first]?.[chosen.second] ?? 0 : n.whole.total;
    if (state.sort === "disagreement") return null;
    if (kind === "detector") return n.whole.found[n.detectors.indexOf(filter.slice("detector ".length))];
    if (kind === "part") return n.whole.parts[places[0]].counts[places[1]];
    const [one, other] = (kind === "first") === (metrics[chosen.metric].better === "higher") ? [chosen.first, chosen.second] : [chosen.second, chosen.first];
    return n.whole.higher[chosen.metric][one][other];
  }

  const folded = segments.map(() => null); // texts in which is searched, made when first asked for
  function matches(k, query) {
    folded[k] ??= [segments[k].s, ...segments[k].r, ...segments[k].o, n.ids?.[k], n.documents?.[k]].filter(Boolean).join("\n").replaceAll(BETWEEN, "").toLowerCase();
    return folded[k].includes(query);
  }

  function chips() { // filters at one click, with how many segments each would show
    const chosenNow = $("filter").value;
    const named = [...(systems.length > 1 ? [["first", `${systems[chosen.first]} better`], ["second", `${systems[chosen.second]} better`]] : []), ...n.detectors.map((kind) => [`detector ${kind}`, kind])];
    const made = named.map(([value, text]) => {
      let found = state.sort === "disagreement" ? null : ofAll(value);
      if (found === null) for (let k = 0; k < count; k++) found += FILTERS[value](k);
      if (!found && value !== chosenNow) return null;
      const chip = make("button", { type: "button", class: "chip", "aria-pressed": value === chosenNow ? "true" : "false", "data-filter": value }, make("bdi", {}, shown(text)), `, ${found}`);
      return chip;
    });
    $("chips").replaceChildren(...made.filter(Boolean));
  }
  $("chips").addEventListener("click", (event) => {
    const chip = event.target.closest("[data-filter]");
    if (!chip) return;
    const { filter } = chip.dataset;
    $("filter").value = $("filter").value === filter ? "all" : filter;
    changed();
    document.querySelector(`#chips [data-filter="${CSS.escape(filter)}"]`)?.focus();
  });

  function arrange(keep = null) {
    widest = 0;
    for (let k = 0; k < count; k++) widest = Math.max(widest, Math.abs(SORTS.difference.key(k) ?? 0));
    chips();
    const { key } = SORTS[state.sort];
    const filter = FILTERS[$("filter").value] ?? FILTERS.all;
    const query = $("search").value.trim().toLowerCase();
    const keyed = [];
    for (let k = 0; k < count; k++) if (filter(k) && (!query || matches(k, query))) keyed.push([key(k), k]);
    const kept = state.sort === "disagreement" ? keyed.filter(([value]) => value !== null) : keyed;
    const turn = state.down ? -1 : 1;
    kept.sort(([a, i], [b, j]) => (a === null) - (b === null) || (a === null ? 0 : turn * (a - b)) || i - j);
    state.order = kept.map(([, k]) => k);
    const total = state.order.length;
    $("found").textContent = `${sizes(total, query ? null : ofAll($("filter").value))}, ${state.sort === "segment" ? `in the order of the test set${state.down ? ", turned round" : ""}` : `by ${SORTS[state.sort].text}${state.sort === "disagreement" ? " (those that two metrics judge in opposite ways)" : ""}, ${state.down ? "largest first" : "smallest first"}`}`;
    $("direction").textContent = state.down ? "▾" : "▴";
    state.at = Math.max(0, keep === null ? 0 : state.order.indexOf(keep));
    $("rows").style.height = `${total * ROW}px`;
    $("list").scrollTop = 0;
    choose(state.at, { link: false });
  }

  function sizes(here, all) { // of segments, and how many of them are on the page
    const [said, whole] = [count, n.whole?.total].map((each) => each?.toLocaleString("en"));
    if (!n.whole) return here === count ? `${count} segments` : `${here} of ${count} segments`;
    if (all === null) return `${here.toLocaleString("en")} of the ${said} segments on this page`;
    return `${all === n.whole.total ? "" : `${all.toLocaleString("en")} of `}${whole} segments, ${here.toLocaleString("en")} of them on this page`;
  }

  // ---- The list: only the rows that can be seen exist

  const label = (k) => n.ids?.[k] ?? String(number(k));
  let widest = 0; // difference of the two systems by the chosen metric
  function compact(k, sorted) { // scores of the two systems, and who is how much better
    const { decimals, better } = metrics[chosen.metric];
    const two = systems.length > 1 && chosen.first !== chosen.second ? [chosen.first, chosen.second] : [chosen.first];
    const numbers = two.map((system) => round(n.scores[chosen.metric][system][k], decimals));
    const words = [...(sorted && sorted !== numbers[0] ? [make("span", { class: "row-sorted" }, sorted)] : []), make("span", {}, numbers.join(" · "))];
    const difference = SORTS.difference.key(k);
    if (two.length < 2 || !difference || !widest) return words;
    const bar = make("i", { class: (difference > 0) === (better === "higher") ? "bar-first" : "bar-second" });
    bar.style.width = `${(50 * Math.abs(difference)) / widest}%`;
    return [...words, make("span", { class: "row-bar", "aria-hidden": "true" }, bar)];
  }
  function paint() {
    const list = $("list");
    const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 4);
    const last = Math.min(state.order.length, first + Math.ceil(list.clientHeight / ROW) + 8);
    const { key, show } = SORTS[state.sort];
    const rows = [];
    for (let at = first; at < last; at++) {
      const k = state.order[at];
      const text = plain(segments[k].s ?? segments[k].r[0] ?? segments[k].o.find((each) => each) ?? "").slice(0, 160);
      const row = make("div", { role: "option", id: `row-${k}`, "aria-selected": at === state.at ? "true" : "false", "data-at": at },
        make("span", { class: "row-id" }, make("bdi", {}, shown(label(k)))), make("span", { class: "row-key" }, ...compact(k, show(key(k)))), make("span", { class: "row-text", dir: "auto" }, shown(text)));
      row.style.top = `${at * ROW}px`;
      rows.push(row);
    }
    $("rows").replaceChildren(...rows);
  }
  let painting = false;
  $("list").addEventListener("scroll", () => {
    if (painting) return;
    painting = true;
    requestAnimationFrame(() => { painting = false; paint(); });
  }, { passive: true });
  new ResizeObserver(paint).observe($("list"));

  function choose(at, { link = true } = {}) {
    if (!state.order.length) { paint(); $("detail").replaceChildren(make("p", { class: "note" }, "No segment is left. Clear the search or show all segments.")); return; }
    state.at = Math.min(Math.max(at, 0), state.order.length - 1);
    const list = $("list");
    const top = state.at * ROW;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
    paint();
    const k = state.order[state.at];
    list.setAttribute("aria-activedescendant", `row-${k}`);
    detail(k);
    if (link) try { history.replaceState(null, "", `#segment-${number(k)}`); } catch { /* a frame that may not */ }
  }

  // ---- One segment: texts side by side, word by word

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

  const { SIDES, spansOf, seen, legend } = tertium.marks({ evidence, make, marked, shown, plain, BETWEEN });

  function body(k, system) {
    const segment = segments[k];
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
    const segment = segments[k];
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
    const folded = make("details", { class: "others", ...(state.others ? { open: "" } : {}) }, make("summary", {}, `${order.length - pinned} other system${order.length - pinned === 1 ? "" : "s"}`));
    const block = (system) => {
      const scores = metrics.map(({ name, decimals }, m) => make("span", { class: m === chosen.metric ? "score main" : "score" }, make("b", {}, name), ` ${round(n.scores[m][system][k], decimals)}`));
      const output = said(n.language.target, "", ...body(k, system));
      output.classList.add("output");
      output.querySelector("h4").append(make("bdi", {}, systems[system]), make("span", { class: "scores" }, ...scores));
      const found = (segment.f ?? []).filter(([who]) => who === system).map(([, kind, proof]) => make("li", {}, make("b", {}, n.detectors[kind]), ` ${proof}`));
      evidence.forEach(({ name }, e) => { // what is marked nowhere in the texts
        for (const [on, , , , why] of segment.m?.[e].o[system]?.[3] ?? []) if (on === SIDES.length) found.push(make("li", {}, make("b", {}, name), ` ${why}`));
      });
      if (found.length) output.append(make("ul", { class: "found" }, ...found));
      const rated = new Map();
      for (const [who, scale, rater, value] of segment.j ?? []) if (who === system) rated.set(scale, [...(rated.get(scale) ?? []), `${value} (${rater})`]);
      if (rated.size) output.append(make("div", { class: "rated" }, [...rated].map(([scale, values]) => `${scale} ${values.join(", ")}`).join(" · ")));
      if (segment.p?.[system]) { // what a language model was asked, and what it said before any step was done to it
        const [asked, answer] = segment.p[system];
        const raw = (name, text) => [make("h5", {}, name), make("pre", { dir: "auto" }, ...clipped(text))];
        output.append(make("details", { class: "asked" }, make("summary", {}, "Prompt and raw answer"), ...raw("Prompt", asked), ...raw("Raw answer", answer)));
      }
      return output;
    };
    parts.push(...order.slice(0, pinned).map(block));
    const unfold = () => { if (folded.open && folded.children.length === 1) folded.append(...order.slice(pinned).map(block)); };
    folded.addEventListener("toggle", () => { state.others = folded.open; unfold(); });
    unfold();
    if (order.length > pinned) parts.push(folded);
    $("detail").replaceChildren(...parts);
  }

  // ---- Controls

  const some = (p, here) => (n.whole && n.whole.parts[p].different > here ? ` (${here} of ${n.whole.parts[p].different})` : "");
  const fill = (id, ...items) => $(id).append(...items);
  fill("sort", ...[...(systems.length > 1 ? ["gap"] : []), "segment", "score", ...(systems.length > 1 ? ["difference", "favouritism", ...(metrics.length > 1 ? ["disagreement"] : [])] : []), "length"].map((key) => option(key, SORTS[key].text)),
    ...(n.detectors.length ? [group("detector: systems found", n.detectors.map((kind) => option(`detector ${kind}`, kind)))] : []));
  fill("metric", ...metrics.map(({ name }, k) => option(k, name)));
  fill("other", ...metrics.map(({ name }, k) => option(k, name)));
  fill("first", ...systems.map((name, k) => option(k, name)));
  fill("second", ...systems.map((name, k) => option(k, name)));
  fill("filter", option("all", "all segments"), ...(systems.length > 1 ? [option("first", "first system better"), option("second", "second system better")] : []),
    ...(n.detectors.length ? [group("detector", n.detectors.map((kind) => option(`detector ${kind}`, kind)))] : []),
    ...parts.map(({ name, different }, p) => group(shown(name) + some(p, different.length), different.map((value, v) => option(`part ${p} ${v}`, shown(value))))));
  fill("against", ...(segments.some((segment) => segment.r.length) ? [option("reference", "closest reference")] : []),
    ...(evidence.length ? [group("as a metric sees it", evidence.map(({ name }, e) => option(`marks ${e}`, name)))] : []), option("nothing", "nothing"),
    ...(systems.length > 1 ? [group("output of", systems.map((name, k) => option(`system ${k}`, name)))] : []));
  Object.entries(chosen).forEach(([name, value]) => { $(name).selectedIndex = value; });
  const usual = (sort) => (typeof SORTS[sort].down === "function" ? SORTS[sort].down() : SORTS[sort].down);
  const current = () => state.order[state.at] ?? null;
  function changed(event) {
    for (const name of Object.keys(chosen)) chosen[name] = $(name).selectedIndex;
    if (event?.target.id === "sort") { state.sort = $("sort").value; state.down = usual(state.sort); }
    $("other").parentElement.hidden = state.sort !== "disagreement";
    $("second").parentElement.hidden = systems.length < 2;
    arrange();
  }
  for (const id of ["sort", "metric", "other", "first", "second", "filter"]) $(id).addEventListener("change", changed);
  $("against").addEventListener("change", () => {
    const [what, metric] = $("against").value.split(" ");
    $("legend").hidden = what === "marks";
    $("legend-marks").hidden = what !== "marks";
    if (what === "marks") $("legend-marks").replaceChildren(...legend(Number(metric)));
    if (current() !== null) detail(current());
  });
  $("direction").addEventListener("click", () => { state.down = !state.down; arrange(); });
  let typing = 0;
  $("search").addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(() => arrange(current()), 120); });
  $("controls").addEventListener("submit", (event) => event.preventDefault());
  $("help").addEventListener("click", () => $("keys").showModal());
  $("keys").querySelector("button").addEventListener("click", () => $("keys").close());
  $("rows").addEventListener("click", (event) => { const row = event.target.closest("[data-at]"); if (row) choose(Number(row.dataset.at)); });

  // Single letters can be spoken or typed by mistake: they can be switched off (WCAG 2.2, 2.1.4).
  $("keys-on").checked = tertium.remembered("keys") !== "off";
  $("keys-on").addEventListener("change", () => tertium.remember("keys", $("keys-on").checked ? "on" : "off"));
  const STEPS = { j: 1, k: -1 };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
    if (event.key === "Escape" && event.target === $("search")) { $("search").blur(); $("list").focus(); return; }
    if (event.target.closest("input, select, textarea")) return;
    const arrows = event.target === $("list") ? { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -count, End: count } : {};
    const letters = $("keys-on").checked;
    const step = (letters ? STEPS[event.key] : undefined) ?? arrows[event.key];
    if (!letters && !step) return;
    if (step) { choose(state.at + step); $("browser").scrollIntoView({ block: "nearest" }); }
    else if (event.key === "/") { $("browser").scrollIntoView({ block: "nearest" }); $("search").focus(); }
    else if (event.key === "?") $("keys").showModal();
    else if (event.key === "s") $("sort").focus();
    else if (event.key === "r") $("direction").click();
    else return;
    event.preventDefault();
  });

  function follow() { // #segment-12
    const place = /^#segment-(\d+)$/.exec(location.hash);
    if (!place) return;
    const k = n.held ? n.held.indexOf(Number(place[1]) - 1) : Number(place[1]) - 1;
    if (k < 0 || k >= count) {
      if (n.held && Number(place[1]) >= 1 && Number(place[1]) <= n.whole.total) tertium.beside?.wanted(place[1]);
      return;
    }
    if (!state.order.includes(k)) { $("filter").value = "all"; $("search").value = ""; arrange(); }
    if (!state.order.includes(k)) { $("sort").value = "segment"; changed({ target: $("sort") }); }
    choose(state.order.indexOf(k), { link: false });
    $("browser").scrollIntoView({ behavior: "instant" });
  }
  addEventListener("hashchange", follow);
  // All segments, from the file beside the page: lists of the same kinds, in the order of the test set. Lists that others
  // hold on to are filled anew.
  tertium.holdAll = (columns, texts) => {
    const refill = (list, values) => { list.length = 0; for (const value of values) list.push(value); };
    const own = new Map(n.held.map((place, k) => [place, segments[k]])); // with what metrics mark in them
    refill(segments, texts.map((segment, k) => own.get(k) ?? segment));
    for (const kind of ["scores", "benefits"]) n[kind].forEach((by, m) => by.forEach((list, s) => refill(list, columns[kind][m][s])));
    if (n.ids) refill(n.ids, columns.ids);
    if (n.documents) refill(n.documents, columns.documents);
    for (const [name, list] of Object.entries(n.labels)) refill(list, columns.labels[name]);
    parts.forEach(({ name, values, different }, p) => {
      const fresh = [...new Set(values)].filter((value) => !different.includes(value));
      const place = document.querySelector(`#filter option[value="part ${p} 0"]`).parentElement;
      place.label = shown(name);
      for (const value of fresh) {
        const key = `part ${p} ${different.push(value) - 1}`;
        FILTERS[key] = (k) => values[k] === value;
        place.append(option(key, shown(value)));
      }
    });
    refill(folded, segments.map(() => null));
    count = segments.length;
    n.held = n.whole = null;
    hits = counted();
    changed();
    follow();
  };
  $("browser").hidden = false;
  changed();
  follow();
  document.documentElement.dataset.ready = "true";
})();
