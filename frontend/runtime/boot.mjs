// The page's only script. The server renders its tag:
//   <script type="module" src="…/boot.HASH.mjs" data-root="module:function" data-mode="plain">
// Both data attributes may be left out. The state is told on <html>: data-runtime is loading, ready or failed,
// data-runtime-mode is snapshot or plain.
import { createRenderer } from "./renderer.mjs";
import { startFromSnapshot, startPlain } from "./start.mjs";
import * as status from "./status.mjs";

const DEFAULT_ROOT = "switchboard_ui.pages.root:root";

performance.mark("switchboard:boot");
status.loading();

const script = Array.from(document.scripts).find(({ src }) => src === import.meta.url);
const plain = script?.dataset.mode === "plain" || new URLSearchParams(location.search).get("runtime") === "plain";

/** Starts Python, from the memory image where that works. */
async function startPython() {
  if (!plain) {
    try {
      const python = await startFromSnapshot();
      status.mode("snapshot");
      return python;
    } catch (error) {
      console.info(`Switchboard: starting without the memory image, which failed: ${error.message ?? error}`);
    }
  }
  const python = await startPlain();
  status.mode("plain");
  return python;
}

try {
  const python = await startPython();
  performance.mark("switchboard:loaded");
  python._api.on_fatal = (error) => status.failed(error);

  // Events can happen only after the first render, and by then `deliver` is there.
  let deliver;
  const renderer = createRenderer(document.getElementById("app"), (event) => deliver(JSON.stringify(event)));
  const send = (update) => {
    try {
      renderer.apply(JSON.parse(update));
      status.ready();
    } catch (error) {
      // Thrown into Python it would end the layout with a riddle; here it can be told as what it is.
      status.failed(error);
    }
  };
  const { start } = python.pyimport("switchboard_ui.browser.entry");
  deliver = start(script?.dataset.root ?? DEFAULT_ROOT, send, status.failed);
} catch (error) {
  status.failed(error);
}
