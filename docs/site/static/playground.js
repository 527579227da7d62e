// The page of the playground: an editor, the findings in it, and what the fixes change.

(async () => {
  const root = document.getElementById("bench");
  const find = (selector) => root.querySelector(selector);
  const code = find("textarea");
  const drawn = find(".editor pre");
  const state = find(".state");
  const unsafe = find("input[name=unsafe]");
  const apply = find("button[name=apply]");
  const examples = find("select");

  const settingsAt = new URL(root.dataset.settings, location.href);
  let settings, worker;
  try {
    settings = await (await fetch(settingsAt)).json();
    worker = new Worker(new URL(root.dataset.worker, location.href), { type: "module" });
  } catch (error) {
    state.textContent = "The playground needs a web server: run `python -m http.server` in the folder of this site.";
    return;
  }

  const base = new URL(settings.pyodide, settingsAt);
  const elsewhere = base.origin !== location.origin;
  document.getElementById("python-from").textContent = elsewhere ? base.host : "this site";

  let asked = 0;
  let last = null;
  let running = false;

  // ---- the text ----------------------------------------------------------------------------------------------------

  for (const [name, text] of Object.entries(settings.examples)) {
    const option = document.createElement("option");
    option.value = option.textContent = name;
    option.dataset.text = text;
    examples.append(option);
  }

  function firstText() {
    const hash = new URLSearchParams(location.hash.slice(1));
    if (hash.has("code")) return decode(hash.get("code"));
    const name = hash.get("example");
    const option = [...examples.options].find((one) => one.value === name || one.value.endsWith(`(${name})`));
    (option ?? examples.options[0]).selected = true;
    return (option ?? examples.options[0]).dataset.text;
  }

  function encode(text) {
    return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
  }

  function decode(text) {
    try {
      return new TextDecoder().decode(Uint8Array.from(atob(text), (one) => one.charCodeAt(0)));
    } catch {
      return "# The address of this page holds no code that can be read.\n";
    }
  }

  // Offset of a row and a column, which count from 1 and, in columns, characters.
  function offset({ row, column }) {
    const lines = code.value.split("\n");
    const before = lines.slice(0, row - 1).reduce((sum, line) => sum + line.length + 1, 0);
    return before + [...(lines[row - 1] ?? "")].slice(0, column - 1).join("").length;
  }

  // ---- asking ------------------------------------------------------------------------------------------------------

  let waiting = null;
  function changed() {
    clearTimeout(waiting);
    draw([]);
    // These findings and fixes are of the text before.
    find(".answers").inert = apply.disabled = true;
    waiting = setTimeout(ask, 250);
  }

  function ask() {
    if (!running) return;
    asked += 1;
    state.textContent = "Checking ...";
    worker.postMessage({ kind: "check", id: asked, text: code.value, unsafe: unsafe.checked });
  }

  worker.onmessage = ({ data }) => {
    if (data.kind === "progress") state.textContent = data.text;
    if (data.kind === "ready") {
      running = true;
      ask();
    }
    if (data.kind === "failed") failed(data);
    if (data.kind === "answer" && data.id === asked) show(data);
  };
  worker.onerror = () => failed({ text: "the worker could not be started" });

  function failed({ text }) {
    const needs = elsewhere
      ? `The playground needs ${base.host}, or a site built with --without-cdn.`
      : "This site should hold it, below _static/pyodide.";
    state.textContent = running
      ? `This text could not be checked: ${text}`
      : `Python could not be loaded from ${base.href} (${text}). ${needs} In a terminal, hybridlint check does the same.`;
  }

  // ---- showing -----------------------------------------------------------------------------------------------------

  function show(answer) {
    last = answer;
    find(".answers").inert = false;
    const findings = answer.frames.flatMap((frame) => frame.findings);
    const count = findings.length;
    state.textContent = answer.failure ?? (count === 0 ? "Nothing found" : count === 1 ? "1 finding" : `${count} findings`);
    find(".findings").replaceChildren(...answer.frames.map(frame));
    find(".changes").replaceChildren(...answer.changes.map(line));
    find(".all").hidden = answer.changes.length === 0;
    apply.disabled = answer.fixed === code.value;
    draw(findings);
  }

  // One statement, as the terminal shows it: place, code, severity and message of each finding, then the picture.
  function frame({ findings, picture, fixed }) {
    const element = document.createElement("article");
    element.className = findings[0].severity;
    element.append(...findings.map(heading));
    const lines = element.appendChild(document.createElement("pre"));
    lines.tabIndex = 0;
    for (const text of picture) lines.append(...terminal(text), "\n");
    if (fixed !== null) {
      const button = element.appendChild(document.createElement("button"));
      button.type = "button";
      button.className = "fix";
      button.textContent = "Apply this fix";
      button.onclick = () => write(fixed);
    }
    return element;
  }

  function heading(finding) {
    const element = document.createElement("p");
    const place = document.createElement("button");
    place.type = "button";
    place.className = "place";
    place.textContent = `${finding.location.row}:${finding.location.column}`;
    place.onclick = () => {
      code.focus();
      code.setSelectionRange(offset(finding.location), offset(finding.end_location));
      drawn.children[finding.location.row - 1].scrollIntoView({ block: "nearest" });
    };
    const page = document.createElement("a");
    page.textContent = finding.code;
    page.href = `rules/${finding.name}.html`;
    const severity = document.createElement("b");
    severity.className = finding.severity;
    severity.textContent = `${finding.word}:`;
    element.append(place, " ", page, finding.fixable ? " [*] " : " ", severity, " ", ...coded(finding.message));
    return element;
  }

  // A message with its code between backticks set as code.
  function coded(message) {
    return message.split("`").map((part, index) => {
      if (index % 2 === 0) return part;
      const element = document.createElement("code");
      element.textContent = part;
      return element;
    });
  }

  // A line of a terminal with its colours, as elements.
  function terminal(text) {
    const styles = new Set();
    const parts = [];
    for (const part of text.split(/(\x1b\[\d+m)/)) {
      const number = /^\x1b\[(\d+)m$/.exec(part)?.[1];
      if (number === "0") styles.clear();
      else if (number) styles.add(`sgr-${number}`);
      else if (part) {
        const element = document.createElement("span");
        element.className = [...styles].join(" ");
        element.textContent = part;
        parts.push(element);
      }
    }
    return parts;
  }

  function line(text) {
    const element = document.createElement("span");
    element.className = { "+": "added", "-": "removed", "@": "place" }[text[0]] ?? "";
    element.textContent = text + "\n";
    return element;
  }

  // Draw the text below the editor's: a block for each line, so that a line that wraps still has one number.
  function draw(findings) {
    const text = code.value;
    const colours = pythonColours(text);
    const marks = [];
    for (const finding of findings) {
      const [from, to] = [offset(finding.location), offset(finding.end_location)];
      if (from >= (marks.at(-1)?.[1] ?? 0)) marks.push([from, to, `mark ${finding.severity}`]);
    }
    const edges = [...colours, ...marks].flatMap(([from, to]) => [from, to]).sort((a, b) => a - b);
    let start = 0;
    let [colour, mark, edge] = [0, 0, 0];
    const lines = text.split("\n").map((content) => {
      const end = start + content.length;
      const element = document.createElement("div");
      while (start < end) {
        while (edges[edge] <= start) edge += 1;
        while (colours[colour]?.[1] <= start) colour += 1;
        while (marks[mark]?.[1] <= start) mark += 1;
        const stop = Math.min(end, edges[edge] ?? end);
        const over = [colours[colour], marks[mark]].filter((span) => span && span[0] <= start);
        const piece = document.createElement("span");
        piece.className = over.map((span) => span[2]).join(" ");
        piece.textContent = text.slice(start, stop);
        element.append(piece);
        start = stop;
      }
      if (!content) element.append(document.createElement("br"));
      start = end + 1;
      return element;
    });
    drawn.style.setProperty("--digits", String(lines.length).length);
    code.style.setProperty("--digits", String(lines.length).length);
    drawn.replaceChildren(...lines);
  }

  function write(text) {
    code.value = text;
    changed();
  }

  // ---- the controls ------------------------------------------------------------------------------------------------

  code.addEventListener("input", changed);
  unsafe.addEventListener("change", ask);
  examples.addEventListener("change", () => write(examples.selectedOptions[0].dataset.text));
  apply.addEventListener("click", () => write(last.fixed));
  find("button[name=link]").addEventListener("click", async () => {
    location.hash = `code=${encodeURIComponent(encode(code.value))}`;
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    state.textContent = "The address of this page now holds the code.";
  });
  addEventListener("hashchange", () => {
    const text = firstText();
    if (text !== code.value) write(text);
  });

  write(firstText());
  worker.postMessage({ kind: "start", settings, root: settingsAt.href });
})();
