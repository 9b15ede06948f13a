"use strict";
// The workbench: choosing files, watching jobs. Every form works without this script, too.
(() => {
  for (const form of document.querySelectorAll("form[data-confirm]")) {
    form.addEventListener("submit", (event) => { if (!confirm(form.dataset.confirm)) event.preventDefault(); });
  }

  async function json(address, options) {
    const answer = await fetch(address, options);
    const value = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Error(value.error ?? `the server answered ${answer.status}`);
    return value;
  }
  const post = (address, value) => json(address, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) });
  const wait = (time) => new Promise((done) => { setTimeout(done, time); });

  // Jobs.
  const OPEN = ["queued", "running"];
  async function watch(place) {
    const bar = place.querySelector("progress");
    const words = place.querySelector("[role=status]");
    for (let misses = 0; ;) {
      try {
        const job = await json(place.dataset.address ?? `/api/jobs/${place.dataset.job}`);
        misses = 0;
        if (!OPEN.includes(job.state)) { location.reload(); return; }
        const { stage, done, total } = job.progress ?? { stage: job.state === "queued" ? "waiting" : "starting", done: 0, total: 0 };
        const known = total > 1;
        if (known) { bar.max = total; bar.value = done; } else bar.removeAttribute("value");
        const of = job.kind === "score" ? `${done.toLocaleString("en")} of ${total.toLocaleString("en")}` : `step ${done + 1} of ${total}`;
        const text = known ? `${stage}: ${of}` : stage;
        if (words.textContent !== text) words.textContent = text;
      } catch (error) {
        misses += 1;
        words.textContent = misses > 3 ? "no answer from tertium serve; is it still running?" : error.message;
        if (/^there is no (job|trial)/.test(error.message)) { location.reload(); return; }
      }
      await wait(misses ? 2000 : 300);
    }
  }
  for (const place of document.querySelectorAll(".progress[data-job]")) watch(place);

  async function refresh(row) { // one line of the list
    while (OPEN.includes(row.dataset.state)) {
      await wait(1000);
      try {
        const job = await json(`/api/jobs/${row.dataset.job}`);
        row.dataset.state = job.state;
        const progress = job.progress;
        const share = progress && progress.total > 1 ? ` ${Math.floor((100 * progress.done) / progress.total)} %` : "";
        row.querySelector(".state").textContent = job.state + share;
      } catch { await wait(3000); }
    }
  }
  for (const row of document.querySelectorAll(".entries tr[data-job]")) if (row.dataset.job) refresh(row);

  // Choosing files.
  const form = document.getElementById("upload");
  if (!form) return;
  const drop = document.getElementById("drop");
  const picker = document.getElementById("files");
  const list = document.getElementById("chosen");
  const rows = list.querySelector("tbody");
  const failure = document.getElementById("error");
  const sending = document.getElementById("sending");
  const recognised = document.getElementById("recognised");
  const WHOLE = /(^|\/)[^/]*\.(toml|zip|xml|sgml?|xlf|(sdl|mq|m)?xliff|tmx|pot?)$/i;
  const TABLE = /\.((tsv|csv|jsonl|ndjson)(\.(gz|bz2|xz))?|xlsx)$/i;
  const SHEETS = /\.xlsx$/i; // which cannot be read by its first bytes
  const SMALL = 1 << 20;
  const ROLES = { source: "source", reference: "reference", output: "output of a system", documents: "document names", judgements: "judgements", ignore: "nothing: leave it out" };
  let chosen = []; // { file, path, column, role, name }; role is null where the file says by itself what it is
  drop.hidden = false;
  document.getElementById("plain").remove();

  const fail = (text) => { failure.querySelector("bdi").textContent = text; failure.hidden = !text; if (text) failure.scrollIntoView({ block: "center" }); };

  async function head(file, path) { // the columns of a table, packed or not, and whether people judged there
    const nothing = { columns: [], judgements: false, recognised: [] };
    if (SHEETS.test(path) && file.size > SMALL) return { ...nothing, unread: true };
    try {
      const body = await (SHEETS.test(path) ? file : file.slice(0, 1 << 19)).arrayBuffer();
      return await json(`/api/head?${new URLSearchParams({ name: path })}`, { method: "POST", body });
    } catch (error) { fail(error.message); return nothing; }
  }
  const stem = (path) => path.split("/").pop().replace(/\.(gz|bz2|xz)$/i, "").replace(/\.[^.]*$/, "");

  const same = (a, b) => a.name === b.name && a.size === b.size && a.lastModified === b.lastModified;
  function free(file, path, fresh) { // a file that comes again takes its own place, another of that name a new one
    chosen = chosen.filter((item) => !(item.path === path && same(item.file, file)));
    const taken = new Set([...chosen, ...fresh].map((item) => item.path));
    let place = path;
    for (let k = 2; taken.has(place); k += 1) place = `${k}/${path}`;
    return place;
  }

  async function guess(names) {
    try { return names.length ? await post("/api/guess", { names }) : {}; } catch (error) { fail(error.message); return {}; }
  }

  async function add(files) {
    fail("");
    const fresh = [];
    const shown = files.filter(({ path }) => !/(^|\/)\.[^/]*$/.test(path)); // .DS_Store and its like
    for (const { file, path } of shown) {
      const place = free(file, path, fresh);
      const { columns, judgements, recognised, unread } = TABLE.test(path) ? await head(file, path.split("/").pop()) : { columns: [], judgements: false };
      if (judgements) fresh.push({ file, path: place, column: null, name: stem(path), role: "judgements" });
      else if (unread) fresh.push({ file, path: place, column: null, name: stem(path), unread });
      else if (columns.length > 1 || (columns.length && SHEETS.test(path))) for (const { column, role, name, text } of recognised) fresh.push({ file, path: place, column, role, name, text });
      else fresh.push({ file, path: place, column: null, name: stem(path) });
    }
    chosen.push(...fresh);
    const whole = chosen.some((item) => item.unread || /\.(toml|zip)$/i.test(item.path)) || chosen.every((item) => WHOLE.test(item.path));
    const guessed = await guess([...new Set(fresh.map((item) => item.column ?? item.path))]);
    for (const item of fresh) item.role ??= guessed[item.column ?? item.path] ?? "output";
    for (const item of chosen) item.role = whole ? null : item.role ?? "output";
    show();
  }

  const element = (name, facts = {}, ...inner) => { const made = Object.assign(document.createElement(name), facts); made.append(...inner); return made; };
  const names = document.getElementById("system-names"); // those that can be the baseline
  function suggest() {
    const known = chosen.filter((item) => item.role === "output").map((item) => item.name);
    names.replaceChildren(...[...new Set(known)].map((value) => element("option", { value })));
  }
  function show() {
    suggest();
    list.hidden = chosen.length === 0;
    const columns = chosen.filter((item) => item.column !== null);
    const count = (role) => columns.filter((item) => item.role === role).length;
    const many = (number, one) => `${number} ${one}${number === 1 ? "" : "s"}`;
    recognised.textContent = columns.length === 0 ? "" : `By their names, columns are ${many(count("source"), "source")}, ${many(count("reference"), "reference")} and ${many(count("output"), "system")}; ${count("ignore")} left out. Change what is wrong, then score.`;
    rows.replaceChildren(...chosen.map((item) => {
      const title = element("th", { scope: "row" }, element("bdi", {}, item.path));
      if (item.column !== null) title.append(element("span", { className: "column" }, " : ", element("bdi", {}, item.column)));
      if (item.text) title.append(element("span", { className: "text" }, element("bdi", {}, item.text)));
      const name = element("input", { value: item.name, maxLength: 200 });
      name.setAttribute("aria-label", `Name of the system in ${item.path}`);
      name.hidden = item.role !== "output";
      name.addEventListener("input", () => { item.name = name.value; suggest(); });
      const role = element("select", {}, ...Object.entries(ROLES).map(([value, text]) => element("option", { value, selected: value === item.role }, text)));
      role.setAttribute("aria-label", `What ${item.path} is`);
      role.addEventListener("change", () => { item.role = role.value; show(); rows.querySelectorAll("tr")[chosen.indexOf(item)].querySelector("select").focus(); });
      const remove = element("button", { type: "button" }, "Remove");
      remove.addEventListener("click", () => { chosen = chosen.filter((other) => other !== item); show(); });
      const what = item.role === null ? (item.unread ? "a table: its columns say what they are" : WHOLE.test(item.path) ? "test set" : "as the test set says") : role;
      return element("tr", {}, title, element("td", {}, what), element("td", {}, item.role === null ? "" : name), element("td", { className: "actions" }, remove));
    }));
  }

  function walk(entry, path) { // a folder that was dropped, with its paths
    if (entry.isFile) return new Promise((done, wrong) => { entry.file((file) => done([{ file, path: path + file.name }]), wrong); });
    const reader = entry.createReader();
    const inside = async (found = []) => {
      const some = await new Promise((done, wrong) => { reader.readEntries(done, wrong); });
      return some.length ? inside([...found, ...some]) : found;
    };
    return inside().then((entries) => Promise.all(entries.map((inner) => walk(inner, `${path}${entry.name}/`)))).then((all) => all.flat());
  }
  async function dropped(transfer) {
    const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const files = [...transfer.files].map((file) => ({ file, path: file.name }));
    if (!entries.some((entry) => entry.isDirectory)) return files;
    const found = (await Promise.all(entries.map((entry) => walk(entry, "")))).flat();
    const top = new Set(found.map((item) => item.path.split("/")[0]));
    if (top.size === 1 && entries.length === 1) for (const item of found) item.path = item.path.slice(item.path.indexOf("/") + 1);
    return found;
  }
  for (const kind of ["dragenter", "dragover"]) drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("over"); });
  for (const kind of ["dragleave", "drop"]) drop.addEventListener(kind, () => drop.classList.remove("over"));
  drop.addEventListener("drop", async (event) => {
    event.preventDefault();
    try { await add(await dropped(event.dataTransfer)); } catch (error) { fail(error.message); }
  });
  for (const kind of ["dragover", "drop"]) window.addEventListener(kind, (event) => event.preventDefault()); // beside the zone
  document.getElementById("choose").addEventListener("click", () => picker.click());
  picker.addEventListener("change", async () => { await add([...picker.files].map((file) => ({ file, path: file.name }))); picker.value = ""; });
  document.getElementById("clear").addEventListener("click", () => { chosen = []; show(); });

  // Sending, by XMLHttpRequest: fetch does not say how far an upload is.
  function send(data) {
    return new Promise((done, wrong) => {
      const request = new XMLHttpRequest();
      request.open("POST", "/api/evaluations");
      request.responseType = "json";
      const bar = sending.querySelector("progress");
      request.upload.addEventListener("progress", (event) => {
        if (event.lengthComputable) bar.value = event.loaded / event.total;
        sending.querySelector("span").textContent = event.loaded < event.total ? "sending" : "reading";
      });
      request.addEventListener("load", () => (request.status === 201 ? done(request.response) : wrong(new Error(request.response?.error ?? `the server answered ${request.status}`))));
      request.addEventListener("error", () => wrong(new Error("the upload broke off; is tertium serve still running, and are the files still there?")));
      request.send(data);
    });
  }
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    fail("");
    const files = new Map(chosen.map((item) => [item.path, item.file]));
    if (!files.size) { fail("no file is chosen; drop source, references and outputs, or a test set as one file"); return; }
    const size = [...files.values()].reduce((sum, file) => sum + file.size, 0);
    if (size > Number(form.dataset.limit)) { fail(`${Math.ceil(size / 2 ** 20)} MB; at most ${Number(form.dataset.limit) / 2 ** 20} MB can be sent at a time`); return; }
    if (files.size > Number(form.dataset.files)) { fail(`${files.size} files; at most ${form.dataset.files} can be sent at a time`); return; }
    const data = new FormData(form);
    for (const [path, file] of files) data.append("file", file, path);
    if (chosen.every((item) => item.role !== null)) {
      data.append("roles", JSON.stringify(chosen.map(({ path, column, role, name }) => ({ file: path, column, role, name: role === "output" ? name : null }))));
    }
    const button = form.querySelector("button.main");
    button.disabled = true;
    sending.hidden = false;
    try {
      const entry = await send(data);
      location.assign(`/evaluations/${entry.id}`);
    } catch (error) {
      fail(error.message);
    } finally {
      button.disabled = false;
      sending.hidden = true;
    }
  });
})();
