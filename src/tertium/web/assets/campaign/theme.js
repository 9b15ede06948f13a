"use strict";
// Colours: as the system has them, until the reader says otherwise. The name of the setting is the workbench's.
(() => {
  const THEMES = ["system", "light", "dark"];
  const root = document.documentElement;
  const button = document.getElementById("theme");
  let theme = "system";
  try { theme = localStorage.getItem("tertium-theme") ?? theme; } catch { /* no storage */ }
  const wear = () => { if (theme === "light" || theme === "dark") root.dataset.theme = theme; else delete root.dataset.theme; };
  wear();
  button.hidden = false;
  button.addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    wear();
    try { localStorage.setItem("tertium-theme", theme); } catch { /* no storage */ }
  });
})();
