"use strict";
// A batch: what the rater says is kept in this browser first and then sent, until the server has it on its disk. What a
// protocol asks is in `tertium.protocol`, by another script: empty(), complete(value, item), body(value), value(body),
// show(item, value), attach(item, say), key(item, event), lacking(item).
(() => {
  const root = document.getElementById("batch");
  const words = JSON.parse(root.dataset.words);
  const { batch, who } = root.dataset;
  const tutorial = batch === "0"; // nothing of it is kept
  const protocol = window.tertium.protocol;
  const PREFIX = `tertium|${who}|`;
  const IDLE = 120_000; // time without a key or a movement after which nobody is counted as working
  const fill = (text, names) => text.replace(/\{(\w+)\}/g, (_, name) => names[name]);

  // What is kept here: one entry for each item and page, so that two tabs do not overwrite each other.
  const memory = new Map(); // where the browser keeps nothing
  let safe = true;
  try { localStorage.setItem(`${PREFIX}try`, "1"); localStorage.removeItem(`${PREFIX}try`); } catch { safe = false; }
  const keep = (key, record) => {
    try { localStorage.setItem(key, JSON.stringify(record)); } catch { safe = false; memory.set(key, record); }
  };
  const forget = (key) => { memory.delete(key); try { localStorage.removeItem(key); } catch { /* not there */ } };
  const read = (key) => {
    if (memory.has(key)) return memory.get(key);
    try { return JSON.parse(localStorage.getItem(key)); } catch { return null; }
  };
  function keys() {
    const found = [...memory.keys()];
    try { for (let k = 0; k < localStorage.length; k += 1) found.push(localStorage.key(k)); } catch { /* none */ }
    return [...new Set(found)].filter((key) => key.startsWith(PREFIX)).sort();
  }
  const waiting = () => keys().map((key) => [key, read(key)]).filter(([, record]) => record?.body);

  function fresh() { // crypto.randomUUID is there on secure pages only
    return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  const items = [...root.querySelectorAll(".item")].map((element) => ({
    element, place: Number(element.dataset.item), uuid: fresh(), revision: 0, value: protocol.empty(), seconds: 0, base: "",
    block: Number(element.closest(".block").dataset.block),
  }));
  const blocks = [...root.querySelectorAll(".block")];
  const undone = [];
  let active = items[0];
  let shown = 0;
  let state = "saved";
  let reason = "";
  let leaving = false;

  // What was said before: on the server, or begun here and not finished.
  for (const item of items) {
    const standing = JSON.parse(item.element.dataset.standing);
    if (standing) {
      item.base = `${standing.uuid}.${standing.revision}`;
      if (Object.keys(standing.body).length) { item.value = protocol.value(standing.body); item.seconds = standing.body.seconds ?? 0; }
    }
    const drafts = keys().filter((key) => key.startsWith(`${PREFIX}${batch}|${item.place}|`)).map((key) => [key, read(key)])
      .filter(([, record]) => record).sort(([, a], [, b]) => a.at - b.at);
    for (const [key, record] of drafts) {
      if (record.body || record.base === item.base) { item.value = record.value; item.seconds = record.seconds; }
      if (!record.body) { // a beginning: this page goes on with it
        forget(key);
        if (record.base === item.base) keep(`${PREFIX}${batch}|${item.place}|${item.uuid}`, record);
      }
    }
    protocol.attach(item, (value) => say(item, value));
    protocol.show(item, item.value);
  }

  function say(item, value, remember = true) { // the rater has said something
    if (remember) undone.push([item, item.value]);
    if (item === active) count();
    const was = protocol.complete(item.value, item);
    item.value = value;
    item.revision += 1;
    const complete = protocol.complete(value, item);
    if (tutorial) {
      item.element.querySelector(".feedback").hidden = !complete;
      item.element.querySelector(".lack").hidden = true;
      protocol.show(item, value);
      refresh();
      return;
    }
    const seconds = Math.round(item.seconds * 10) / 10;
    const body = complete ? { ...protocol.body(value), seconds } : was || item.base ? {} : null;
    keep(`${PREFIX}${batch}|${item.place}|${item.uuid}`, {
      uuid: item.uuid, revision: item.revision, batch, item: item.place, value, body, seconds, base: item.base, at: Date.now(),
    });
    item.element.querySelector(".lack").hidden = true;
    protocol.show(item, value);
    work(item);
    refresh();
    soon(300);
  }

  // Sending: one after the other; whatever is not acknowledged stays and is sent again.
  let sending = false;
  let timer = 0;
  let pause = 1000;
  function soon(time) { clearTimeout(timer); timer = setTimeout(send, time); }
  async function send() {
    clearTimeout(timer);
    if (sending || state === "out") return;
    sending = true;
    try {
      for (let rest = waiting(); rest.length; rest = waiting()) {
        if (state !== "offline" && state !== "refused") { state = "saving"; refresh(); }
        const [key, record] = rest[0];
        if (!await sent(key, record)) return;
      }
      if (state !== "refused") state = "saved";
      pause = 1000;
    } finally {
      sending = false;
      refresh();
      if (state === "offline") { soon(pause); pause = Math.min(2 * pause, 30_000); }
    }
    if (leaving && !waiting().length) location.assign(`/done/${batch}`);
  }
  async function sent(key, record) { // whether to go on with the next
    let answer;
    try {
      answer = await fetch(`/api/responses/${record.batch}/${record.item}`, {
        method: "PUT", headers: { "Content-Type": "application/json" }, keepalive: true,
        body: JSON.stringify({ who, uuid: record.uuid, revision: record.revision, body: record.body }),
      });
    } catch { state = "offline"; return false; }
    if (answer.status === 401) { state = "out"; return false; }
    if (answer.status >= 500 || answer.status === 429) { state = "offline"; return false; }
    const now = read(key);
    const same = now && now.revision === record.revision;
    if (!answer.ok) { // it will never be taken: put it aside, and say why
      reason = (await answer.json().catch(() => ({}))).error ?? String(answer.status);
      state = "refused";
      if (same) { forget(key); keep(key.replace("tertium|", "tertium-refused|"), record); }
      return true;
    }
    if (state === "offline") state = "saving";
    const base = `${record.uuid}.${record.revision}`;
    for (const item of items) if (item.uuid === record.uuid) item.base = base;
    if (same && Object.keys(record.body).length) forget(key);
    else if (now) keep(key, same ? { ...now, body: null, base } : { ...now, base });
    return true;
  }
  addEventListener("online", () => { pause = 1000; send(); });
  addEventListener("offline", () => { if (waiting().length) { state = "offline"; refresh(); } });
  addEventListener("pagehide", () => { send(); });
  document.addEventListener("visibilitychange", () => { send(); });
  addEventListener("storage", (event) => { // another tab has said something: show it here, too
    const [, , at, place] = (event.key ?? "").split("|");
    const record = event.newValue && event.key.startsWith(PREFIX) && at === batch ? JSON.parse(event.newValue) : null;
    const item = record && items.find((one) => one.place === Number(place));
    if (!item) return;
    item.value = record.value;
    item.base = record.base;
    protocol.show(item, item.value);
    refresh();
  });

  // What is on the screen.
  const stateline = document.getElementById("state");
  const next = document.getElementById("next");
  function refresh() {
    const done = items.filter((item) => protocol.complete(item.value, item)).length;
    const count = waiting().length;
    const now = count && state === "saved" ? "saving" : state;
    stateline.dataset.state = now;
    const text = tutorial ? "" : leaving && count ? words.wait : !safe && count ? words.unsafe
      : fill(words[now], { count: now === "refused" ? keysRefused() : count, reason });
    if (stateline.textContent !== text) stateline.textContent = text;
    document.getElementById("progress").value = done;
    document.getElementById("count").textContent = fill(words.progress, { done, all: items.length });
    document.getElementById("undo").disabled = !undone.length;
    document.getElementById("back").disabled = shown === 0;
    next.textContent = shown === blocks.length - 1 ? words.finish : words.next;
    for (const item of items) item.element.classList.toggle("complete", protocol.complete(item.value, item));
  }
  function keysRefused() {
    let count = 0;
    try { for (let k = 0; k < localStorage.length; k += 1) count += localStorage.key(k).startsWith(`tertium-refused|${who}|`); } catch { /* none */ }
    return count;
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
    item.element.querySelector(".lack").hidden = false;
    work(item);
    const place = protocol.lacking(item);
    place.focus({ preventScroll: true });
    item.element.scrollIntoView({ block: "center" });
  }
  function onward() { // to the next document, or the end
    const open = (some) => some.find((item) => !protocol.complete(item.value, item));
    const here = open(items.filter((item) => item.block === shown));
    if (here) return lack(here);
    if (shown < blocks.length - 1) return turn(shown + 1);
    const any = open(items);
    if (any) return lack(any);
    if (tutorial) return location.assign("/");
    leaving = true;
    refresh();
    send();
  }
  function forward() { // from an item to the next one
    if (!protocol.complete(active.value, active)) return lack(active);
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
    if (!document.hidden && now - lastInput < IDLE) active.seconds = Math.min(86_400, active.seconds + (now - since) / 1000);
    since = now;
  }
  addEventListener("pointermove", () => { lastInput = performance.now(); }, { passive: true });
  setInterval(count, 1000);

  root.hidden = false;
  const open = items.find((item) => !protocol.complete(item.value, item));
  turn(open ? open.block : 0);
  send();
  document.documentElement.dataset.ready = "";
})();
