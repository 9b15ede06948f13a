"use strict";
// What a rater says is kept in this browser first and then sent, until the server has it on its disk. On every page of
// a rater, so that what waits is sent from whichever is opened next. What is saved is kept until a newer page shows it:
// a page that is shown again while the server is away may be older than the last answers.
window.tertiumQueue = (() => {
  const line = document.getElementById("state");
  const words = JSON.parse(line.dataset.words);
  const { who } = line.dataset;
  const PREFIX = `tertium|${who}|`;
  const REFUSED = `tertium-refused|${who}|`;
  const PAGES = "tertium-pages"; // as in worker.js
  const ANSWER = 30_000; // time in which a server has answered, or is taken to be away: a connection may be cut and nobody told
  const LEAVING = 16_000; // letters that browsers still send for a page that was left; of more they refuse to send any
  const fill = (text, names) => text.replace(/\{(\w+)\}/g, (_, name) => names[name]);

  // One entry for each item, page and revision, so that two tabs do not overwrite each other.
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
  function keys(prefix = PREFIX) {
    const found = [...memory.keys()];
    try { for (let k = 0; k < localStorage.length; k += 1) found.push(localStorage.key(k)); } catch { /* none */ }
    return [...new Set(found)].filter((key) => key.startsWith(prefix)).sort();
  }
  const entered = (prefix) => Math.max(Date.now(), ...keys(prefix).map((key) => (read(key)?.at ?? 0) + 1)); // in order, whatever clocks do
  const waiting = () => keys().map((key) => [key, read(key)]).filter(([, record]) => record?.body).sort(([, a], [, b]) => a.at - b.at);

  const queue = { // `changed`, `saved` and `empty` are for the page that asks what is there
    PREFIX, keep, forget, read, keys, entered, waiting, send, soon, fill, said: "", state: "saved",
    changed() {}, saved() {}, empty() {},
    show() {
      const count = waiting().length;
      const now = count && queue.state === "saved" ? "saving" : queue.state;
      line.dataset.state = now;
      held = held && count > 0;
      const text = queue.said || (held ? fill(words["leave-waits"], { count }) : !safe && count ? words.unsafe : fill(words[now], { count: now === "refused" ? keys(REFUSED).length : count, reason }));
      const shown = line.dataset.quiet !== undefined && now === "saved" ? "" : text;
      if (line.textContent !== shown) line.textContent = shown;
    },
  };

  // Sending: one after the other; whatever is not acknowledged stays and is sent again.
  let reason = "";
  let held = false; // signing out waits for what is not saved
  let sending = false;
  let timer = 0;
  let pause = 1000;
  function soon(time) { clearTimeout(timer); timer = setTimeout(send, time); }
  async function send() {
    clearTimeout(timer);
    if (sending || queue.state === "out") return;
    sending = true;
    const passed = new Set();
    const rest = () => waiting().filter(([key]) => !passed.has(key));
    try {
      for (let [first] = rest(); first; [first] = rest()) {
        if (queue.state !== "offline" && queue.state !== "refused") { queue.state = "saving"; queue.changed(); queue.show(); }
        if (!await sent(...first, passed)) return;
      }
      if (passed.size) queue.state = "offline";
      else if (queue.state !== "refused") queue.state = "saved";
      if (!passed.size) pause = 1000;
    } finally {
      sending = false;
      queue.changed();
      queue.show();
      if (queue.state === "offline") { soon(pause); pause = Math.min(2 * pause, 30_000); }
    }
    if (!waiting().length) queue.empty();
  }
  async function sent(key, record, passed) { // whether to go on with the next
    const body = JSON.stringify({ who, uuid: record.uuid, revision: record.revision, body: record.body, age: Math.max(0, (Date.now() - record.at) / 1000) });
    const patience = new AbortController();
    const over = setTimeout(() => patience.abort(), ANSWER);
    let answer;
    let told;
    try {
      answer = await fetch(`/api/responses/${record.batch}/${record.item}`, {
        method: "PUT", headers: { "Content-Type": "application/json" }, keepalive: body.length < LEAVING, body, signal: patience.signal,
      });
      told = await answer.json().catch(() => null);
    } catch { queue.state = "offline"; return false; } finally { clearTimeout(over); }
    const { status } = answer;
    const gone = status === 401 && typeof told?.error === "string";
    if (!gone && (answer.ok ? told?.saved !== true : !told?.final)) { // away, broken off, or somebody's in between: a
      queue.state = "offline"; // proxy's, a hotel's network's
      if (answer.ok || status >= 500 || status === 429) return false;
      passed.add(key); // they may mind this one alone
      return true;
    }
    if (gone) { // revoked, or somebody else's by now: pages that are kept here are for nobody any more
      queue.state = "out";
      globalThis.caches?.delete(PAGES).catch(() => {});
      return false;
    }
    const there = read(key); // nothing, where the rater has gone on to another revision
    if (!answer.ok) { // it will never be taken: put it aside, and say why
      reason = told.error;
      queue.state = "refused";
      if (there) { forget(key); keep(key.replace("tertium|", "tertium-refused|"), record); }
      return true;
    }
    if (queue.state === "offline") queue.state = "saving";
    const base = `${record.uuid}.${record.revision}`;
    queue.saved(record, base, told.at);
    if (there) keep(key, { ...record, body: null, acknowledged: true, base, saved: told.at });
    return true;
  }
  addEventListener("online", () => { pause = 1000; send(); });
  addEventListener("offline", () => { if (waiting().length) { queue.state = "offline"; queue.changed(); queue.show(); } });
  addEventListener("pagehide", () => { send(); });
  document.addEventListener("visibilitychange", () => { send(); });

  // Signing out takes nothing along that the server does not have.
  document.getElementById("leave")?.addEventListener("submit", (event) => {
    if (!waiting().length) return;
    event.preventDefault();
    held = true;
    queue.show();
    send();
  });

  // A batch that is done needs nothing here any more.
  if (line.dataset.done) {
    for (const key of keys(`${PREFIX}${line.dataset.done}|`)) if (!read(key)?.body) forget(key);
    globalThis.caches?.open(PAGES).then((cache) => cache.delete(`/batch/${line.dataset.done}`)).catch(() => {});
  }

  // Pages for a reload while the server is away: this one, which may have been here before the worker, and the overview.
  const { serviceWorker } = navigator;
  if (serviceWorker && line.dataset.left === undefined) {
    const seen = serviceWorker.controller;
    const lacks = async (pages, path) => (!seen && path === location.pathname) || !await pages.match(path);
    serviceWorker.register("/worker.js").then(() => serviceWorker.ready).then(() => caches.open(PAGES))
      .then((pages) => Promise.all(["/", location.pathname].map(async (path) => (await lacks(pages, path) ? pages.add(path) : null))))
      .catch(() => {}).then(() => { document.documentElement.dataset.kept = ""; });
  }
  queue.show();
  setTimeout(send); // after the page's own script
  return queue;
})();
