// What a user sees in VS Code: its own test runner calls `run` in a window that has a project open.

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");

const PATIENCE_MS = 90000;
const POLL_MS = 200;

/** Return what `ask` gives as soon as `holds` is true of it. */
async function until(what, ask, holds = Boolean) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await ask();
    if (holds(found)) {
      return found;
    }
    if (Date.now() > end) {
      throw new Error(`no ${what} in ${PATIENCE_MS / 1000} s; the last answer was ${JSON.stringify(found)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function codes(uri) {
  return vscode.languages.getDiagnostics(uri).filter((one) => one.source === "hybridlint").map((one) => one.code.value ?? one.code);
}

function positionOf(document, part, inside = 0) {
  return document.positionAt(document.getText().indexOf(part) + inside);
}

async function lenses(uri) {
  const found = await vscode.commands.executeCommand("vscode.executeCodeLensProvider", uri, 10);
  return found.map((lens) => lens.command?.title);
}

async function findings({ uri }) {
  const found = await until("findings", () => codes(uri), (all) => all.length >= 4);
  assert.deepStrictEqual([...found].sort(), ["HYB101", "HYB302", "HYB302", "HYB302"]);
}

async function hovering({ uri, document }) {
  const position = positionOf(document, "y = self");
  const told = await vscode.commands.executeCommand("vscode.executeHoverProvider", uri, position);
  const text = told.flatMap((each) => each.contents.map((part) => part.value ?? part)).join("\n");
  assert.match(text, /`y`: tensor of shape \(N, 8\)/);
  assert.match(text, /axis 0, `N`: axis 0 of the argument `x`/);
  assert.match(text, /axis 1, `8`: made by `self\.dense\(x\)`, line 11/);
}

async function hints({ uri, document }) {
  const everything = new vscode.Range(0, 0, document.lineCount, 0);
  const found = await vscode.commands.executeCommand("vscode.executeInlayHintProvider", uri, everything);
  assert.ok(found.some((hint) => hint.label === ": (N, 8)"), JSON.stringify(found));
}

async function proving({ uri }) {
  const [lens] = await until(
    "lens",
    () => vscode.commands.executeCommand("vscode.executeCodeLensProvider", uri, 10),
    (found) => found.length === 2,
  );
  assert.strictEqual(lens.command.title, "prove this block");
  await vscode.commands.executeCommand(lens.command.command, ...lens.command.arguments);
  await until("outcome in the lens", () => lenses(uri), ([title]) => /^(proved|refuted|not run)/.test(title));
}

async function whyNoFix({ uri, document }) {
  const at = positionOf(document, "x.shape[0]");
  const found = await vscode.commands.executeCommand("vscode.executeCodeActionProvider", uri, new vscode.Range(at, at));
  assert.ok(found.some((action) => action.title === "HYB101: why is there no safe fix?"), found.map((one) => one.title).join());
}

async function fixingOneBlock({ uri, document }) {
  const at = positionOf(document, "y += 1");
  const found = await vscode.commands.executeCommand("vscode.executeCodeActionProvider", uri, new vscode.Range(at, at));
  const action = found.find((one) => one.title === "hybridlint: apply all safe fixes in Net");
  assert.ok(action, found.map((one) => one.title).join());
  await vscode.workspace.applyEdit(action.edit);
  assert.match(document.getText(), /y = y \+ 1/);
  assert.match(document.getText(), /x \+= x/);
  await until("fewer findings", () => codes(uri), (all) => all.length === 2);
}

async function settings({ uri, folder }) {
  const file = path.join(folder, "hybridlint.toml");
  fs.writeFileSync(file, 'ignore = ["HYB302"]\n');
  await until("effect of the settings", () => codes(uri), (all) => all.join() === "HYB101");
  fs.unlinkSync(file);
  await until("end of that effect", () => codes(uri), (all) => all.length === 2);
}

async function howToInstall() {
  const { exports } = vscode.extensions.getExtension("hybridlint.hybridlint");
  const configuration = vscode.workspace.getConfiguration("hybridlint");
  assert.ok(exports.isRunning());
  await configuration.update("interpreter", "/no/such/python", vscode.ConfigurationTarget.Workspace);
  const told = await until("sentence", () => exports.told());
  assert.match(told, /^hybridlint was not found for \/no\/such\/python: install it there with/);
  assert.ok(!exports.isRunning());
  await configuration.update("interpreter", undefined, vscode.ConfigurationTarget.Workspace);
  await until("server again", () => exports.isRunning());
}

/** Run all tests one after another; the first that fails ends the run. */
async function run() {
  const folder = vscode.workspace.workspaceFolders[0].uri.fsPath;
  const document = await vscode.workspace.openTextDocument(path.join(folder, "net.py"));
  await vscode.window.showTextDocument(document);
  const context = { uri: document.uri, document, folder };
  const tests = [findings, hovering, hints, proving, whyNoFix, fixingOneBlock, settings, howToInstall];
  for (const each of tests) {
    await each(context);
    console.log(`passed: ${each.name}`);
  }
  console.log(`${tests.length} passed, 0 failed`);
}

module.exports = { run };
