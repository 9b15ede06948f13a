"use strict";
// A batch: document by document, item by item. What the rater says goes to the queue (queue.js). What a protocol asks
// is in `tertium.protocol`, by another script: empty(), complete(value, item), body(value), value(body),
// show(item, value), attach(item, say), key(item, event), lacking(item).
(() => {
  const root = document.getElementById("batch");
  const words = JSON.parse(root.dataset.words);
  const { batch } = root.dataset;
  const made = Number(root.dataset.made); // by the server's clock, as is when an answer was saved
  const tutorial = batch === "0"; // nothing of it is kept
  const { protocol } = window.tertium;
  const queue = window.tertiumQueue;
  const { PREFIX, fill } = queue;
  const IDLE = 120_000; // time without a key or a movement after which nobody is counted as working
  const GAP = 5000; // time is counted every second; what is longer was spent with the lid closed

  function fresh() { // crypto.randomUUID is there on secure pages only
    return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  const items = [...root.querySelectorAll(".item")].map((element) => ({
    element, place: Number(element.dataset.item), uuid: fresh(), revision: 0, value: protocol.empty(), seconds: 0, base: "", saved: 0, key: "",
    block: Number(element.closest(".block").dataset.block),
  }));
  const blocks = [...root.querySelectorAll(".block")];
  const undone = [];
  let active = items[0];
  let shown = 0;
  let leaving = false;

  // What was said before: on the server, or here; the later of the two. The page may be older than what was saved since.
  for (const item of items) {
    const standing = JSON.parse(item.element.dataset.standing);
    if (standing) {
      item.base = `${standing.uuid}.${standing.revision}`;
      if (Object.keys(standing.body).length) { item.value = protocol.value(standing.body); item.seconds = standing.body.seconds ?? 0; }
    }
    const here = queue.keys(`${PREFIX}${batch}|${item.place}|`).map((key) => [key, queue.read(key)])
      .filter(([, record]) => record).sort(([, a], [, b]) => a.at - b.at);
    for (const [key, record] of here) {
      const later = record.saved > made;
      const same = record.base === item.base && !record.acknowledged;
      if (record.body || later || same) { item.value = record.value; item.seconds = record.seconds; }
      if (record.body) continue;
      queue.forget(key);
      if (later) { item.base = record.base; item.saved = record.saved; }
      if (later || same) write(item, record); // this page goes on with it
    }
    protocol.attach(item, (value) => say(item, value));
    protocol.show(item, item.value);
  }

  function write(item, record) { // an entry for each revision: no tab ever writes over what another one reads
    const before = item.key;
    item.key = `${PREFIX}${batch}|${item.place}|${item.uuid}|${item.revision}`;
    queue.keep(item.key, record);
    if (before && before !== item.key) queue.forget(before);
  }
  function say(item, value, remember = true) { // the rater has said something
    if (remember) undone.push([item, item.value]);
    if (item === active) count();
    const was = protocol.complete(item.value, item);
    item.value = value;
    item.revision += 1;
    const complete = protocol.complete(value, item);
    item.element.querySelector(".lack").hidden = true;
    if (tutorial) {
      item.judged = false;
      item.element.querySelector(".feedback").hidden = true;
    } else {
      const seconds = Math.round(item.seconds * 10) / 10;
      const body = complete ? { ...protocol.body(value), seconds } : was || item.base ? {} : null;
      write(item, {
        uuid: item.uuid, revision: item.revision, batch, item: item.place, value, body, seconds, base: item.base, saved: item.saved,
        at: queue.entered(`${PREFIX}${batch}|${item.place}|`),
      });
      work(item);
      queue.soon(300);
    }
    protocol.show(item, value);
    refresh();
  }
  queue.saved = (record, base, time) => {
    for (const item of items) if (item.uuid === record.uuid) { item.base = base; item.saved = time; }
  };
  queue.changed = () => refresh();
  queue.empty = () => { if (leaving) location.assign(`/done/${batch}`); };
  addEventListener("storage", (event) => { // another tab has said something: show it here, too
    const [, , at, place] = (event.key ?? "").split("|");
    const record = event.newValue && event.key.startsWith(PREFIX) && at === batch ? JSON.parse(event.newValue) : null;
    const item = record && items.find((one) => one.place === Number(place));
    if (!item) return;
    item.base = record.base;
    if (!record.acknowledged) { item.value = record.value; protocol.show(item, item.value); }
    refresh();
  });

  // What is on the screen.
  const next = document.getElementById("next");
  function refresh() {
    const done = items.filter((item) => protocol.complete(item.value, item)).length;
    if (!tutorial) { queue.said = leaving && queue.waiting().length ? words.wait : ""; queue.show(); }
    document.getElementById("progress").value = done;
    document.getElementById("count").textContent = fill(words.progress, { done, all: items.length });
    document.getElementById("undo").disabled = !undone.length;
    document.getElementById("back").disabled = shown === 0;
    next.textContent = shown === blocks.length - 1 ? words.finish : words.next;
    for (const item of items) item.element.classList.toggle("complete", protocol.complete(item.value, item));
  }
  function turn(to) {
    shown = to;
    blocks.forEach((block, k) => { block.hidden = k !== to; });
    const here = items.filter((item) => item.block === to);
    protocol.shown?.(here);
    enter(here.find((item) => !protocol.complete(item.value, item)) ?? here[0]);
    if (here.every((item) => protocol.complete(item.value, item))) scrollTo(0, 0);
    refresh();
  }
  function work(item) {
    if (active !== item) { count(); active = item; }
    for (const one of items) one.element.classList.toggle("active", one === item);
  }
  function enter(item) {
    work(item);
    protocol.first(item).focus({ preventScroll: true });
    item.element.scrollIntoView({ block: "nearest" });
  }
  function lack(item) { // show what is missing
    if (item.block !== shown) turn(item.block);
    work(item);
    const place = protocol.lacking(item);
    const asked = place.closest(".scale, .choice, .errors"); // an item may be taller than the screen
    const told = item.element.querySelector(".lack");
    if (asked) asked.before(told); else item.element.append(told);
    told.hidden = false;
    place.focus({ preventScroll: true });
    told.scrollIntoView({ block: "center" });
  }
  function onward() { // to the next document, or the end
    const open = (some) => some.find((item) => !protocol.complete(item.value, item));
    const those = items.filter((item) => item.block === shown);
    const here = open(those);
    if (here) return lack(here);
    const unseen = tutorial && those.find((item) => !item.judged);
    if (unseen) return judge(unseen);
    if (shown < blocks.length - 1) return turn(shown + 1);
    const any = open(items);
    if (any) return lack(any);
    if (tutorial) return location.assign("/");
    leaving = true;
    refresh();
    queue.send();
  }
  async function judge(item) { // the tutorial: what was expected, before it goes on
    work(item);
    const place = item.element.querySelector(".feedback");
    const verdict = place.querySelector(".told");
    const { value } = item;
    let told = null;
    const patience = new AbortController();
    const over = setTimeout(() => patience.abort(), 30_000);
    try {
      const answer = await fetch(`/api/tutorial/${item.place}`, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ body: protocol.body(value) }), signal: patience.signal,
      });
      if (answer.ok) told = await answer.json();
    } catch { /* away */ }
    clearTimeout(over);
    if (item.value !== value) return; // changed meanwhile
    place.dataset.right = String(told?.right ?? "");
    verdict.replaceChildren(...(told ? told.lines : [words.unheard]).map((text) => Object.assign(document.createElement("p"), { textContent: text })));
    place.querySelector(".why").hidden = !told;
    place.hidden = false;
    item.judged = Boolean(told);
    place.scrollIntoView({ block: "nearest" });
  }
  function forward() { // from an item to the next one
    if (!protocol.complete(active.value, active)) return lack(active);
    if (tutorial && !active.judged) return judge(active);
    const later = items.find((item) => item.block === shown && item.place > active.place);
    if (later) enter(later); else onward();
  }
  function undo() {
    const last = undone.pop();
    if (!last) return;
    const [item, value] = last;
    if (item.block !== shown) turn(item.block);
    say(item, value, false);
    enter(item);
  }
  next.addEventListener("click", onward);
  document.getElementById("back").addEventListener("click", () => { leaving = false; turn(shown - 1); });
  document.getElementById("undo").addEventListener("click", undo);
  root.addEventListener("focusin", (event) => {
    const element = event.target.closest(".item");
    if (element) work(items.find((item) => item.element === element));
  });
  root.addEventListener("click", (event) => {
    const finished = event.target.closest(".finished");
    if (!finished) return;
    const item = items.find((one) => one.element.contains(finished));
    protocol.finish(item);
    work(item);
    forward();
  });
  document.addEventListener("keydown", (event) => {
    lastInput = performance.now();
    if (event.isComposing || event.altKey) return;
    const typing = event.target.closest("textarea, select");
    if ((event.ctrlKey || event.metaKey) && event.key === "z" && !event.target.closest("textarea")) {
      event.preventDefault();
      undo();
      return;
    }
    if (event.key === "Enter" && !event.target.closest("a, summary, button") && (event.target.tagName !== "TEXTAREA" || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (event.target.tagName === "SELECT") { protocol.first(active).focus(); return; }
      protocol.finish?.(active);
      forward();
      return;
    }
    if (!typing && !event.target.closest(".bar, header, details") && protocol.key(active, event)) event.preventDefault();
  });

  // Time: that of the item somebody is at, while the page is looked at and something happens.
  let lastInput = performance.now();
  let since = performance.now();
  function count() {
    const now = performance.now();
    if (!document.hidden && now - lastInput < IDLE && now - since < GAP) active.seconds = Math.min(86_400, active.seconds + (now - since) / 1000);
    since = now;
  }
  addEventListener("pointermove", () => { lastInput = performance.now(); }, { passive: true });
  setInterval(count, 1000);

  root.hidden = false;
  const open = items.find((item) => !protocol.complete(item.value, item));
  turn(open ? open.block : 0);
  document.documentElement.dataset.ready = "";
})();
