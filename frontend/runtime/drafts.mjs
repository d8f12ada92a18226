// Inputs belong to the person. The DOM holds the draft; the model writes a value only when its own value changed,
// and never writes an older draft back over a newer one.

const FIELDS = new Set(["input", "select", "textarea"]);
/** @type {WeakMap<Element, {wrote?: string | boolean, sent: number, reported: Set<string | boolean>}>} */
const drafts = new WeakMap();
let serial = 0;
let acknowledged = -1;

/** @param {string} tagName in lower case */
export const isField = (tagName) => FIELDS.has(tagName);

/** The property that holds the draft. @param {string | undefined} type the field's */
export const draftIn = (type) => (type === "checkbox" || type === "radio" ? "checked" : "value");

/** Notes up to which event Python had got when it made the render that comes next. @param {number} number */
export function acknowledge(number) {
  acknowledged = number;
}

/**
 * Notes that an event goes to Python, with the draft of the field that it happened in, if it was one.
 * @param {EventTarget} target
 * @returns {number} the event's serial number
 */
export function reporting(target) {
  if (target instanceof Element && isField(target.localName)) {
    const draft = draftOf(target);
    draft.sent = serial;
    draft.reported.add(target[draftIn(target.type)]);
  }
  return serial++;
}

/**
 * Writes what the model says about `field`, if it says something new.
 * @param {Element} field
 * @param {object} attributes the model's
 * @param {boolean} adopting whether the field may come from the server's page, already filled in
 */
export function fill(field, attributes, adopting) {
  const property = draftIn(field.type);
  const draft = draftOf(field);
  if (adopting && editedBefore(field, property)) {
    // Typed while Python was loading: it counts, and the components hear of it as soon as they can.
    draft.wrote = field[property];
    queueMicrotask(() => field.dispatchEvent(new Event("input", { bubbles: true })));
    return;
  }
  const wanted = wantedOf(attributes, property);
  const current = acknowledged >= draft.sent;
  const echo = !current && draft.reported.has(wanted);
  if (current) draft.reported.clear();
  if (wanted === undefined || draft.wrote === wanted) return;
  draft.wrote = wanted;
  // An echo of an earlier keystroke is not written: that of the last one is still to come.
  if (field[property] === wanted || echo) return;
  write(field, property, wanted);
  // A list may get the chosen option later, and is then written again.
  if (field.localName === "select" && field.value !== wanted) draft.wrote = undefined;
}

function draftOf(field) {
  if (!drafts.has(field)) drafts.set(field, { sent: -1, reported: new Set() });
  return drafts.get(field);
}

/** What the model wants in the field; undefined when it leaves it alone. */
function wantedOf(attributes, property) {
  const value = attributes[property] ?? undefined;
  if (value === undefined) return undefined;
  return property === "checked" ? value === true : String(value);
}

function editedBefore(field, property) {
  if (field.localName === "select") return false;
  return property === "checked" ? field.checked !== field.defaultChecked : field.value !== field.defaultValue;
}

function write(field, property, wanted) {
  const caret = document.activeElement === field && property === "value" ? field.selectionStart : null;
  field[property] = wanted;
  if (typeof caret === "number") field.setSelectionRange(caret, caret);
}
