// node compile.mjs SOURCES OUT: turns the .py files of a zip into .pyc, with the tab's own Python.
// Loading them then costs no compilation. The zip stays uncompressed: HTTP compresses it, and better.
import fs from "node:fs";
import { loadPyodide } from "pyodide";

const [sources, out] = process.argv.slice(2);

const COMPILE = `
import importlib.util, marshal, zipfile

def compiled(name, text):
    code = compile(text, "/lib/python314.zip/" + name, "exec", dont_inherit=True)
    # "Unchecked": Python takes the file as it is and looks for no source to compare it with.
    header = importlib.util.MAGIC_NUMBER + (0b01).to_bytes(4, "little") + bytes(8)
    return header + marshal.dumps(code)

with zipfile.ZipFile("/sources.zip") as source, zipfile.ZipFile("/python.zip", "w", zipfile.ZIP_STORED) as target:
    for name in sorted(source.namelist()):
        data = source.read(name)
        if name.endswith(".py"):
            name, data = name + "c", compiled(name, data)
        target.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)
`;

try {
  const py = await loadPyodide();
  py.FS.writeFile("/sources.zip", new Uint8Array(fs.readFileSync(sources)));
  py.runPython(COMPILE);
  fs.writeFileSync(out, py.FS.readFile("/python.zip"));
  process.exit(0);
} catch (error) {
  console.error(String(error.message).slice(-2000));
  process.exit(1);
}
