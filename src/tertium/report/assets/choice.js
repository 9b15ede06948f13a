"use strict";
// What the reader chose: two systems and a metric. There is one choice for the whole page: whoever changes it tells it
// here, and everything that shows it follows.
tertium.choice = (() => {
  const packed = document.getElementById("data-numbers");
  const numbers = packed ? tertium.unpack(packed.textContent) : Promise.resolve(null); // of the segments on the page
  const chosen = { metric: 0, other: 0, first: 0, second: 0 }; // places among metrics and systems
  const followers = [];
  let usual = { ...chosen };
  const everyone = new Map(); // all that have a look: those of this test set, and of others on the page
  function begin({ systems, metrics, groups, looks: given }) { // the best, and the next best that is not another run of it
    const known = new Map(Object.entries(given ?? {}));
    looks = systems.map((name, system) => known.get(name) ?? system);
    const elsewhere = [...known].filter(([name]) => !systems.includes(name));
    for (const [name, place] of elsewhere) looks.push(place);
    [...systems, ...elsewhere.map(([name]) => name)].forEach((name, system) => everyone.set(name, system));
    const [, runs] = groups.find(([, each]) => each.includes(0));
    const next = systems.findIndex((_, system) => !runs.includes(system));
    Object.assign(chosen, { metric: 0, other: Math.min(1, metrics.length - 1), first: 0, second: next < 0 ? Math.min(1, systems.length - 1) : next });
    usual = { ...chosen };
  }
  function change(changes) {
    const next = { ...chosen, ...changes };
    if (next.first === next.second && usual.first !== usual.second) { // two different ones, if there are two
      if (changes.second === undefined) next.second = chosen.first === next.first ? [usual.first, usual.second].find((each) => each !== next.first) : chosen.first;
      else if (changes.first === undefined) next.first = chosen.second === next.second ? [usual.first, usual.second].find((each) => each !== next.second) : chosen.second;
    }
    if (Object.entries(next).every(([name, value]) => chosen[name] === value)) return false;
    Object.assign(chosen, next);
    for (const follow of followers) follow();
    return true;
  }
  const known = new Map();
  function means(n, metric, group) { // scores of segments, averaged over the runs of a system: null where one has none
    const place = `${metric} ${group}`;
    const [, runs] = n.groups[group];
    if (!known.has(place)) known.set(place, n.scores[metric][runs[0]].map((_, k) => {
      const values = runs.map((run) => n.scores[metric][run][k]);
      return values.includes(null) ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
    }));
    return known.get(place);
  }
  const less = (a, b) => (a === null || b === null ? null : Number((a - b).toFixed(9))); // scores have fewer digits: what is beyond is not theirs
  function apart(n, metric, first, second) { // differences of two systems on the page, null where there is none
    const theirs = means(n, metric, second);
    return means(n, metric, first).map((score, k) => less(score, theirs[k]));
  }
  function steps(n, metric, first, second) { // in which differences of all segments are counted where the page does not hold all
    const [a, b] = [Math.min(first, second), Math.max(first, second)];
    return a === b ? null : n.whole.differences[metric][(a * (2 * n.groups.length - a - 1)) / 2 + b - a - 1];
  }
  // Differences of all segments, each with how many have it; ties have no side. Of steps there is where one begins, and its
  // middle for what lies within. The ends say how far they reach.
  function differences(n, metric, first, second) {
    if (!n.whole) return apart(n, metric, first, second).filter((value) => value).map((difference) => ({ difference, segments: 1 }));
    const found = steps(n, metric, first, second);
    if (!found) return [];
    const sign = first < second ? 1 : -1;
    const at = (place) => (sign * (found.first + place) * found.step) / found.divisor;
    const counted = found.counts.flatMap((all, k) => [{ difference: at(k), segments: found.begin[k] }, { difference: at(k + 0.5), segments: all - found.begin[k] }]);
    return [...counted.filter(({ segments }) => segments), ...[found.low, found.high].map((end) => ({ difference: less(sign * end, 0), segments: 0 }))];
  }
  function renew() { // the page has other segments now
    known.clear();
    for (const follow of followers) follow();
  }
  const round = (value, decimals) => (value === null ? "–" : value.toFixed(decimals).replace(/^-(?=[0.]+$)/, "").replace("-", "−")); // no -0.0
  const COLOURS = 8; // as many as can be told apart by most eyes; then they begin again, in another shape
  const SHAPES = ["circle", "square", "diamond", "cross", "ring"]; // as links.py has them
  let looks = []; // of systems, where colours do not follow their order: several test sets have one for each system
  const look = (system) => looks[system] ?? system;
  const shape = (system) => SHAPES[Math.floor(look(system) / COLOURS) % SHAPES.length];
  const colour = (system) => `var(--s${(look(system) % COLOURS) + 1})`;
  return { numbers, chosen, begin, change, colour, shape, means, apart, steps, differences, renew, round, everyone, usual: () => usual, follow: (each) => followers.push(each) };
})();

// The picker beside the contents, the colours of systems, and charts that show the two systems that are chosen.
(async () => {
  const n = await tertium.choice.numbers;
  if (!n) return;
  const { make } = tertium.drawing;
  const { chosen, change, colour, shape, follow } = tertium.choice;
  const { systems } = n;
  tertium.choice.begin(n);

  const dot = (system) => { const each = make("i", { class: "dot", "aria-hidden": "true" }); each.style.background = colour(system); if (shape(system) !== "circle") each.dataset.shape = shape(system); return each; };
  tertium.choice.dot = dot;
  const places = tertium.choice.everyone;
  const name = (cells) => { // in their colour
    if (places.size > 1) for (const cell of cells) {
      const system = places.get(cell.textContent.trim());
      if (system !== undefined && !cell.querySelector(".dot")) cell.prepend(dot(system));
    }
  };
  name(document.querySelectorAll("#hero .sys, main tbody th, main thead th button.sort"));
  document.addEventListener("complete", (event) => name(event.target.querySelectorAll("tbody th"))); // rows that came later

  const picker = document.getElementById("picker");
  if (picker && systems.length > 1) {
    for (const side of ["first", "second"]) {
      const select = document.getElementById(`picker-${side}`);
      select.append(...systems.map((name, k) => make("option", { value: k }, name)));
      select.addEventListener("change", () => change({ [side]: select.selectedIndex }));
    }
    picker.hidden = false;
  }
  const word = (name) => (name === "__proto__" ? `${name} ` : name); // as charts have it
  function show() {
    for (const side of ["first", "second"]) {
      if (picker) document.getElementById(`picker-${side}`).selectedIndex = chosen[side];
      document.documentElement.style.setProperty(`--${side}-system`, colour(chosen[side]));
    }
    tertium.charts?.choose({ first: word(systems[chosen.first]), second: word(systems[chosen.second]) });
  }
  follow(show);
  show();
})();
