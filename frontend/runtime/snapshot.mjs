// node snapshot.mjs PYTHON_ZIP MODULES_JSON REST_ZIP MEMORY_BIN MEMORY_JSON [FORGOTTEN...]
// Imports every module that the tab will need, then saves the memory of that Python. A tab that starts from the
// saved memory finds them imported. It needs files only for what is not in memory: those go into REST_ZIP.
// FORGOTTEN packages are imported too, for what they import, and then taken out again.
//
// Half of the memory is zeros. MEMORY_BIN has the other half; MEMORY_JSON says where it goes.
import crypto from "node:crypto";
import fs from "node:fs";
import { loadPyodide } from "pyodide";
import { checksum } from "./checksum.mjs";

const [pythonZip, modules, restZip, memoryBin, memoryJson, ...forgotten] = process.argv.slice(2);
const PAGE = 4096;

// What Python reads or draws while it imports is in the image for good, so it must be the same on every machine: then
// the same sources make the same image, byte for byte. A tab draws its own numbers and reads its own clock afterwards.
process.env.TZ = "UTC";
process.argv.length = 1; // would give the image the path of this script
Date.now = performance.now = () => 0;
Math.random = () => 0.5;
crypto.randomFillSync = (bytes) => bytes.fill(1);

const ARCHIVE = "/lib/python314.zip";

const IMPORT = `
def load(names, forgotten):
    import importlib, json, sys, traceback, zoneinfo
    failures = []
    for name in json.loads(names):
        try:
            importlib.import_module(name)
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{last.filename.removeprefix('/lib/python314.zip/')} line {last.lineno}"
            reason = str(error).partition(chr(10))[0]
            failures.append(f"{name} cannot be imported in the tab: {type(error).__name__}: {reason} ({where})")
    # Finding a zone imports the resource readers; this zone is the same in every tab.
    zoneinfo.ZoneInfo("UTC")
    for name in [name for name in sys.modules if name.partition(".")[0] in json.loads(forgotten)]:
        del sys.modules[name]
    return chr(10).join(failures[:5])
load
`;

// Runs in a Python of its own: what it reads and writes would otherwise lie about in the saved memory.
const LEAVE_OUT_WHAT_IS_IMPORTED = `
def leave_out(archive):
    import sys, zipfile
    with zipfile.ZipFile(archive) as whole, zipfile.ZipFile("/rest.zip", "w", zipfile.ZIP_STORED) as rest:
        for name in whole.namelist():
            module = name.removesuffix(".pyc").removesuffix("/__init__").replace("/", ".")
            imported = name.endswith(".pyc") and module in sys.modules
            # The readers look for tzdata's packages once more for each zone.
            if name.startswith("tzdata/") or not imported:
                rest.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), whole.read(name))
leave_out
`;

const SETTLE = `
import gc, importlib
importlib.invalidate_caches()
# What is there now lives as long as the tab: the collector need never look at it again.
gc.collect()
gc.freeze()
`;

/** Starts a Python that has imported all modules. */
async function imported(options) {
  const lock = new URL("node_modules/pyodide/pyodide-lock.json", import.meta.url);
  const { info } = JSON.parse(fs.readFileSync(lock, "utf8"));
  const python = await loadPyodide({
    stdLibURL: pythonZip,
    lockFileContents: { info, packages: {} },
    env: { LANG: "C.UTF-8" },
    ...options,
  });
  const load = python.runPython(IMPORT);
  const failures = load(fs.readFileSync(modules, "utf8"), JSON.stringify(forgotten));
  load.destroy();
  if (failures) throw new Error(failures);
  return python;
}

/** @param {Uint8Array} snapshot Pyodide's form: a header, whose length is its second word, and the whole memory */
function save(snapshot) {
  const headerLength = new Uint32Array(snapshot.buffer, snapshot.byteOffset, 2)[1];
  const memory = snapshot.subarray(headerLength);
  const runs = [];
  for (let at = 0; at < memory.length; at += PAGE) {
    if (memory.subarray(at, at + PAGE).every((byte) => byte === 0)) continue;
    const last = runs.at(-1);
    if (last && last[0] + last[1] === at) last[1] += PAGE;
    else runs.push([at, PAGE]);
  }
  const kept = new Uint8Array(Buffer.concat(runs.map(([at, length]) => memory.subarray(at, at + length))));
  fs.writeFileSync(memoryBin, kept);
  const header = Buffer.from(snapshot.subarray(0, headerLength)).toString("base64");
  fs.writeFileSync(memoryJson, JSON.stringify({ header, size: memory.length, checksum: checksum(kept), runs }));
}

try {
  const other = await imported({});
  other.runPython(LEAVE_OUT_WHAT_IS_IMPORTED)(ARCHIVE);
  const rest = other.FS.readFile("/rest.zip");
  fs.writeFileSync(restZip, rest);

  const python = await imported({ _makeSnapshot: true });
  python.FS.writeFile(ARCHIVE, rest);
  python.runPython(SETTLE);
  // The first call has imported a module, and with it read the archive's directory, which is to change.
  if (forgotten.length) python.runPython("import importlib; importlib.invalidate_caches()");
  save(python.makeMemorySnapshot());
  process.exit(0);
} catch (error) {
  console.error(String(error.message).slice(-2000));
  process.exit(1);
}
