// Runs the tests in a VS Code of its own, which is downloaded: `npm test`.

const path = require("node:path");
const { runTests } = require("@vscode/test-electron");
const { newProject } = require("./project");

const FLAGS = ["--disable-extensions", "--disable-workspace-trust", "--disable-gpu", "--no-sandbox"];

runTests({
  extensionDevelopmentPath: path.resolve(__dirname, ".."),
  extensionTestsPath: path.resolve(__dirname, "suite"),
  launchArgs: [newProject(), ...FLAGS],
}).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
