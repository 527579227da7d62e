// The project that the tests open, with the Python that the extension has to find.

const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const NET = `from mxnet.gluon import HybridBlock, nn


class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(8)

    # hybridlint: shapes(x=("N", 4))
    def hybrid_forward(self, F, x):
        y = self.dense(x)
        y += 1
        y *= 2
        return F.relu(y)


class Other(HybridBlock):
    def hybrid_forward(self, F, x):
        x += x.shape[0]
        return F.relu(x)
`;

/** Make a folder with a module and a `.venv` that is the Python of the tests; return its path. */
function newProject() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "hybridlint-project-"));
  fs.writeFileSync(path.join(folder, "net.py"), NET);
  const python = process.env.PYTHON ?? path.resolve(__dirname, "../../../.venv/bin/python");
  fs.symlinkSync(path.dirname(path.dirname(python)), path.join(folder, ".venv"));
  return folder;
}

module.exports = { newProject };
