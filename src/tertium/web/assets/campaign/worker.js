"use strict";
// Shows a rater's pages again while the server is away: their last state here, to which the page adds what was said
// since. Only while the link holds: whoever signs out, comes in by a link or is refused finds nothing of it.
const PAGES = "tertium-pages";
const PATIENCE = 15_000; // time after which a page that is here is shown instead
const KEPT = /^\/(tutorial|batch\/[0-9]+)?$/;
const forget = () => caches.delete(PAGES);

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.mode !== "navigate") return;
  const { pathname } = new URL(request.url);
  if (pathname.startsWith("/r/") || pathname === "/leave") event.waitUntil(forget());
  else if (request.method === "GET" && KEPT.test(pathname)) event.respondWith(answer(request, pathname));
});

async function answer(request, pathname) {
  let found;
  const asked = fetch(request);
  asked.catch(() => {});
  try { found = await Promise.race([asked, late()]); } catch {
    const page = await kept(pathname);
    if (page) return page;
    try { found = await asked; } catch { return Response.error(); }
  }
  if (found.status >= 500) return (await kept(pathname)) ?? found; // a proxy whose server is away
  if (found.status === 401) await forget();
  else await remember(pathname, found);
  return found;
}
function late() { return new Promise((_, reject) => { setTimeout(reject, PATIENCE); }); } // a connection may be cut and nobody told
async function kept(pathname) { return (await caches.open(PAGES)).match(pathname); }
async function remember(pathname, found) {
  try {
    const pages = await caches.open(PAGES);
    if (found.ok) await pages.put(pathname, found.clone()); else await pages.delete(pathname);
  } catch { /* no room: then the page is not there while the server is away */ }
}
