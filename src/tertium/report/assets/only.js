"use strict";
// Which segments are shown: conditions that all must hold, as an address has them (#segments?found=number&of=atlas).
// Each kind of condition makes of its value what holds of a segment, how that is said and of how many segments it holds,
// which is known of all even where the page does not hold all; or nothing where the value is of another report.
tertium.only = ({ n, hit }) => {
  const { chosen, apart, steps, differences } = tertium.choice;
  const named = (system) => tertium.isolated(n.systems[system]);
  const title = () => n.metrics[chosen.metric].name.replace(" ↓", "");
  const group = (system) => n.groups.findIndex(([, runs]) => runs.includes(system));
  function within(ends, pair) { // how many of all segments have such a difference; known between ends at which steps begin
    const found = n.whole && steps(n, ...pair);
    const begins = (end) => { const place = (end * found.divisor) / found.step; return Math.abs(place - Math.round(place)) < 1e-6; };
    if (!n.whole || (found && !ends.every(begins))) return null;
    return differences(n, ...pair).reduce((sum, { difference, segments }) => sum + (difference >= ends[0] && difference < ends[1] ? segments : 0), 0);
  }
  const range = (text) => {
    const ends = text.split("..").map(Number);
    return ends.length === 2 && ends[0] <= ends[1] ? ends : null;
  };
  const written = (value) => String(Number(value.toPrecision(6))).replace("-", "−");
  const KINDS = {
    found(kind, { of }) {
      const [number, system] = [n.detectors.indexOf(kind), of === undefined ? null : n.systems.indexOf(of)];
      if (number < 0 || system === -1) return null;
      const all = n.whole && (system === null ? n.whole.found[number] : n.whole.found_of[number][system]);
      return { all, holds: (k) => hit(k, number, system), words: `${kind} found in the output of ${system === null ? "a system" : named(system)}` };
    },
    better(side) {
      if (!["first", "second"].includes(side) || n.systems.length < 2) return null;
      const sign = (n.metrics[chosen.metric].better === "higher" ? 1 : -1) * (side === "first" ? 1 : -1);
      const scores = n.scores[chosen.metric];
      const [one, other] = sign > 0 ? [chosen.first, chosen.second] : [chosen.second, chosen.first];
      return {
        all: n.whole && n.whole.higher[chosen.metric][one][other],
        holds: (k) => scores[chosen.first][k] !== null && scores[chosen.second][k] !== null && sign * (scores[chosen.first][k] - scores[chosen.second][k]) > 0,
        words: `${named(chosen[side])} better than ${named(chosen[side === "first" ? "second" : "first"])} by ${title()}`,
      };
    },
    difference(text) { // of the two systems, over the mean of their runs; the upper end is the next bar's
      const ends = range(text);
      if (!ends || n.systems.length < 2) return null;
      const [one, other] = [chosen.first, chosen.second].map((system) => tertium.isolated(n.groups[group(system)][0]));
      const pair = [chosen.metric, group(chosen.first), group(chosen.second)];
      const values = apart(n, ...pair);
      return {
        all: within(ends, pair),
        holds: (k) => { const value = values[k]; return value !== null && value !== 0 && value >= ends[0] && value < ends[1]; },
        words: `${title()} of ${one} less that of ${other} from ${written(ends[0])} to below ${written(ends[1])}, ties left out`,
      };
    },
    score(text) { // of the first system
      const ends = range(text);
      return ends && {
        all: null,
        holds: (k) => { const value = n.scores[chosen.metric][chosen.first][k]; return value !== null && value >= ends[0] && value < ends[1]; },
        words: `${title()} of ${named(chosen.first)} from ${written(ends[0])} to below ${written(ends[1])}`,
      };
    },
    word(text) {
      const found = n.words?.find(([word]) => word === text);
      if (!found) return null;
      const places = new Set();
      found[1].reduce((at, step) => { places.add(at + step); return at + step; }, 0);
      return { all: n.whole && found[2], holds: (k) => places.has(k), words: `“${tertium.isolated(text)}” ${n.told.word}` };
    },
  };
  // parts of the test set: by name, which is what the address says
  const parts = [
    ...Object.entries(n.labels).map(([name, values]) => ({ key: `label.${name}`, name, values })),
    ...(n.lengths ? [{ key: "length", name: n.told.length, values: n.lengths.map((place) => n.buckets[place]) }] : []),
    ...(n.documents ? [{ key: "document", name: "document", values: n.documents }] : []),
  ].map((part, p) => {
    const different = [...new Set(part.values)]; // on the page
    const { counts, others } = n.whole?.parts[p] ?? { counts: [], others: [] };
    return { ...part, different, all: new Map([...different.map((value, v) => [value, counts[v] ?? null]), ...others]) };
  });
  for (const { key, name, values, all } of parts) {
    KINDS[key] = (value) => (all.has(value) ? { all: all.get(value), holds: (k) => values[k] === value, words: `${name} ${tertium.isolated(value)}` } : null);
  }

  const own = (key) => Object.hasOwn(KINDS, key) || key === "of";
  const read = (query) => Object.fromEntries([...query].filter(([key]) => own(key)));
  const equal = (a, b) => Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([key, value]) => b[key] === value);
  function compile(only) { // what holds, of how many of all segments (null where that is not known), its words, and what is of another report
    const made = Object.entries(only).filter(([key]) => key !== "of").map(([key, value]) => [key, KINDS[key](value, only)]);
    const known = made.map(([, each]) => each).filter(Boolean);
    const all = known.length ? null : n.whole?.total ?? null;
    return {
      all: known.length === 1 ? known[0].all ?? null : all,
      some: known.length > 0,
      holds: (k) => known.every((each) => each.holds(k)),
      words: known.map((each) => each.words).join("; "),
      unknown: made.filter(([, each]) => !each).map(([key]) => `${key} ${only[key]}`),
    };
  }
  return { parts, read, compile, equal };
};
