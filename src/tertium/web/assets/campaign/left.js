"use strict";
// Signed out: what is left of the rater in this browser goes. What others keep here stays.
(() => {
  const { who } = document.getElementById("state").dataset;
  try {
    const all = Array.from({ length: localStorage.length }, (_, k) => localStorage.key(k));
    for (const key of all) if (key.startsWith(`tertium|${who}|`) || key.startsWith(`tertium-refused|${who}|`)) localStorage.removeItem(key);
  } catch { /* nothing is kept */ }
  const done = () => { document.documentElement.dataset.left = ""; };
  if (globalThis.caches) caches.delete("tertium-pages").then(done, done); else done();
})();
