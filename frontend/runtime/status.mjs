// What the person and the tests are told about the runtime.
const PLAIN_BOARD = "/plain/board";
const page = document.documentElement.dataset;

/** The runtime is on its way; the server's text in #runtime-status says so. */
export function loading() {
  page.runtime = "loading";
}

/** @param {"snapshot" | "plain"} name how Python was started */
export function mode(name) {
  page.runtimeMode = name;
}

/** A render has been drawn. */
export function ready() {
  if (page.runtime !== "loading") return;
  performance.mark("switchboard:first-render");
  page.runtime = "ready";
  document.getElementById("runtime-status")?.replaceChildren();
}

/** Nothing more will be drawn. What stands on the page stays. @param {unknown} error */
export function failed(error) {
  if (page.runtime === "failed") return;
  const began = page.runtime === "ready";
  page.runtime = "failed";
  console.error("Switchboard:", error);
  const status = document.getElementById("runtime-status");
  if (!status) return;
  const link = document.createElement("a");
  link.href = PLAIN_BOARD;
  link.textContent = "the plain board";
  status.replaceChildren(
    began
      ? "This page has stopped updating. What you see may be out of date. Reload it, or use "
      : "This page could not start. Reload it, or use ",
    link,
    ", which needs no scripts.",
  );
  status.hidden = false;
}
