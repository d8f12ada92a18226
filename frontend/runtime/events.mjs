// What a component's event handler is told: plain data, small, whatever the page's size.
import { reporting } from "./drafts.mjs";

/**
 * @param {{target: string, preventDefault?: boolean, stopPropagation?: boolean}} spec from the model
 * @param {(event: object) => void} deliver
 * @returns {(event: Event) => void}
 */
export function eventHandler(spec, deliver) {
  return (event) => {
    if (leavesByModifier(event) || unwantedKey(event)) return;
    if (spec.preventDefault) event.preventDefault();
    if (spec.stopPropagation) event.stopPropagation();
    deliver({ type: "layout-event", target: spec.target, seq: reporting(event.target), data: [serialised(event)] });
  };
}

/** A link opened in a new tab or window is the browser's business. */
function leavesByModifier(event) {
  return (
    event.type === "click" &&
    (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) &&
    event.currentTarget instanceof Element &&
    event.currentTarget.matches("a[href]")
  );
}

/**
 * data-keys="ArrowUp Space" on the element with the handler: all other keys keep their meaning. So do keys that an
 * input method takes to compose a character.
 */
function unwantedKey(event) {
  if (!(event instanceof KeyboardEvent)) return false;
  const keys = event.currentTarget.dataset?.keys;
  return event.isComposing || (Boolean(keys) && !keys.split(" ").includes(event.key === " " ? "Space" : event.key));
}

function serialised(event) {
  const data = { type: event.type, target: described(event.target), currentTarget: described(event.currentTarget) };
  for (const name of ["key", "code", "repeat", "button", "ctrlKey", "shiftKey", "altKey", "metaKey", "inputType"]) {
    if (name in event) data[name] = event[name];
  }
  if (event.type === "submit") Object.assign(data, formValues(event.target, event.submitter));
  return data;
}

function described(node) {
  if (!(node instanceof Element)) return {};
  const { localName: tagName, id, dataset } = node;
  const data = { tagName, id, name: node.getAttribute("name") ?? "", dataset: { ...dataset } };
  for (const name of ["value", "checked", "open"]) if (name in node) data[name] = node[name];
  if (node.multiple && node.selectedOptions) data.values = Array.from(node.selectedOptions, (option) => option.value);
  return data;
}

/** `form`: the first value of each name; `formLists`: all values of each name. Files are left out. */
function formValues(form, submitter) {
  const values = {};
  const lists = {};
  for (const [name, value] of new FormData(form, submitter)) {
    if (typeof value !== "string") continue;
    values[name] ??= value;
    (lists[name] ??= []).push(value);
  }
  return { form: values, formLists: lists };
}
