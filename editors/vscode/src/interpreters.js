// The Pythons of a workspace, and which of them has hybridlint with its server.

const { execFile } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const INSTALL = "pip install 'hybridlint[server]'";
const FOLDERS = [".venv", "venv", "env"];
const PROBE = "import hybridlint, pygls";
const PROBE_MS = 20000;

/** Return the Python inside a virtual environment. */
function pythonIn(environment, platform = process.platform) {
  return platform === "win32"
    ? path.join(environment, "Scripts", "python.exe")
    : path.join(environment, "bin", "python");
}

/** Return the Pythons to try, the most specific first: `active` is the one that the Python extension uses. */
function candidates({ setting, active, folders, environment = process.env, platform = process.platform }) {
  if (setting) {
    return [setting];
  }
  const inFolders = folders.flatMap((folder) => FOLDERS.map((name) => pythonIn(path.join(folder, name), platform)));
  const activated = environment.VIRTUAL_ENV ? [pythonIn(environment.VIRTUAL_ENV, platform)] : [];
  const found = [...(active ? [active] : []), ...[...inFolders, ...activated].filter((file) => fs.existsSync(file))];
  return [...new Set([...found, ...(platform === "win32" ? ["python", "py"] : ["python3", "python"])])];
}

/** Return whether a Python can import hybridlint and what its server needs. */
function hasServer(python, run = execFile) {
  return new Promise((resolve) => {
    run(python, ["-c", PROBE], { timeout: PROBE_MS, cwd: path.parse(process.cwd()).root }, (error) => resolve(!error));
  });
}

/** Return the first of the Pythons that has the server, undefined if none has it. */
async function firstWithServer(pythons, probe = hasServer) {
  for (const python of pythons) {
    if (await probe(python)) {
      return python;
    }
  }
  return undefined;
}

/** Return the sentence that tells how to install hybridlint for a Python. */
function howToInstall(python) {
  return `hybridlint was not found for ${python}: install it there with \`${installCommand(python)}\`.`;
}

/** Return the command that installs hybridlint for a Python. */
function installCommand(python) {
  const quoted = /\s/.test(python) ? `"${python}"` : python;
  return `${quoted} -m ${INSTALL}`;
}

module.exports = { candidates, firstWithServer, hasServer, howToInstall, installCommand, pythonIn };
