// Two ways to a running Python: the saved memory of one that has imported everything, or a fresh one.
import { checksum } from "./checksum.mjs";
import * as files from "./files.mjs";
import { loadPyodide } from "./pyodide.mjs";

const settings = {
  indexURL: files.indexURL,
  // Nothing is ever installed in the tab. An own base address keeps Pyodide's default, another host, out of the game.
  lockFileContents: { info: files.lockInfo, packages: {} },
  packageBaseUrl: files.indexURL,
  stdin: () => null,
};

/** The large half of Pyodide's own script: fetched while the machine code is, not before it. */
const createModule = async (moduleSettings) => (await import("./pyodide.asm.mjs")).default(moduleSettings);

/** Restores the memory image. Throws when that is not possible, for whatever reason. */
export async function startFromSnapshot() {
  const arrival = download(files.memory, files.memoryImage.checksum);
  arrival.catch(() => {}); // it is awaited later, and must not count as forgotten until then
  const python = await load({
    stdLibURL: files.rest,
    // Pyodide gets a snapshot of no memory at all, so that it need not wait for the image to compile the machine code.
    _loadSnapshot: Uint8Array.from(atob(files.memoryImage.header), (character) => character.charCodeAt(0)),
    async createPyodideModule(moduleSettings) {
      const module = await createModule(moduleSettings);
      restore(module, await arrival);
      return module;
    },
  });
  // Pyodide only logs it when the rest of the library could not be had.
  if (!python.FS.analyzePath("/lib/python314.zip").exists) throw new Error(`${files.rest} did not arrive`);
  return python;
}

/** Makes the image's memory that of the module. @param {Uint8Array} image what is not zero in it */
function restore(module, image) {
  const { size, runs } = files.memoryImage;
  const enough = module.HEAPU8.length >= size || module._emscripten_resize_heap(size);
  if (!enough) throw new Error("there is not enough memory");
  const memory = module.HEAPU8; // growing makes a new one
  let at = 0;
  let taken = 0;
  for (const [start, length] of runs) {
    memory.fill(0, at, start);
    memory.set(image.subarray(taken, (taken += length)), start);
    at = start + length;
  }
  memory.fill(0, at, size);
}

/** Loads Python and imports from the bundle, as if there were no image. */
export function startPlain() {
  return load({ stdLibURL: files.python, createPyodideModule: createModule });
}

/** A damaged image must not become somebody's memory. */
async function download(url, expected) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length % 4 || checksum(bytes) !== expected) throw new Error(`${url} arrived damaged`);
  return bytes;
}

/**
 * What Pyodide gets in place of the browser's registry. Its callbacks would run while the page sleeps in the
 * back/forward cache, for which the browser drops the page. Nothing is lost: each proxy is released by whoever made it.
 */
class NoFinalization {
  register() {}
  unregister() {}
}

/** Pyodide only logs it when its machine code cannot be had, and then waits for ever; this makes it an error. */
function load(options) {
  const instantiate = WebAssembly.instantiateStreaming;
  const registry = globalThis.FinalizationRegistry;
  globalThis.FinalizationRegistry = NoFinalization;
  return new Promise((resolve, reject) => {
    WebAssembly.instantiateStreaming = (...args) => {
      const result = instantiate.apply(WebAssembly, args);
      result.catch(reject);
      return result;
    };
    loadPyodide({ ...settings, ...options }).then(resolve, reject);
  }).finally(() => {
    WebAssembly.instantiateStreaming = instantiate;
    globalThis.FinalizationRegistry = registry;
  });
}
