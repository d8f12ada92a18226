// Focus outlives a render, and finds elements that only a later render brings.

/**
 * Runs `draw`; what was focused and is still on the page is focused afterwards, with its selection. What was taken away
 * is focused again when something with its id comes: the caption of another page of a listing, say.
 */
export function keepingFocus(draw) {
  const element = document.activeElement;
  const { selectionStart, selectionEnd, selectionDirection } = element ?? {};
  draw();
  if (element && element !== document.activeElement && element !== document.body && element.isConnected) {
    element.focus({ preventScroll: true });
    if (typeof selectionStart === "number") element.setSelectionRange(selectionStart, selectionEnd, selectionDirection);
  }
  if (element?.id && !element.isConnected) awaited = element.id;
  settleWanted();
}

let wanted = null;
let awaited = null;

/** Focuses the element with this id, now or after the render that brings it. @param {string} id */
export function focusWhenThere(id) {
  wanted = id;
  settleWanted();
}

/** Focuses the element with this id if a later render brings it. @param {string} id */
export function focusIfItComes(id) {
  awaited = id;
}

function settleWanted() {
  const element = wanted !== null && document.getElementById(wanted);
  if (element) {
    // Nothing behind an open dialog can take the focus: it waits until the dialog is gone.
    if (element.closest("dialog") !== document.querySelector("dialog:modal")) return;
    wanted = null;
    focus(element);
    return;
  }
  const late = wanted === null && awaited !== null && document.getElementById(awaited);
  if (!late) return;
  awaited = null;
  focus(late);
}

function focus(element) {
  element.focus();
  if (document.activeElement === element) return;
  // A heading, say: it takes focus for this once and is no tab stop.
  element.setAttribute("tabindex", "-1");
  element.addEventListener("blur", () => element.removeAttribute("tabindex"), { once: true });
  element.focus();
}

document.addEventListener("switchboard:focus", (event) => focusWhenThere(event.detail));
// A person who moves on has chosen another place.
for (const type of ["keydown", "pointerdown"]) {
  document.addEventListener(type, () => (wanted = awaited = null), { capture: true });
}
