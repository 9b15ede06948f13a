"use strict";
// The file beside a page that does not hold all segments. The reader picks it, because a page from the disk may read none of
// its neighbours by itself; nothing is asked of a network. It is read only if it is, byte by byte, the one written with this page.
tertium.beside = (() => {
  const $ = (id) => document.getElementById(id);
  const BETWEEN = "\u001f"; // before every word of a text but the first
  const number = (value) => value.toLocaleString("en");
  const say = (text) => { $("beside-said").textContent = text; };
  const short = (digest) => `${digest.slice(0, 12)}…`;
  let known = null; // name, size, digest

  function cut([text, tokens]) { // as the page's own texts are: without marks where tokens are not what the text says
    const plain = text.replaceAll(BETWEEN, "␟");
    if (tokens === undefined) return plain;
    const parts = [];
    let place = 0;
    for (const token of (tokens === 0 ? text : tokens).split(" ")) {
      const start = token === "" ? -1 : plain.indexOf(token, place);
      if (start < 0 || plain.slice(place, start).trim()) return plain;
      parts.push(plain.slice(place, start + token.length));
      place = start + token.length;
    }
    return parts.join(BETWEEN) + plain.slice(place);
  }

  async function* lines(bytes) {
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")).pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const found = (rest + value).split("\n");
      rest = found.pop();
      yield* found;
    }
  }

  async function read(bytes) { // columns as the page has them, and texts
    let [columns, words, texts, total] = [null, undefined, [], 0];
    const add = (list, more) => { for (const value of more ?? []) list?.push(value); };
    for await (const line of lines(bytes)) {
      const block = JSON.parse(line);
      if (!total) { [total, words] = [block.segments, block.words]; continue; }
      const { texts: said, ...numbers } = block;
      for (const { r, o, ...rest } of said) texts.push({ ...rest, r: r.map(cut), o: o.map((each) => (each === null ? null : cut(each))) });
      if (!columns) columns = numbers;
      else {
        add(columns.ids, block.ids);
        add(columns.documents, block.documents);
        add(columns.lengths, block.lengths);
        for (const [name, values] of Object.entries(block.labels)) add(columns.labels[name], values);
        for (const kind of ["scores", "benefits", "people", "times"]) block[kind]?.forEach((by, m) => by.forEach((list, s) => add(columns[kind][m][s], list)));
      }
      if (texts.length % 5000 < 500) say(`Reading: ${number(texts.length)} of ${number(total)} segments`);
      await new Promise((resolve) => setTimeout(resolve)); // a reader may scroll meanwhile
    }
    if (texts.length !== total) throw new Error("segments are missing");
    return [words ? { ...columns, words } : columns, texts];
  }

  async function digest(bytes) {
    const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    return [...sum].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  async function taken(file) { // why the file is not this page's; nothing where it was
    if (file.size !== known.size) return `${file.name} does not belong to this page: it has ${number(file.size)} bytes, and ${known.name}, which was written with the page, has ${number(known.size)}.`;
    const bytes = await file.arrayBuffer();
    const found = await digest(bytes);
    if (found !== known.digest) return `${file.name} belongs to another report, or was changed: its SHA-256 begins with ${short(found)}, and that of ${known.name}, which was written with the page, with ${short(known.digest)}.`;
    const [columns, texts] = await read(bytes);
    tertium.holdAll(columns, texts);
    $("beside-file").disabled = true;
    say(`All ${number(texts.length)} segments are open. What metrics mark is shown for those that the page holds itself.`);
    return "";
  }

  async function open(file) {
    if (!globalThis.crypto?.subtle) { say("Here this browser does not let a page check a file. Open the page from the disk."); return; }
    say("Reading");
    try {
      const why = await taken(file);
      if (why) say(`${why} Nothing of it was used.`);
    } catch (error) {
      say(`${file.name} cannot be read (${error.message}). Nothing of it was used.`);
    }
  }

  const whole = $("beside");
  whole.hidden = false;
  const packed = $("data-beside");
  if (!packed) {
    $("beside-file").parentElement.hidden = true;
    $("beside-name").textContent = "Save the report as a file to have the other segments beside it.";
  } else tertium.unpack(packed.textContent).then((facts) => {
    known = facts;
    $("beside-name").textContent = `All segments are in ${known.name}, which was written beside this page.`;
    $("beside-file").addEventListener("change", () => { const [file] = $("beside-file").files; if (file) open(file); });
    whole.dataset.ready = "true";
  });
  return { elsewhere: packed ? "Open the file beside it, above, which has all segments." : "A report that is saved as a file has all segments beside it." };
})();
