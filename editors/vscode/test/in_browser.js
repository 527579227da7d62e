// Runs the tests in VS Code as code-server shows it in a browser: `CODE_SERVER=... CHROMIUM=... npm run test:browser`.

const { spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { chromium } = require("playwright-core");
const { newProject } = require("./project");

const CODE_SERVER = process.env.CODE_SERVER ?? "code-server";
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const PORT = 18931;
const START_MS = 60000;
const RUN_MS = 400000;

/** Return code-server once it answers. */
async function started(state) {
  const options = ["--auth", "none", "--bind-addr", `127.0.0.1:${PORT}`, "--disable-telemetry", "--disable-update-check"];
  const server = spawn(CODE_SERVER, [...options, "--disable-workspace-trust", "--user-data-dir", state], { stdio: "inherit" });
  const end = Date.now() + START_MS;
  while (Date.now() < end) {
    try {
      await fetch(`http://127.0.0.1:${PORT}/healthz`);
      return server;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }
  server.kill();
  throw new Error("code-server does not answer");
}

/** Return the address of a window that runs the tests. */
function address(folder) {
  const remote = (file) => `vscode-remote://127.0.0.1:${PORT}${file}`;
  const payload = [
    ["extensionDevelopmentPath", remote(path.resolve(__dirname, ".."))],
    ["extensionTestsPath", remote(path.resolve(__dirname, "suite"))],
    ["skipWelcome", "true"],
  ];
  const query = `folder=${encodeURIComponent(folder)}&payload=${encodeURIComponent(JSON.stringify(payload))}`;
  return `http://127.0.0.1:${PORT}/?${query}`;
}

/** Run the tests in a browser; return the status with which VS Code ends. */
async function outcome(folder) {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const ended = new Promise((resolve, reject) => {
      setTimeout(() => reject(new Error(`no outcome in ${RUN_MS / 1000} s`)), RUN_MS).unref();
      page.exposeFunction("codeAutomationExit", resolve);
    });
    await page.exposeFunction("codeAutomationLog", (kind, args) => console.log(...args));
    if (process.env.VERBOSE) {
      page.on("console", (message) => console.log(`[${message.type()}] ${message.text()}`));
    }
    await page.goto(address(folder), { waitUntil: "commit", timeout: START_MS });
    const picture = process.env.PICTURE;
    const status = await ended;
    if (picture) {
      await page.screenshot({ path: picture });
    }
    return status;
  } finally {
    await browser.close();
  }
}

async function main() {
  const state = fs.mkdtempSync(path.join(os.tmpdir(), "hybridlint-code-server-"));
  const server = await started(state);
  try {
    process.exitCode = await outcome(newProject());
  } finally {
    server.kill();
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
