// node decoders.mjs WIRE_FOLDER FUZZING_PY SEED BLOCKS BLOCK
// What the tab's Python makes of the same inputs: the digests of tests/wire/fuzzing.py, as JSON.
import fs from "node:fs";
import path from "node:path";
import { loadPyodide } from "../../frontend/runtime/node_modules/pyodide/pyodide.mjs";

const [wire, fuzzing, seed, blocks, block] = process.argv.slice(2);
const python = await loadPyodide();
python.FS.mkdirTree("/wire/switchboard_wire");
for (const name of fs.readdirSync(wire)) {
  if (name.endsWith(".py")) python.FS.writeFile(`/wire/switchboard_wire/${name}`, fs.readFileSync(path.join(wire, name)));
}
python.FS.writeFile("/wire/fuzzing.py", fs.readFileSync(fuzzing));
const digests = python.runPython(`
import json, sys
sys.path.insert(0, "/wire")
import fuzzing
json.dumps(fuzzing.digests(${Number(seed)}, ${Number(blocks)}, ${Number(block)}))
`);
process.stdout.write(digests);
