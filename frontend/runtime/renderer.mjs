// Draws ReactPy's model with Preact and tells ReactPy what happens to it.
import { eventHandler } from "./events.mjs";
import { keepingFocus } from "./focus.mjs";
import { acknowledge, draftIn, fill, isField } from "./drafts.mjs";
import { settleScroll } from "./navigation.mjs";
import { Fragment, h, render } from "./preact.mjs";

const FRAGMENT = { tagName: "" };
const UNDRAWN = "This part of the page could not be drawn.";
// Preact gives these a meaning of its own; a model has no use for them.
const RESERVED = new Set(["key", "ref", "children", "dangerouslySetInnerHTML", "indeterminate", "_reactpy_ack_seq"]);

// Attributes whose DOM property is spelled otherwise: Preact would write readonly="true".
const PRESENT = new Set(["readonly", "novalidate", "formnovalidate"]);

// Enumerated attributes whose DOM property of the same name is boolean: Preact would assign the text "false", which is
// true. It looks for the property by this exact name, HTML for the attribute in any case.
const WRITTEN = new Set(["spellcheck", "draggable"]);

/**
 * @param {Element} container what it holds is taken over by the first render, node by node where they are alike
 * @param {(event: object) => void} deliver takes a ReactPy layout event
 */
export function createRenderer(container, deliver) {
  let model = FRAGMENT;
  let drawing = false;
  let first = true;
  // Preact skips a subtree whose virtual node is the one it saw before, so each node of the model has one.
  const known = new WeakMap();
  // Moving a node blurs what is focused in it; nobody did that.
  const tell = (event) => drawing || deliver(event);

  function virtual(node) {
    // Preact writes an empty text anew each time, and the server's page has no node for it.
    if (typeof node === "string") return node || null;
    let made = known.get(node);
    if (!made) known.set(node, (made = make(node)));
    return made;
  }

  function make(node) {
    if ("error" in node) return h("p", { class: "runtime-error" }, node.error || UNDRAWN);
    const attributes = node.attributes ?? {};
    const props = { key: node.key ?? attributes.key };
    const field = isField(node.tagName);
    const draft = field && draftIn(attributes.type); // written by drafts.mjs
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null || value === false || name === draft || RESERVED.has(name)) continue;
      props[WRITTEN.has(name) ? name.toUpperCase() : name] = value === true && PRESENT.has(name) ? "" : value;
    }
    for (const [name, spec] of Object.entries(node.eventHandlers ?? {})) props[name] = eventHandler(spec, tell);
    const adopting = first;
    if (field) props.ref = (element) => element && fill(element, attributes, adopting);
    if (node.tagName === "dialog") props.ref = openModal;
    if (attributes.indeterminate !== undefined) {
      const { ref } = props;
      props.ref = (element) => {
        ref?.(element);
        if (element) element.indeterminate = attributes.indeterminate === true;
      };
    }
    return h(node.tagName || Fragment, props, ...(node.children ?? []).map(virtual));
  }

  return {
    /** Draws one update. @param {{path: string, model: object, ack: number}} update */
    apply(update) {
      acknowledge(update.ack);
      const steps = update.path.split("/").filter((step) => step && step !== "children");
      model = replaced(model, steps.map(Number), update.model);
      drawing = true;
      try {
        keepingFocus(() => render(virtual(model), container));
        settleScroll();
        // Preact takes over what it can use of the server's page and leaves the rest behind what it draws.
        if (first) Array.from(container.childNodes).slice(nodesOf(model)).forEach((node) => node.remove());
      } finally {
        drawing = first = false;
      }
    },
  };
}

/** A dialog of the model is open for as long as it is in the model; the browser gives focus back to nobody then. */
function openModal(element) {
  if (element && !element.open) element.showModal();
}

/** How many nodes a part of the model has on the uppermost level of the DOM. */
function nodesOf(node) {
  if (typeof node === "string") return node ? 1 : 0;
  if (node.tagName || "error" in node) return 1;
  return (node.children ?? []).reduce((sum, child) => sum + nodesOf(child), 0);
}

/** The model with one node exchanged: new are that node and those above it, the others stay the same objects. */
function replaced(node, [index, ...rest], part) {
  if (index === undefined) return part;
  if (node?.children?.[index] === undefined) throw new Error("ReactPy sent an update for a place that does not exist");
  return { ...node, children: node.children.with(index, replaced(node.children[index], rest, part)) };
}
