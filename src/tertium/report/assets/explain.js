"use strict";
// What each metric sees in the sentence that is explained, drawn above its steps.
(async () => {
  const data = document.getElementById("data-explained");
  if (!data) return;
  const { segment, marks: evidence } = await tertium.unpack(data.textContent);
  const { make, marked, shown, plain, BETWEEN } = tertium.drawing;
  const { seen, legend } = tertium.marks({ evidence, make, marked, shown, plain, BETWEEN, open: true });
  for (const box of document.querySelectorAll(".explained")) {
    const metric = Number(box.dataset.metric);
    if (segment.m[metric].o[0]) box.append(make("p", { class: "output" }, ...seen(segment, 0, metric)), make("p", { class: "note legend" }, ...legend(metric)));
  }
  document.documentElement.dataset.ready = "true";
})();
