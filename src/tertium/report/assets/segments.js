"use strict";
// The segment browser. Numbers come from the file; here they are only subtracted and sorted. What it shows is in the
// address, so that it can be passed on, and the browser's own buttons lead back.
(async () => {
  const $ = (id) => document.getElementById(id);
  const { make, shown, plain, BETWEEN } = tertium.drawing;
  const { chosen, change, colour, round } = tertium.choice;
  const option = (value, text) => make("option", { value }, text);
  const group = (label, options) => make("optgroup", { label }, ...options);
  const n = await tertium.choice.numbers;
  const { systems, metrics } = n;
  const number = (k) => (n.held ? n.held[k] : k) + 1; // of a segment in the test set
  const placeOf = (number) => { // of that segment here; -1 where it is not
    const k = n.held ? n.held.indexOf(number - 1) : number - 1;
    return Number.isInteger(k) && k < n.count ? k : -1;
  };

  // ---- Order and selection

  if (!$("browser")) return;
  const { segments: held, marks: evidence } = await tertium.unpack($("data-texts").textContent);
  let segments = held; // until all of them are opened
  const ROW = 54;
  const SORT = systems.length > 1 ? "gap" : "segment";
  const state = { sort: SORT, down: systems.length > 1, order: [], at: 0, only: {}, absent: null };

  const subtract = (a, b) => (a === null || b === null ? null : a - b);
  const favouritism = (metric, segment) => {
    const own = subtract(n.benefits[metric][chosen.first][segment], n.benefits[metric][chosen.second][segment]);
    return own === null ? null : own * n.scales[metric];
  };
  const counted = () => { // systems in which a detector found something
    const found = n.detectors.map(() => new Uint16Array(n.count));
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

  // ---- Which segments

  const found = (k, kind, system) => (segments[k].f ?? []).some(([who, what]) => what === kind && (system === null || who === system));
  const answers = (k) => segments[k].j ?? []; // of raters
  let only = tertium.only({ n, hit: found, answers });
  function listed() { // what the list of filters has, by its value
    const simple = { all: {} };
    if (systems.length > 1) for (const better of ["first", "second"]) simple[better] = { better };
    for (const kind of n.detectors) simple[`detector ${kind}`] = { found: kind };
    // labels and documents by their places: names put together could be those of another
    only.parts.forEach(({ key, different }, p) => different.forEach((value, v) => { simple[`part ${p} ${v}`] = { [key]: value }; }));
    return simple;
  }
  let SIMPLE = listed();
  const LINKED = "linked"; // what is shown is in no list: a link asked for it
  const filter = () => Object.keys(SIMPLE).find((value) => only.equal(SIMPLE[value], state.only)) ?? LINKED;

  let folded = segments.map(() => null); // texts in which is searched, made when first asked for
  function matches(k, query) {
    folded[k] ??= [segments[k].s, ...segments[k].r, ...segments[k].o, n.ids?.[k], n.documents?.[k]].filter(Boolean).join("\n").replaceAll(BETWEEN, "").toLowerCase();
    return folded[k].includes(query);
  }

  function chips() { // filters at one click, with how many segments each would show
    const now = filter();
    const named = [...(systems.length > 1 ? [["first", `${systems[chosen.first]} better`], ["second", `${systems[chosen.second]} better`]] : []), ...n.detectors.map((kind) => [`detector ${kind}`, kind])];
    const made = named.map(([value, text]) => {
      const { all, holds } = only.compile(SIMPLE[value]);
      let found = all ?? 0;
      if (all === null) for (let k = 0; k < n.count; k++) found += holds(k);
      if (!found && value !== now) return null;
      return make("button", { type: "button", class: "chip", "aria-pressed": value === now ? "true" : "false", "data-filter": value }, make("bdi", {}, shown(text)), `, ${found}`);
    });
    $("chips").replaceChildren(...made.filter(Boolean));
  }
  $("chips").addEventListener("click", (event) => {
    const chip = event.target.closest("[data-filter]");
    if (!chip) return;
    const value = chip.dataset.filter;
    state.only = filter() === value ? {} : SIMPLE[value];
    arrange();
    keep({ push: true });
    document.querySelector(`#chips [data-filter="${CSS.escape(value)}"]`)?.focus();
  });
  // Where the page does not hold all segments, what is shown says how many there are and how many of them are here.
  const many = (value) => value.toLocaleString("en");
  function ofAll({ all, some }) { // null where only those that are here are known
    if (!n.whole || $("search").value.trim()) return null;
    if (state.sort !== "disagreement") return all;
    return some ? null : n.whole.opposite[chosen.metric][chosen.other]?.[chosen.first]?.[chosen.second] ?? 0;
  }
  function sizes(here, all) {
    if (!n.whole) return here === n.count ? `${n.count} segments` : `${here} of ${n.count} segments`;
    if (all === null) return `${many(here)} of the ${many(n.count)} segments on this page`;
    return `${all === n.whole.total ? "" : `${many(all)} of `}${many(n.whole.total)} segments, ${many(here)} of them on this page`;
  }
  function amount(here, all) {
    const plural = (value) => `${many(value)} segment${value === 1 ? "" : "s"}`;
    if (!n.whole) return `${here} segment${here === 1 ? "" : "s"}`;
    return all === null ? sizes(here, all) : `${plural(all)}, ${many(here)} of them on this page`;
  }
  const elsewhere = () => tertium.beside?.elsewhere ?? "A report of this test set alone has all segments beside it.";
  function tell({ words, unknown, all }) { // what is shown, where it is not everything
    const total = state.order.length;
    $("filter").querySelector(`[value=${LINKED}]`).hidden = filter() !== LINKED;
    $("filter").value = filter();
    $("shown").hidden = !words && !unknown.length && !state.absent;
    const sentence = words && `${amount(total, all)}: ${words}.`;
    const absent = state.absent ? `Segment ${state.absent} is not on this page. ${elsewhere()}` : "";
    const other = unknown.length ? `The address asks for what this report does not have: ${unknown.join(", ")}.` : "";
    $("shown-words").textContent = [sentence, other, absent].filter(Boolean).join(" ");
    state.absent = null; // it was asked for once
  }

  function arrange(open = null) {
    widest = 0;
    for (let k = 0; k < n.count; k++) widest = Math.max(widest, Math.abs(SORTS.difference.key(k) ?? 0));
    chips();
    const { key } = SORTS[state.sort];
    const asked = only.compile(state.only);
    const query = $("search").value.trim().toLowerCase();
    const keyed = [];
    for (let k = 0; k < n.count; k++) if (asked.holds(k) && (!query || matches(k, query))) keyed.push([key(k), k]);
    const kept = state.sort === "disagreement" ? keyed.filter(([value]) => value !== null) : keyed;
    const turn = state.down ? -1 : 1;
    kept.sort(([a, i], [b, j]) => (a === null) - (b === null) || (a === null ? 0 : turn * (a - b)) || i - j);
    state.order = kept.map(([, k]) => k);
    const total = state.order.length;
    $("found").textContent = `${sizes(total, ofAll(asked))}, ${state.sort === "segment" ? `in the order of the test set${state.down ? ", last first" : ""}` : `by ${SORTS[state.sort].text}${state.sort === "disagreement" ? " (those that two metrics judge in opposite ways)" : ""}, ${state.down ? "largest first" : "smallest first"}`}`;
    $("direction").textContent = state.down ? "▾" : "▴";
    state.at = Math.max(0, open === null ? 0 : state.order.indexOf(open));
    $("rows").style.height = `${total * ROW}px`;
    $("list").scrollTop = 0;
    tell({ ...asked, all: ofAll(asked) });
    choose(state.at, { link: false });
  }

  // ---- The list: only the rows that can be seen exist

  const label = (k) => n.ids?.[k] ?? String(number(k));
  const { detail, legend } = tertium.one({ n, evidence, at: (k) => segments[k], label, number });
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
    bar.style.background = colour(bar.className === "bar-first" ? chosen.first : chosen.second);
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
    if (!state.order.length) { state.open = null; paint(); $("detail").replaceChildren(make("p", { class: "note" }, n.whole ? `None of these segments is on this page. ${elsewhere()}` : "No segment is left. Clear the search or show all segments.")); return; }
    state.at = Math.min(Math.max(at, 0), state.order.length - 1);
    const list = $("list");
    const top = state.at * ROW;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
    paint();
    const k = state.order[state.at];
    list.setAttribute("aria-activedescendant", `row-${k}`);
    detail(k);
    state.open = link ? k : state.open;
    if (link) keep();
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
  function fillFilter() {
    $("filter").replaceChildren(option("all", "all segments"), option(LINKED, "as said below"), ...(systems.length > 1 ? [option("first", "first system better"), option("second", "second system better")] : []),
      ...(n.detectors.length ? [group("detector", n.detectors.map((kind) => option(`detector ${kind}`, kind)))] : []),
      ...only.parts.map(({ name, different }, p) => group(shown(name) + some(p, different.length), different.map((value, v) => option(`part ${p} ${v}`, shown(value))))));
  }
  fillFilter();
  fill("against", ...(segments.some((segment) => segment.r.length) ? [option("reference", "closest reference")] : []),
    ...(evidence.length ? [group("as a metric sees it", evidence.map(({ name }, e) => option(`marks ${e}`, name)))] : []), option("nothing", "nothing"),
    ...(systems.length > 1 ? [group("output of", systems.map((name, k) => option(`system ${k}`, name)))] : []));
  const usual = (sort) => (typeof SORTS[sort].down === "function" ? SORTS[sort].down() : SORTS[sort].down);
  const current = () => state.order[state.at] ?? null;
  function renew(open = null) { // all controls, and the list
    for (const [name, value] of Object.entries(chosen)) $(name).selectedIndex = value;
    $("sort").value = state.sort;
    $("other").parentElement.hidden = state.sort !== "disagreement";
    $("second").parentElement.hidden = systems.length < 2;
    arrange(open);
  }
  let quiet = false; // while an address is read, which changes several things
  tertium.choice.follow(() => { if (!quiet) { renew(current()); keep({ push: true }); } });
  for (const name of Object.keys(chosen)) $(name).addEventListener("change", () => change({ [name]: $(name).selectedIndex }));
  $("sort").addEventListener("change", () => { state.sort = $("sort").value; state.down = usual(state.sort); renew(); keep({ push: true }); });
  $("filter").addEventListener("change", () => { state.only = SIMPLE[$("filter").value] ?? state.only; arrange(); keep({ push: true }); });
  $("clear").addEventListener("click", () => { state.only = {}; arrange(current()); keep({ push: true }); $("list").focus(); });
  function compare() {
    const [what, metric] = $("against").value.split(" ");
    $("legend").hidden = what === "marks";
    $("legend-marks").hidden = what !== "marks";
    if (what === "marks") $("legend-marks").replaceChildren(...legend(Number(metric)));
    if (current() !== null) detail(current());
  }
  $("against").addEventListener("change", () => { compare(); keep(); });
  $("direction").addEventListener("click", () => { state.down = !state.down; arrange(); keep({ push: true }); });
  let typing = 0;
  $("search").addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(() => { arrange(current()); keep(); }, 120); });
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
    const arrows = event.target === $("list") ? { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -n.count, End: n.count } : {};
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

  // ---- The address: everything that is not as it was at first

  const AGAINST = $("against").options[0].value;
  function query() {
    const found = new URLSearchParams();
    const usually = tertium.choice.usual();
    for (const side of ["first", "second"]) if (chosen[side] !== usually[side]) found.set(side, systems[chosen[side]]);
    if (chosen.metric !== usually.metric) found.set("metric", metrics[chosen.metric].name);
    if (state.sort !== SORT) found.set("sort", state.sort);
    if (state.sort === "disagreement") found.set("other", metrics[chosen.other].name);
    if (state.down !== usual(state.sort)) found.set("order", state.down ? "down" : "up");
    for (const [key, value] of Object.entries(state.only)) found.set(key, value);
    if ($("search").value.trim()) found.set("search", $("search").value.trim());
    if ($("against").value !== AGAINST) found.set("against", $("against").value);
    return found;
  }
  let last = ""; // what was shown before
  function note(found, address, way) {
    try {
      if (history.state?.segments === undefined) history.replaceState({ segments: last }, "", location.href); // to come back to
      history[way]({ segments: String(found) }, "", address);
    } catch { /* a frame that may not */ }
    last = String(found);
  }
  function keep({ push = false } = {}) { // what is shown, in the address
    const found = query();
    const short = ![...found].length;
    if (state.open !== null) found.set("segment", number(state.open));
    const address = !short ? `#segments?${found}` : state.open === null ? "#segments" : `#segment-${number(state.open)}`;
    note(found, address, push && address !== location.hash ? "pushState" : "replaceState");
  }
  const isOther = (wanted) => n.whole && Number.isInteger(wanted) && wanted >= 1 && wanted <= n.whole.total; // of the test set, if not here
  function restore(found) { // what the address leaves out is as it was at first
    const usually = tertium.choice.usual();
    const place = (name, among, other) => { const k = found.has(name) ? among.indexOf(found.get(name)) : -1; return k < 0 ? other : k; };
    const titles = metrics.map(({ name }) => name);
    quiet = true;
    change({ first: place("first", systems, usually.first), second: place("second", systems, usually.second), metric: place("metric", titles, usually.metric), other: place("other", titles, usually.other) });
    quiet = false;
    state.sort = Object.hasOwn(SORTS, found.get("sort") ?? "") && [...$("sort").options].some((each) => each.value === found.get("sort")) ? found.get("sort") : SORT;
    state.down = found.has("order") ? found.get("order") === "down" : usual(state.sort);
    state.only = only.read(found);
    $("search").value = found.get("search") ?? "";
    $("against").value = found.get("against") ?? AGAINST;
    if ($("against").selectedIndex < 0) $("against").value = AGAINST;
    const wanted = Number(found.get("segment") ?? 0);
    const k = placeOf(wanted);
    state.open = k < 0 ? null : k;
    const absent = k < 0 && isOther(wanted);
    if (absent) state.absent = wanted;
    renew(state.open);
    compare();
    if (current() !== state.open) state.open = null; // it is not among these
    last = String(found);
    const seen = absent && $("beside") ? $("beside") : $("browser"); // with the file that has it
    return () => seen.scrollIntoView({ behavior: "instant" });
  }
  function asked(address) { // #segments?found=number, #segment-12
    if (address.startsWith("#segments?")) return new URLSearchParams(address.slice("#segments?".length));
    const one = /^#segment-(\d+)$/.exec(address);
    const k = one ? placeOf(Number(one[1])) : -1;
    if (k < 0 && !(one && isOther(Number(one[1])))) return null;
    if (!state.order.includes(k)) return new URLSearchParams({ segment: one[1] });
    const here = query();
    here.set("segment", one[1]);
    return here;
  }
  let origin = null; // the link that led here
  function arrive() {
    const found = asked(location.hash);
    if (found) restore(found)();
    else if (typeof history.state?.segments === "string") restore(new URLSearchParams(history.state.segments));
    if (origin && !found) { origin.focus?.({ preventScroll: true }); origin = null; }
    $("back").hidden = !origin;
  }
  tertium.follow = (href, from) => { // a link of this page: systems, metric and order stay unless it says otherwise
    const here = query();
    const found = new URLSearchParams(href.slice("#segments?".length));
    for (const key of ["first", "second", "metric", "sort", "order", "other", "against"]) if (!found.has(key) && here.has(key)) found.set(key, here.get(key));
    const standing = from.matches?.(".plot") ? from.querySelector("[tabindex]") : from;
    note(found, `#segments?${found}`, "pushState");
    origin = standing ?? from;
    const scroll = restore(found);
    for (let at = $("browser").parentElement; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    $("back").hidden = false;
    scroll();
    $("shown").hidden ? $("list").focus({ preventScroll: true }) : $("shown").focus({ preventScroll: true });
  };
  $("back").addEventListener("click", () => history.back());
  addEventListener("hashchange", arrive);
  // All segments, from the file beside the page: lists of the same kinds, in the order of the test set.
  tertium.holdAll = (columns, texts) => {
    const own = new Map(n.held.map((place, k) => [place, segments[k]])); // with what metrics mark in them
    segments = texts.map((segment, k) => own.get(k) ?? segment);
    Object.assign(n, columns, { count: segments.length, held: null, whole: null });
    folded = segments.map(() => null);
    hits = counted();
    only = tertium.only({ n, hit: found, answers });
    SIMPLE = listed();
    fillFilter();
    quiet = true;
    tertium.choice.renew();
    quiet = false;
    restore(new URLSearchParams(last));
  };
  $("browser").hidden = false;
  state.open = null;
  renew();
  arrive();
  document.documentElement.dataset.ready = "true";
})();
