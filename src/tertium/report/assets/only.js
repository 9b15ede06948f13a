"use strict";
// Which segments are shown: conditions that all must hold, as an address has them (#segments?found=number&of=atlas).
// Each kind of condition makes of its value what holds of a segment, how that is said and of how many segments it holds,
// which is known of all even where the page does not hold all; or nothing where the value is of another report.
tertium.only = ({ n, hit, answers }) => {
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
  const inside = (value, [low, high]) => value !== null && value >= low && (value < high || (low === high && value === low));
  function spoken([low, high]) {
    if (low === high) return `of ${written(low)}`;
    if (low === -Infinity) return high === Infinity ? "of any size" : `below ${written(high)}`;
    return high === Infinity ? `of ${written(low)} or more` : `from ${written(low)} to below ${written(high)}`;
  }
  // What a condition takes besides its value; the page's maker has the same list (behind.py).
  const ASIDE = { found: ["of"], said: ["of", "rater", "scale"], outputs: ["by", "people"], times: ["of"], word: ["of", "side"] };
  function stated(kind, only) { // how many of all segments a chart says that there are
    const key = [kind, only[kind], ...ASIDE[kind].map((each) => only[each] ?? "")].join("\n");
    return n.whole && Object.hasOwn(n.whole.links, key) ? n.whole.links[key] : null;
  }
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
    word(text, { of, side }) { // on any side, in a reference, in the output of a system
      const found = n.words?.find(([word]) => word === text);
      const place = side === "references" ? 0 : of === undefined ? null : 1 + n.told.sides.indexOf(of);
      if (!found || (of !== undefined && place === 0)) return null;
      const places = new Set();
      found[1].reduce((at, step, k) => { if (place === null || (found[3][k] >> place) & 1) places.add(at + step); return at + step; }, 0);
      const where = place === null ? n.told.word : `in ${place ? `the output of ${tertium.isolated(of)}` : "a reference"}, ${n.told.reads}`;
      return { all: n.whole && (place === null ? found[2] : found[4][place]), holds: (k) => places.has(k), words: `“${tertium.isolated(text)}” ${where}` };
    },
    times(name, only) { // words by how often references have them
      const [bucket, system] = [(n.told.times ?? []).indexOf(name), n.systems.indexOf(only.of)];
      if (bucket < 0 || system < 0 || !n.times?.[0][system].length) return null;
      return {
        all: stated("times", only),
        holds: (k) => ((n.times[0][system][k] >> bucket) & 1) === 1,
        words: `a word that references have ${name === "1" ? "once" : `${name} times`} in all, in a reference or in the output of ${named(system)}, ${n.told.reads}`,
      };
    },
    outputs(text, only) { // of any system, by a metric and by people
      const ends = text.split(",").map(range);
      const [metric, judged] = [n.metrics.findIndex(({ name }) => name === only.by), n.judged.indexOf(only.people)];
      if (ends.length !== 2 || ends.includes(null) || metric < 0 || judged < 0) return null;
      const [scores, people] = [n.scores[metric], n.people[judged]];
      return {
        all: stated("outputs", only),
        holds: (k) => n.systems.some((_, system) => inside(scores[system][k], ends[0]) && inside(people[system][k], ends[1])),
        words: `an output with ${only.by.replace(" ↓", "")} ${spoken(ends[0])} and ${only.people.replace(" ↓", "")} ${spoken(ends[1])}`,
      };
    },
    said(text, only) { // by a rater of a system
      const [ends, system] = [range(text), n.systems.indexOf(only.of)];
      if (!ends || system < 0 || only.rater === undefined) return null;
      return {
        all: stated("said", only),
        holds: (k) => answers(k).some(([who, scale, rater, value]) => who === system && scale === only.scale && rater === only.rater && inside(value, ends)),
        words: `${only.scale} ${spoken(ends)}, given to ${named(system)} by ${tertium.isolated(only.rater)}`,
      };
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

  const aside = new Set(Object.values(ASIDE).flat());
  const own = (key) => Object.hasOwn(KINDS, key) || aside.has(key);
  const read = (query) => Object.fromEntries([...query].filter(([key]) => own(key)));
  const equal = (a, b) => Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([key, value]) => b[key] === value);
  function compile(only) { // what holds, of how many of all segments (null where that is not known), its words, and what is of another report
    const made = Object.entries(only).filter(([key]) => !aside.has(key)).map(([key, value]) => [key, KINDS[key](value, only)]);
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
