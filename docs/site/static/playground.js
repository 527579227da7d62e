// The page of the playground: an editor, the findings in it, and what the fixes change.

(async () => {
  const root = document.getElementById("bench");
  const find = (selector) => root.querySelector(selector);
  const code = find("textarea");
  const marks = find(".editor pre");
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
    marks.textContent = code.value + "\n";
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
    state.textContent = running
      ? `This text could not be checked: ${text}`
      : `Python could not be loaded (${text}). Is there a network? The command line does the same: hybridlint check`;
  }

  // ---- showing -----------------------------------------------------------------------------------------------------

  function show(answer) {
    last = answer;
    const count = answer.findings.length;
    state.textContent = answer.failure ?? (count === 0 ? "Nothing found" : count === 1 ? "1 finding" : `${count} findings`);
    find(".findings").replaceChildren(...answer.findings.map(item));
    find(".changes").replaceChildren(...(answer.changes.length ? answer.changes.map(line) : ["Nothing."]));
    apply.disabled = answer.fixed === code.value;
    underline(answer.findings);
  }

  function item(finding) {
    const element = document.createElement("li");
    element.className = finding.severity;
    const place = document.createElement("button");
    place.type = "button";
    place.textContent = `${finding.location.row}:${finding.location.column}`;
    place.onclick = () => {
      code.focus();
      code.setSelectionRange(offset(finding.location), offset(finding.end_location));
      code.scrollTop = (finding.location.row - 4) * parseFloat(getComputedStyle(code).lineHeight);
    };
    const page = document.createElement("a");
    page.textContent = finding.code;
    page.href = `rules/${finding.name}.html`;
    const message = document.createElement("span");
    message.textContent = finding.message;
    element.append(place, " ", page, " ", message);
    const fix = finding.fix ? `Fix (${finding.fix.applicability}): ${finding.fix.message}` : finding.help;
    if (fix) {
      const help = document.createElement("small");
      help.textContent = fix;
      element.append(help);
    }
    return element;
  }

  function line(text) {
    const element = document.createElement("span");
    element.className = { "+": "added", "-": "removed", "@": "place" }[text[0]] ?? "";
    element.textContent = text + "\n";
    return element;
  }

  function underline(findings) {
    const text = code.value;
    const parts = [];
    let at = 0;
    for (const finding of findings) {
      const [from, to] = [offset(finding.location), offset(finding.end_location)];
      if (from < at) continue;
      const mark = document.createElement("mark");
      mark.className = finding.severity;
      mark.textContent = text.slice(from, to);
      parts.push(text.slice(at, from), mark);
      at = to;
    }
    marks.replaceChildren(...parts, text.slice(at) + "\n");
    scrolled();
  }

  function scrolled() {
    marks.style.transform = `translate(${-code.scrollLeft}px, ${-code.scrollTop}px)`;
  }

  // ---- the controls ------------------------------------------------------------------------------------------------

  code.addEventListener("input", changed);
  code.addEventListener("scroll", scrolled);
  unsafe.addEventListener("change", ask);
  examples.addEventListener("change", () => {
    code.value = examples.selectedOptions[0].dataset.text;
    changed();
  });
  apply.addEventListener("click", () => {
    code.value = last.fixed;
    changed();
  });
  find("button[name=link]").addEventListener("click", async () => {
    location.hash = `code=${encodeURIComponent(encode(code.value))}`;
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    state.textContent = "The address of this page now holds the code.";
  });
  addEventListener("hashchange", () => {
    const text = firstText();
    if (text !== code.value) {
      code.value = text;
      changed();
    }
  });

  code.value = firstText();
  changed();
  worker.postMessage({ kind: "start", settings, root: settingsAt.href });
})();
