"use strict";
// What every page can do: change its colours, copy and sort its tables. Everything is optional; words stand without it.
(() => {
  const root = document.documentElement;
  root.classList.add("js");

  // Colours: as the system has them, until the reader says otherwise.
  const THEMES = ["system", "light", "dark"];
  const button = document.getElementById("theme");
  const remember = (name, value) => { try { localStorage.setItem(`tertium-${name}`, value); } catch { /* a frame without storage */ } };
  const remembered = (name) => { try { return localStorage.getItem(`tertium-${name}`); } catch { return null; } };
  function wear(theme) {
    if (theme === "system") delete root.dataset.theme; else root.dataset.theme = theme;
    button.querySelector("span").textContent = theme;
  }
  button.hidden = false;
  wear(THEMES.includes(remembered("theme")) ? remembered("theme") : "system");
  button.addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(root.dataset.theme ?? "system") + 1) % THEMES.length];
    wear(next);
    remember("theme", next);
  });

  // Copying.
  const toast = document.getElementById("toast");
  let fading = 0;
  function say(text) {
    toast.textContent = text;
    toast.classList.add("on");
    clearTimeout(fading);
    fading = setTimeout(() => toast.classList.remove("on"), 1800);
  }
  async function copy(text, what) {
    try {
      await navigator.clipboard.writeText(text);
    } catch { // from file:// and in frames the clipboard may be refused
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    say(`${what} copied`);
  }
  function grid(table) { // texts as they are shown, and exact values where there are any
    return [...table.rows].map((row) => Object.assign([...row.cells].map((cell) => ({
      text: (cell.querySelector("code") ?? cell).textContent.trim(),
      value: cell.dataset.value,
    })), { rule: row.classList.contains("rule") }));
  }
  const LATEX = { "\\": "\\textbackslash{}", "_": "\\_", "&": "\\&", "%": "\\%", "#": "\\#", "$": "\\$", "{": "\\{", "}": "\\}",
    "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "`": "\\textasciigrave{}", "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}",
    "↓": "$\\downarrow$", "↑": "$\\uparrow$", "→": "$\\rightarrow$", "←": "$\\leftarrow$", "≤": "$\\leq$", "≥": "$\\geq$", "−": "$-$",
    "×": "$\\times$", "\"": "\\symbol{34}", "±": "$\\pm$", "·": "$\\cdot$", "◆": "$\\diamond$", "–": "--", "—": "---", "…": "\\ldots{}" };
  const KNOWN = new RegExp(`[${Object.keys(LATEX).map((c) => (/[\\^]/.test(c) ? `\\${c}` : c)).join("")}]`, "gu");
  // What pdfLaTeX knows in the encoding T1; fonts for the rest are the writer's to choose.
  const T1 = /^[\0-\u0125\u0128-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u0165\u0168-\u017e‘’‚“”„‹›†‡•€™]*$/;
  const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;
  function needs(text) { // said above the table
    const lines = ["% \\usepackage{booktabs}"];
    if (/^[\0-\x7f]*$/.test(text)) return lines;
    if (T1.test(text)) return [...lines, "% \\usepackage[T1]{fontenc}"];
    lines.push("% with LuaLaTeX: \\usepackage{fontspec} \\setmainfont{a font that has all these letters}");
    return RIGHT_TO_LEFT.test(text) ? [...lines, "% \\usepackage[english,bidi=basic]{babel}"] : lines;
  }
  const flat = (text) => text.replace(/\s+/g, " ");
  const FORMS = {
    latex(rows, left) {
      const text = (cell, k) => flat(cell.text).replace(/([-,'])(?=\1)/g, "$1\0").replace(KNOWN, (c) => LATEX[c]).replaceAll("\0", "\\/") // else two are drawn as one
        .replace(k < left ? /$^/ : /(?<![\w-])-(?=[\d.])/g, "$$-$$"); // a minus before a number
      const start = (line) => (/^[[*]/.test(line) ? `{}${line}` : line); // else the command before takes it for its own
      const lines = rows.map((row) => (row.rule ? "\\midrule\n" : "") + start(row.map(text).join(" & ")) + " \\\\");
      const columns = "l".repeat(left) + "r".repeat(rows[0].length - left);
      return [...needs(lines.join("")), "\\begin{tabular}{" + columns + "}", "\\toprule", lines[0], "\\midrule", ...lines.slice(1), "\\bottomrule", "\\end{tabular}"].join("\n");
    },
    markdown(rows, left) {
      const line = (cells) => `| ${cells.join(" | ")} |`;
      const lines = rows.map((row) => line(row.map((cell) => flat(cell.text).replace(/[\\|<_*`&~$]|\](?=[([])/g, "\\$&"))));
      return [lines[0], line(rows[0].map((_, k) => (k < left ? ":--" : "--:"))), ...lines.slice(1)].join("\n");
    },
    csv(rows) {
      const quote = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
      const safe = (text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text); // a spreadsheet would compute it
      const plain = ({ text, value }) => value ?? (text === "–" ? "" : safe(text));
      const more = rows[0].map((_, k) => besides(rows.slice(1).map((row) => row[k])));
      const spread = (row, at) => row.flatMap((cell, k) => [plain(cell), ...more[k].map(([name, of]) => (at ? of(cell) : safe(`${cell.text} ${name}`)))]);
      return rows.map((row, at) => spread(row, at).map(quote).join(",")).join("\n");
    },
  };
  function besides(cells) { // what cells say besides their value, as further columns: ends of an interval, marks, parts
    const found = (cell, pattern) => (cell.value === undefined ? "" : cell.text.match(pattern)?.[1] ?? "");
    const kinds = [["low", /\[([^,\]]+), /], ["high", /\[[^,\]]+, ([^,\]]+)\]/], ["stars", / (\*+)$/], ["mark", / (◆)$/], ["agreeing", /^(\d+)\/\d+$/]];
    const last = (cell) => found(cell, /^\d+-(\d+)$/) || cell.value; // of ranks such as 2-4
    const columns = kinds.map(([name, pattern]) => [name, (cell) => found(cell, pattern)]).filter(([, of]) => cells.some(of));
    return cells.some((cell) => last(cell) !== cell.value) ? [["last", last], ...columns] : columns;
  }
  const NAMES = { latex: "LaTeX", markdown: "Markdown", csv: "CSV" };

  // Sorting: by exact values, what is absent last.
  function sort(head) {
    const table = head.closest("table");
    const column = head.cellIndex;
    const down = head.getAttribute("aria-sort") !== "descending" && (head.classList.contains("number") || head.ariaSort === "ascending");
    const key = (row) => {
      const cell = row.cells[column];
      if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
      const text = cell.textContent.trim();
      return text === "–" || text === "" ? null : text;
    };
    const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [key(row), row]);
    rows.sort(([a], [b]) => (a === null) - (b === null) || (down ? -1 : 1) * (a === null ? 0 : compare(a, b)));
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const shown = Number(table.dataset.shown ?? Infinity);
    rows.forEach(([, row], k) => { row.classList.toggle("more", k >= shown); row.classList.remove("rule"); }); // lines are of the first order
    body.append(...rows.map(([, row]) => row));
  }

  // Rows that are not shown at first are packed where they are many: who needs all of them waits for these.
  const unpacking = new WeakMap();
  function complete(table) {
    const packed = table.closest(".table")?.querySelector("script.rows");
    if (!packed) return Promise.resolve();
    if (!unpacking.has(table)) unpacking.set(table, unpack(packed.textContent).then((rows) => {
      table.tBodies[0].insertAdjacentHTML("beforeend", rows);
      packed.remove();
      table.dispatchEvent(new Event("complete", { bubbles: true }));
    }));
    return unpacking.get(table);
  }

  document.addEventListener("click", async (event) => {
    const target = event.target.closest("button");
    if (!target) return;
    if (target.matches(".sort, .all, [data-copy]")) await complete((target.closest("table") ?? target.closest(".table").querySelector("table")));
    if (target.classList.contains("sort")) sort(target.closest("th"));
    else if (target.dataset.copy) {
      const table = target.closest(".table").querySelector("table");
      copy(FORMS[target.dataset.copy](grid(table), Number(table.dataset.left)), NAMES[target.dataset.copy]);
    } else if (target.classList.contains("copy-code")) copy(target.parentElement.querySelector("code, pre").textContent, "Text");
    else if (target.classList.contains("all")) {
      const open = target.closest(".table").classList.toggle("open");
      target.dataset.label ??= target.textContent;
      target.textContent = open ? "Show fewer rows" : target.dataset.label;
    }
  });

  // Where in the page the reader is.
  const links = new Map([...document.querySelectorAll(".contents a")].map((link) => [link.hash.slice(1), link]));
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) {
      for (const link of links.values()) link.removeAttribute("aria-current");
      links.get(entry.target.id)?.setAttribute("aria-current", "true");
    }
  }, { rootMargin: "-15% 0px -75% 0px" });
  for (const section of document.querySelectorAll("main section[id]")) watcher.observe(section);
  if (matchMedia("(max-width: 60rem)").matches) for (const contents of document.querySelectorAll(".contents details")) contents.open = false;

  // A link to something that is folded opens it.
  // #segments?found=number and #segment-12 lead to the segment browser.
  const place = () => document.getElementById(/^#segment(-\d+$|s\?)/.test(location.hash) ? "browser" : location.hash.slice(1));
  function unfold() {
    const aim = place();
    const whole = aim?.querySelector(":scope > details.whole");
    if (whole) whole.open = true;
    for (let at = aim?.parentElement; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  }
  addEventListener("hashchange", unfold);
  unfold();

  // More about what is pointed at, focused or touched.
  const tip = document.getElementById("tooltip");
  const told = (target) => target.closest?.("[data-tip], [data-more]");
  function tell(event, place) {
    const about = told(event.target);
    if (!about) return;
    tip.textContent = about.dataset.tip ?? about.dataset.more;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const [x, y] = place ?? [about.getBoundingClientRect().left, about.getBoundingClientRect().bottom - 12];
    tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 8))}px`;
    tip.style.top = `${y + 18 + box.height > innerHeight ? y - box.height - 24 : y + 18}px`;
  }
  if (tip) {
    document.addEventListener("pointermove", (event) => { if (told(event.target)) tell(event, [event.clientX, event.clientY]); });
    document.addEventListener("pointerout", (event) => { if (told(event.target)) tip.hidden = true; });
    document.addEventListener("focusin", (event) => { if (event.target.matches("[data-more]")) tell(event); });
    document.addEventListener("focusout", (event) => { if (told(event.target)) tip.hidden = true; });
    document.addEventListener("click", (event) => { if (told(event.target)) tell(event, [event.clientX, event.clientY]); });
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });
    addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });
  }

  // Where not all panels of the first chart can be seen, buttons name them and lead to each.
  const first = document.getElementById("hero");
  if (first) {
    const [choice, scroll] = [first.querySelector(".panel-choice"), first.querySelector(".hero-scroll")];
    const panels = [...first.querySelectorAll(".hero-panel")];
    const buttons = panels.map((panel, k) => {
      const each = document.createElement("button");
      each.type = "button";
      each.textContent = panel.querySelector(".head").textContent.trim();
      each.setAttribute("aria-pressed", String(k === 0));
      each.addEventListener("click", () => scroll.scrollTo({ left: panel.offsetLeft - panels[0].offsetLeft }));
      return each;
    });
    choice.append(...buttons);
    new ResizeObserver(() => { choice.hidden = scroll.scrollWidth <= scroll.clientWidth + 4; }).observe(scroll);
    scroll.addEventListener("scroll", () => {
      const left = panels.map((panel) => Math.abs(panel.offsetLeft - panels[0].offsetLeft - scroll.scrollLeft));
      const at = left.indexOf(Math.min(...left));
      buttons.forEach((each, k) => each.setAttribute("aria-pressed", String(k === at)));
    }, { passive: true });
  }

  // On paper nothing can be opened.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("main details:not([open])")];
    for (const each of closed) each.open = true;
  });
  addEventListener("afterprint", () => { for (const each of closed) each.open = false; });

  // Links to segments (#segments?found=number&of=atlas), of tables and of charts. The segment browser follows them; a page
  // without it does not make any.
  const go = (href, from) => window.tertium.follow?.(href, from);
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="#segments?"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || !window.tertium.follow) return;
    event.preventDefault();
    go(link.getAttribute("href"), link);
  });

  // Data of other scripts.
  async function unpack(packed) {
    const text = atob(packed);
    const bytes = new Uint8Array(text.length);
    for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }
  // In a sentence, what is written from right to left would take the numbers after it along.
  const isolated = (name) => (RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name);
  window.tertium = { copy, say, isolated, go, place, unpack, remember, remembered };
  if (!document.querySelector("figure.chart, #browser")) root.dataset.ready = "true"; // else their scripts say so
})();
