// What finds the Python of a workspace, without VS Code: `node test/units.js`.

const assert = require("node:assert");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const test = require("node:test");
const { candidates, firstWithServer, hasServer, howToInstall, pythonIn } = require("../src/interpreters");

function folderWith(...environments) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "hybridlint-"));
  for (const name of environments) {
    const python = pythonIn(path.join(folder, name));
    fs.mkdirSync(path.dirname(python), { recursive: true });
    fs.writeFileSync(python, "");
  }
  return folder;
}

test("the setting is the only Python that is tried", () => {
  assert.deepStrictEqual(candidates({ setting: "/my/python", active: "/a", folders: [folderWith(".venv")] }), ["/my/python"]);
});

test("the active Python comes before environments of the workspace and those on the path", () => {
  const folder = folderWith("venv", ".venv");
  const found = candidates({ active: "/a/python", folders: [folder], environment: {}, platform: "linux" });
  const own = [".venv", "venv"].map((name) => pythonIn(path.join(folder, name)));
  assert.deepStrictEqual(found, ["/a/python", ...own, "python3", "python"]);
});

test("the first Python with the server is taken", async () => {
  const probe = async (python) => python !== "a";
  assert.strictEqual(await firstWithServer(["a", "b", "c"], probe), "b");
  assert.strictEqual(await firstWithServer(["a"], probe), undefined);
});

test("a Python that does not exist has no server", async () => {
  assert.strictEqual(await hasServer("/does/not/exist"), false);
});

test("one sentence says how to install", () => {
  const told = howToInstall("/my project/.venv/bin/python");
  assert.match(told, /^[^.]*.*install it there with `"\/my project\/.venv\/bin\/python" -m pip install 'hybridlint\[server\]'`\.$/);
});
