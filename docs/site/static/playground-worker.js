// Runs hybridlint under Pyodide, beside the page so that typing is never held up.

let ready = null;

async function start(settings, root) {
  const say = (text) => postMessage({ kind: "progress", text });
  const base = new URL(settings.pyodide, root).href;
  say("Loading Python ...");
  const { loadPyodide } = await import(base + "pyodide.mjs");
  const python = await loadPyodide({ indexURL: base });
  say("Loading hybridlint ...");
  await python.loadPackage(settings.packages);
  for (const archive of settings.archives) {
    python.unpackArchive(await bytes(new URL(archive, root)), archive.endsWith(".whl") ? "wheel" : "zip");
  }
  python.FS.writeFile("playground_answer.py", await bytes(new URL("playground.py", root)));
  return python.runPython("import sys; sys.path.insert(0, '.'); from playground_answer import answer; answer");
}

async function bytes(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} answers ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

onmessage = async ({ data }) => {
  try {
    if (data.kind === "start") {
      ready = start(data.settings, data.root);
      await ready;
      postMessage({ kind: "ready" });
    } else {
      const answer = await ready;
      postMessage({ kind: "answer", id: data.id, ...JSON.parse(answer(data.text, data.unsafe)) });
    }
  } catch (error) {
    postMessage({ kind: "failed", id: data.id, text: String(error.message ?? error).trim().split("\n").pop() });
  }
};
