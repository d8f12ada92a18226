// Places of one document: links with data-route, Back and Forward change the address and tell Python, and each place
// is found again as it was left, with its scroll position and its focus.
import { focusIfItComes } from "./focus.mjs";

const page = document.documentElement.dataset;
/** @type {Map<number, {scroll: number, focus: string}>} by the history entry's number */
const left = new Map();
let current = history.state?.place ?? 0;
let shown = location.pathname + location.search;
let scrollTo = null;

/** Goes to an address of this document. @param {string} address @param {boolean} [replacing] keeps the history entry */
export function navigate(address, replacing = false) {
  const url = new URL(address, location.href);
  if (url.origin !== location.origin) throw new Error(`${address} leads to another origin`);
  scrollTo = null;
  if (replacing) {
    history.replaceState({ place: current }, "", url);
  } else {
    remember();
    current += 1;
    history.pushState({ place: current }, "", url);
    if (url.pathname !== shown.split("?")[0]) window.scrollTo(0, 0);
  }
  tell();
}

/** Scrolls to where the person was, as soon as the page is long enough again. Called after each draw. */
export function settleScroll() {
  if (scrollTo === null || document.documentElement.scrollHeight - innerHeight < scrollTo) return;
  window.scrollTo(0, scrollTo);
  scrollTo = null;
}

function remember() {
  left.set(current, { scroll: window.scrollY, focus: document.activeElement?.id ?? "" });
}

function tell() {
  shown = location.pathname + location.search;
  document.dispatchEvent(new CustomEvent("switchboard:place", { detail: shown }));
}

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element && event.target.closest("a[data-route]");
  if (!link || event.defaultPrevented || event.button !== 0 || page.runtime !== "ready") return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  navigate(link.href);
});

addEventListener("popstate", (event) => {
  if (location.pathname + location.search === shown) {
    // A fragment of this very place: the skip link, say.
    history.replaceState({ place: current }, "");
    return;
  }
  if (page.runtime !== "ready") {
    location.reload();
    return;
  }
  remember();
  current = event.state?.place ?? 0;
  const spot = left.get(current);
  scrollTo = spot?.scroll ?? 0;
  tell();
  if (spot?.focus) focusIfItComes(spot.focus);
});

document.addEventListener("switchboard:navigate", ({ detail }) => navigate(detail.address, detail.replacing));
// The browser's own restoring knows nothing of data that is still to come. For another document it does well.
history.scrollRestoration = "manual";
addEventListener("pagehide", () => (history.scrollRestoration = "auto"));
addEventListener("pageshow", () => (history.scrollRestoration = "manual"));
for (const type of ["keydown", "pointerdown", "wheel"]) {
  document.addEventListener(type, () => (scrollTo = null), { capture: true, passive: true });
}
