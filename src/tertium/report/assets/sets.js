"use strict";
// Several test sets: the segment browser shows the one that the address names (?set=2). Its data take the names under which
// the other scripts look for them, so this runs before those.
(() => {
  const links = [...document.querySelectorAll("#sets-shown [data-chosen]")];
  const known = links.map((link) => link.dataset.chosen);
  const asked = new URLSearchParams(location.search).get("set");
  const chosen = known.includes(asked) ? asked : known[0];
  for (const name of ["numbers", "texts"]) document.getElementById(`data-${name}-${chosen}`).id = `data-${name}`;
  for (const link of links) if (link.dataset.chosen === chosen) link.setAttribute("aria-current", "true");

  const framed = location.protocol === "about:"; // a notebook's frame has no address of its own
  if (framed) for (const link of links) if (link.dataset.chosen !== chosen) link.replaceWith(...link.childNodes);

  // What leads to segments from the part of another test set leads to that one's.
  const other = (from) => { const own = from?.closest("[data-set]")?.dataset.set; return own && own !== chosen && known.includes(own) ? own : null; };
  for (const link of document.querySelectorAll('[data-set] a[href^="#segment"]')) {
    const own = other(link);
    if (own) link.setAttribute("href", `?set=${own}${link.getAttribute("href")}`);
  }
  const { go } = tertium;
  if (go) tertium.go = (href, from) => { const own = other(from); if (own && !framed) location.assign(`?set=${own}${href}`); else if (!own) go(href, from); };
})();
