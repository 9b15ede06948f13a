"use strict";
// The head-to-head view. Numbers come from the file; here they are only subtracted, and averaged over the runs of a system.
(async () => {
  const n = await tertium.choice.numbers;
  const $ = (id) => document.getElementById(id);
  if (!n || !$("pair")) return;
  const { make } = tertium.drawing;
  const { chosen, change, colour, apart, differences, round, follow } = tertium.choice;
  const { metrics } = n;

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
    const lead = Math.sign(difference) || 1; // the interval and the effect are of what is said: of the lead
    const ends = item.interval?.map((end) => lead * sign * end).sort((a, b) => a - b);
    const firstLeads = difference === 0 || (difference > 0) === (better === "higher");
    const leads = difference === 0 ? "neither is ahead" : `${firstLeads ? one : other} is ahead by ${amount(Math.abs(difference))}`;
    const parted = ends && item.decided !== (ends[0] > 0 || ends[1] < 0); // one is of this pair alone, the other of all
    const between = ends ? ` (95 % interval of the ${difference === 0 ? "difference" : "lead"} ${ends.map(fixed).join(" to ")}${parted ? ", not corrected" : ""})` : "";
    const effect = (firstLeads ? 1 : -1) * (turned ? -1 : 1) * item.effect;
    const luck = difference === 0 ? "" : `, which ${item.decided ? "is hardly luck alone" : "may be luck"}`;
    const p = item.p < 0.001 ? "p < 0.001" : `p = ${item.p.toFixed(3)}`;
    return `${name.replace(" ↓", "")}: ${one} ${fixed(ours)}, ${other} ${fixed(theirs)}; ${leads}${between}${luck} ` +
      `(${p}, corrected over all pairs). Of ${item.n} segments, ${one} is better on ${won} and ${other} on ${lost}; ${item.tied} ${item.tied === 1 ? "is" : "are"} tied. ` +
      `Effect size ${round(effect, 2)}.${item.detectable === null ? "" : ` A difference of ${amount(item.detectable)} would be found four times out of five.`}`;
  }

  // Bars: round steps from below the smallest difference to above the largest, so that each has its segments, and the
  // link of a bar asks for just those. A bar of which no segment is on the page leads nowhere.
  const BARS = 40;
  function bars(all, held, asked) {
    let [low, high] = [Infinity, -Infinity];
    for (const { difference } of all) [low, high] = [Math.min(low, difference), Math.max(high, difference)];
    const rough = (high - low || Math.abs(high) || 1) / BARS;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough * (1 - 1e-9));
    const end = (k) => Number((k * step).toPrecision(12)); // as it is written in the address
    const from = Math.floor(low / step) - 1;
    const rows = [];
    for (let k = from; end(k) <= high; k++) rows.push({ from: end(k), to: end(k + 1), segments: 0, here: 0 });
    const bar = (value) => rows.find((row) => value >= row.from && value < row.to);
    for (const { difference, segments } of all) bar(difference).segments += segments;
    for (const value of held) if (value) bar(value).here++;
    const shown = rows.filter((row) => row.segments);
    for (const row of shown) if (row.here) row.href = `#segments?${new URLSearchParams({ ...asked, difference: `${row.from}..${row.to}` })}`;
    return shown;
  }
  const places = () => [chosen.first, chosen.second].map((system) => n.groups.findIndex(([, runs]) => runs.includes(system)));
  let same = false; // the reader chose one system twice, here
  function say() {
    const [first, second] = same ? [$("pair-first").selectedIndex, $("pair-second").selectedIndex] : places();
    const metric = chosen.metric;
    [$("pair-first").selectedIndex, $("pair-second").selectedIndex, $("pair-metric").selectedIndex] = [first, second, metric];
    $("pair-words").textContent = words(first, second, metric);
    return [first, second, metric];
  }
  function show() {
    const [first, second, metric] = say();
    const all = differences(n, metric, first, second);
    const figure = document.querySelector('figure[data-name="head-to-head"]');
    figure.hidden = !all.length;
    if (figure.hidden) return;
    const asked = { first: n.systems[chosen.first], second: n.systems[chosen.second], metric: metrics[metric].name };
    const sides = [colour(chosen.first), colour(chosen.second)];
    tertium.charts.show("head-to-head", { differences: bars(all, apart(n, metric, first, second), asked).map((row) => ({ ...row, colour: sides[row.from >= 0 ? 0 : 1] })) });
  }
  $("pair-first").append(...n.groups.map(([name], k) => make("option", { value: k }, name)));
  $("pair-second").append(...n.groups.map(([name], k) => make("option", { value: k }, name)));
  $("pair-metric").append(...metrics.map(({ name }, k) => make("option", { value: k }, name)));
  for (const side of ["first", "second"]) $(`pair-${side}`).addEventListener("change", () => {
    same = $("pair-first").selectedIndex === $("pair-second").selectedIndex;
    const [first, second] = ["pair-first", "pair-second"].map((id) => n.groups[$(id).selectedIndex][1][0]);
    if (same || !change({ first, second })) show();
  });
  $("pair-metric").addEventListener("change", () => change({ metric: $("pair-metric").selectedIndex }));
  $("pair-swap").addEventListener("click", () => change({ first: chosen.second, second: chosen.first }));
  follow(() => { same = false; show(); });
  say();
  const soon = setTimeout(show, 300); // after the first paint
  addEventListener("beforeprint", () => {
    clearTimeout(soon);
    if (!document.querySelector('figure[data-name="head-to-head"]').dataset.drawn) show();
  });
})();
