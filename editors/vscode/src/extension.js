// The extension: it finds the Python of the workspace that has hybridlint, and runs its language server.

const vscode = require("vscode");
const { LanguageClient, State } = require("vscode-languageclient/node");
const { candidates, firstWithServer, howToInstall, installCommand } = require("./interpreters");

const RUN = "Run in terminal";
let client;
let output;
let told;
let starting = Promise.resolve();

async function activate(context) {
  output = vscode.window.createOutputChannel("hybridlint");
  const restart = () => (starting = starting.then(start, start));
  context.subscriptions.push(output, vscode.commands.registerCommand("hybridlint.restart", restart));
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("hybridlint")) {
        restart();
      }
    }),
  );
  const python = await pythonExtension();
  const changes = python?.environments?.onDidChangeActiveEnvironmentPath;
  if (changes) {
    context.subscriptions.push(changes(restart));
  }
  await restart();
  return { isRunning: () => client?.state === State.Running, told: () => told };
}

/** Start the server, or say in one sentence how to install it. */
async function start() {
  await stop();
  told = undefined;
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  const setting = vscode.workspace.getConfiguration("hybridlint").get("interpreter");
  const pythons = candidates({ setting, active: await activePython(), folders });
  const python = await firstWithServer(pythons);
  if (python === undefined) {
    offerInstallation(pythons[0]);
    return;
  }
  output.appendLine(`${python} -m hybridlint server`);
  const server = { command: python, args: ["-m", "hybridlint", "server"], options: { cwd: folders[0] } };
  client = new LanguageClient("hybridlint", "hybridlint", server, {
    documentSelector: [
      { scheme: "file", language: "python" },
      { scheme: "untitled", language: "python" },
    ],
    outputChannel: output,
  });
  await client.start();
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

/** Say how to install the server, and do it in a terminal if the user asks for it. */
async function offerInstallation(python) {
  told = howToInstall(python);
  output.appendLine(told);
  if ((await vscode.window.showWarningMessage(told, RUN)) === RUN) {
    const terminal = vscode.window.createTerminal("hybridlint");
    terminal.show();
    terminal.sendText(installCommand(python));
  }
}

/** Return the interface of the Python extension, undefined where it is not installed. */
async function pythonExtension() {
  const extension = vscode.extensions.getExtension("ms-python.python");
  try {
    return await extension?.activate();
  } catch {
    return undefined;
  }
}

/** Return the Python that the Python extension uses for the workspace. */
async function activePython() {
  const environments = (await pythonExtension())?.environments;
  if (environments === undefined) {
    return undefined;
  }
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const found = await environments.resolveEnvironment(environments.getActiveEnvironmentPath(folder));
  return found?.executable?.uri?.fsPath;
}

module.exports = { activate, deactivate: stop };
