"use strict";
// Charts are drawn when they come near, the rest when there is nothing else to do, and all that are left before printing.
// Colours are the page's variables: changing them redraws nothing.
(() => {
  const ready = new Promise((resolve) => document.addEventListener("vega", resolve, { once: true }));
  const SANS = "Inter, 'Source Sans 3', 'Segoe UI', 'Helvetica Neue', 'Liberation Sans', Arial, system-ui, sans-serif";
  const CONFIG = {
    aria: false, // the figure has words of its own; a name for each of thousands of marks would take a second
    background: null, font: SANS, padding: { left: 2, right: 8, top: 4, bottom: 2 },
    view: { stroke: null },
    axis: { domain: false, ticks: false, labelColor: "var(--soft)", titleColor: "var(--soft)", gridColor: "var(--faint)",
      labelFontSize: 12, titleFontSize: 12, titleFontWeight: 400, labelPadding: 6, titlePadding: 8, labelLimit: 170 },
    axisY: { titleAngle: 0, titleAlign: "left", titleY: -10, titleX: 0 },
    header: { labelColor: "var(--ink)", titleColor: "var(--soft)", labelFontSize: 12 },
    legend: { labelColor: "var(--ink)", titleColor: "var(--soft)", labelFontSize: 12, titleFontSize: 12, titleFontWeight: 400,
      orient: "top", offset: 24, symbolStrokeWidth: 2, labelLimit: 200 },
    title: { color: "var(--ink)", anchor: "start", fontSize: 13, fontWeight: 600, offset: 8 },
    text: { color: "var(--ink)", fontSize: 12 }, point: { color: "var(--lead)", filled: true, size: 60, opacity: 1 },
    line: { color: "var(--lead)", strokeWidth: 2 }, bar: { color: "var(--lead)" }, rule: { color: "var(--lead)" },
    rect: { color: "var(--lead)" }, tick: { color: "var(--lead)", thickness: 2 }, area: { color: "var(--lead)" }, circle: { color: "var(--lead)" },
    range: { category: [1, 2, 3, 4, 5, 6, 7, 8].map((k) => `var(--s${k})`) },
  };

  const tooltip = document.getElementById("tooltip");
  function point(handler, event, item, value) {
    if (value === null || value === undefined || value === "") { tooltip.hidden = true; return; }
    tooltip.textContent = typeof value === "object" ? Object.entries(value).map(([key, text]) => `${key}: ${text}`).join("\n") : String(value);
    tooltip.hidden = false;
    const box = tooltip.getBoundingClientRect();
    tooltip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8))}px`;
    tooltip.style.top = `${event.clientY + 18 + box.height > innerHeight ? event.clientY - box.height - 10 : event.clientY + 18}px`;
  }
  addEventListener("scroll", () => { tooltip.hidden = true; }, { passive: true });

  const charts = new Map(); // figure -> {specs, view, data}
  const pair = { first: "", second: "" }; // the systems that the reader chose: parameters of the charts that show them
  async function draw(figure) {
    const chart = charts.get(figure);
    chart.asked = true;
    chart.specs ??= await tertium.unpack(figure.querySelector("script").textContent);
    await ready;
    const plot = figure.querySelector(".plot");
    const select = figure.querySelector(":scope > .choose select");
    const spec = structuredClone(chart.specs[select ? select.selectedIndex : 0]);
    if (chart.data) spec.datasets = { ...spec.datasets, ...chart.data };
    for (const each of spec.params ?? []) if (pair[each.name]) each.value = pair[each.name];
    if (spec.width === "container" && !plot.clientWidth) { // folded: as wide as it will be, about
      const whole = document.querySelector(".sections").clientWidth;
      Object.assign(spec, { width: Math.max(200, figure.classList.contains("half") && whole > 600 ? whole / 2 - 20 : whole), autosize: { type: "fit-x", contains: "padding" } });
      chart.folded = true;
    } else chart.folded = false;
    chart.view?.finalize();
    const { view } = await vegaEmbed(plot, spec, { actions: false, defaultStyle: false, renderer: "svg", ast: true, config: CONFIG, tooltip: point,
      loader: { load: () => Promise.reject(new Error("charts load nothing")) } });
    chart.view = view;
    plot.setAttribute("role", "img"); // Vega puts its own words there, which say nothing
    plot.setAttribute("aria-label", chart.words);
    plot.removeAttribute("aria-roledescription");
    chart.follows = (spec.params ?? []).some((each) => each.name in pair);
    view.addEventListener("click", (_, item) => { if (item?.datum?.href && leads(item)) tertium.go(item.datum.href, plot); });
    reach(plot);
    figure.dataset.drawn = "true";
    if ([...charts.keys()].every((each) => each.dataset.drawn || each.hidden)) settle();
  }

  // Marks whose row has an `href` lead to their segments: by a click, or by Tab into the figure, arrows and Enter. One mark
  // of a figure can be reached by Tab, the one that was looked at last; it alone needs a name.
  const leads = (item) => item.mark?.marktype !== "line"; // a line has the row of its first point
  const linked = (plot) => [...plot.querySelectorAll("svg path, svg text")].filter((each) => each.__data__?.datum?.href && each.__data__.opacity !== 0 && leads(each.__data__));
  const told = (item) => { const text = item.tooltip ?? item.datum.href; return typeof text === "object" ? Object.entries(text).map(([key, value]) => `${key} ${value}`).join(", ") : String(text); };
  const stands = new Map(); // plot -> that mark
  function stand(plot, mark) {
    for (const name of ["tabindex", "role", "aria-label"]) stands.get(plot)?.removeAttribute(name);
    stands.set(plot, mark);
    mark.setAttribute("tabindex", "0");
    mark.setAttribute("role", "link");
    mark.setAttribute("aria-label", `Segments: ${told(mark.__data__)}`);
  }
  function reach(plot) {
    const svg = plot.querySelector("svg");
    const marks = linked(plot);
    plot.classList.toggle("linked", marks.length > 0);
    if (!marks.length) { svg.setAttribute("aria-hidden", "true"); return; } // its marks have roles, but no names
    plot.setAttribute("role", "group");
    for (const each of svg.querySelectorAll("[class*=role-axis], [class*=role-legend], [class*=role-title]")) each.setAttribute("aria-hidden", "true");
    for (const each of svg.querySelectorAll("[role]")) if (each !== stands.get(plot)) for (const name of ["role", "aria-roledescription"]) each.removeAttribute(name);
    for (const mark of marks) mark.classList.add("mark-link");
    if (!marks.includes(stands.get(plot))) stand(plot, marks[0]);
  }
  const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  function next(plot, direction) { // the nearest mark in a direction
    const centre = (each) => { const box = each.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; };
    const from = centre(stands.get(plot));
    let [best, least] = [null, Infinity];
    for (const each of linked(plot)) {
      const [dx, dy] = centre(each).map((value, k) => value - from[k]);
      const [along, aside] = [dx * direction[0] + dy * direction[1], Math.abs(dx * direction[1]) + Math.abs(dy * direction[0])];
      if (along > 0.5 && along + 4 * aside < least) [best, least] = [each, along + 4 * aside];
    }
    return best;
  }
  document.addEventListener("keydown", (event) => {
    const plot = event.target.closest?.(".plot.linked");
    if (!plot || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter") tertium.go(event.target.__data__.datum.href, plot);
    else if (event.key === "Home" || event.key === "End") stand(plot, linked(plot).at(event.key === "Home" ? 0 : -1));
    else if (DIRECTIONS[event.key]) { const mark = next(plot, DIRECTIONS[event.key]); if (mark) stand(plot, mark); } else return;
    event.preventDefault();
    if (event.key !== "Enter") stands.get(plot).focus();
  });
  document.addEventListener("focusin", (event) => {
    if (!event.target.closest?.(".plot.linked") || !event.target.matches(":focus-visible")) return;
    const box = event.target.getBoundingClientRect();
    point(null, { clientX: box.left, clientY: box.bottom }, null, event.target.__data__?.tooltip);
  });
  document.addEventListener("focusout", (event) => { if (event.target.closest?.(".plot.linked")) tooltip.hidden = true; });

  // A link into the page goes on leading to its place while charts above are drawn, until the reader goes elsewhere.
  const root = document.documentElement;
  const hold = { on: true, top: 0, height: 0 };
  const target = tertium.place;
  function keep() {
    const place = hold.on && target();
    if (!place || place.hidden) return;
    place.scrollIntoView();
    [hold.top, hold.height] = [place.getBoundingClientRect().top, root.scrollHeight];
  }
  const leave = () => { hold.on = false; };
  const moved = () => { // the page is as high as it was: so it was the reader
    if (hold.height === root.scrollHeight && Math.abs(target()?.getBoundingClientRect().top - hold.top) > 2) leave();
  };
  const grown = new ResizeObserver(keep);
  const follow = () => { hold.on = true; keep(); };
  function settle() {
    keep();
    grown.disconnect();
    for (const kind of ["wheel", "touchmove", "keydown", "pointerdown"]) removeEventListener(kind, leave);
    removeEventListener("scroll", moved);
    removeEventListener("hashchange", follow);
    root.style.removeProperty("scroll-behavior");
  }
  root.style.scrollBehavior = "auto"; // what moves slowly does not know that its aim moves too
  for (const kind of ["wheel", "touchmove", "keydown", "pointerdown"]) addEventListener(kind, leave, { passive: true });
  addEventListener("scroll", moved, { passive: true });
  addEventListener("hashchange", follow);
  grown.observe(document.querySelector("main"));

  const near = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) { near.unobserve(entry.target); if (!charts.get(entry.target).asked) draw(entry.target); }
  }, { rootMargin: "600px 0px" });
  for (const figure of document.querySelectorAll("figure.chart")) {
    const plot = figure.querySelector(".plot");
    charts.set(figure, { words: plot.getAttribute("aria-label") });
    // its place is kept, so that nothing moves when it is drawn
    plot.style.minHeight = `${plot.dataset.height}px`;
    if (!figure.dataset.name) near.observe(figure); // one with a name waits for its script
    figure.querySelector(":scope > .choose select")?.addEventListener("change", () => draw(figure));
  }
  for (const fold of document.querySelectorAll("main details")) fold.addEventListener("toggle", () => {
    if (fold.open) for (const figure of fold.querySelectorAll("figure.chart")) if (charts.get(figure).folded && !figure.closest("details:not([open])")) draw(figure);
  });
  const idle = window.requestIdleCallback ?? ((work) => setTimeout(work, 50));
  const rest = () => {
    const figure = [...charts.keys()].find((each) => !charts.get(each).asked && !each.dataset.name);
    if (figure) draw(figure).finally(() => idle(rest));
  };
  ready.then(() => setTimeout(() => idle(rest), 500));
  // Paper does not wait: before it, only promises are kept. So no chart may have anything left to unpack.
  ready.then(async () => {
    for (const [figure, chart] of charts) chart.specs ??= await tertium.unpack(figure.querySelector("script").textContent);
    root.dataset.printable = "true";
  });
  addEventListener("beforeprint", () => {
    for (const [figure, chart] of charts) if (!chart.asked && !figure.dataset.name) draw(figure);
  });

  // Files: the same picture with its colours written out.
  function colours(text) {
    const probe = document.createElement("span");
    document.body.append(probe);
    const known = text.replace(/var\((--\w+)\)/g, (_, name) => { probe.style.color = `var(${name})`; return getComputedStyle(probe).color; });
    probe.remove();
    return known;
  }
  function save(url, name) {
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
  }
  function whole(hero) { // names, scores and panels as one picture
    const [row, top] = [Number(hero.dataset.row), Number(hero.dataset.top)];
    const names = [...hero.querySelectorAll(".sys")].map((each) => each.textContent);
    const panels = [...hero.querySelectorAll(".hero-panel")];
    const NS = panels[0].querySelector("svg").namespaceURI;
    const [left, wide, score] = [170, 230, 48];
    const height = 22 + top + row * names.length + 8;
    const make = (tag, attributes, text = "") => { const each = document.createElementNS(NS, tag); for (const [key, value] of Object.entries(attributes)) each.setAttribute(key, value); each.textContent = text; return each; };
    const svg = make("svg", { xmlns: NS, width: left + panels.length * wide, height, "font-family": SANS, "font-size": 13 });
    names.forEach((name, k) => svg.append(make("text", { x: 4, y: 22 + top + row * (k + 0.5) + 4, fill: "var(--ink)" }, name)));
    panels.forEach((panel, p) => {
      const x = left + p * wide;
      svg.append(make("text", { x, y: 15, "font-weight": 600, fill: "var(--ink)" }, panel.querySelector(".head").textContent.trim()));
      panel.querySelectorAll(".sc").forEach((each, k) => svg.append(make("text", { x: x + score - 8, y: 22 + top + row * (k + 0.5) + 4, "text-anchor": "end", fill: "var(--soft)" }, each.textContent)));
      const drawn = panel.querySelector("svg").cloneNode(true);
      for (const [key, value] of Object.entries({ x: x + score, y: 22, width: wide - score - 18 })) drawn.setAttribute(key, value);
      svg.append(drawn);
    });
    return new XMLSerializer().serializeToString(svg);
  }
  document.addEventListener("click", async (event) => {
    const form = event.target.closest("button")?.dataset.hero;
    if (form) file(whole(document.getElementById("hero")), form, "verdict");
  });
  document.addEventListener("click", async (event) => {
    const form = event.target.closest("button")?.dataset.save;
    if (!form) return;
    const figure = event.target.closest("figure");
    if (!charts.get(figure).view) await draw(figure);
    const view = charts.get(figure).view;
    file(await view.toSVG(), form, figure.id);
  });
  function file(picture, form, name) {
    const paper = getComputedStyle(document.body).backgroundColor; // letters of a dark page need it
    const text = colours(picture).replace(/^<svg[^>]*>/, (start) => `${start}<rect width="100%" height="100%" fill="${paper}"/>`);
    const svg = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
    if (form === "svg") { save(svg, `${name}.svg`); return; }
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [image.width * 3, image.height * 3];
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(URL.createObjectURL(blob), `${name}.png`));
    };
    image.src = svg;
  }

  if (!document.getElementById("browser")) document.documentElement.dataset.ready = "true"; // else its script says so

  const named = (name) => document.querySelector(`figure[data-name="${name}"]`);
  function choose(names) {
    Object.assign(pair, names);
    for (const [figure, { view, follows }] of charts) if (view && follows) {
      for (const [name, value] of Object.entries(pair)) view.signal(name, value);
      view.runAsync().then(() => reach(figure.querySelector(".plot")));
    }
  }
  window.tertium.charts = { choose, show(name, data) { const figure = named(name); charts.get(figure).data = data; return draw(figure); } };
})();
