"use strict";
// Untrusted text becomes text nodes and nothing else. Characters that hide, reorder or forge text stand as escapes.

let unshown = /(?!)/gu;

function escaped(character) {
  const code = character.codePointAt(0);
  if (code < 0x100) return "\\x" + code.toString(16).padStart(2, "0");
  return code < 0x10000 ? "\\u" + code.toString(16).padStart(4, "0") : "\\U" + code.toString(16).padStart(8, "0");
}

function put(parent, text) {
  let from = 0;
  for (const found of text.matchAll(unshown)) {
    if (found.index > from) parent.append(text.slice(from, found.index));
    const shown = document.createElement("span");
    shown.className = "escape";
    shown.append(escaped(found[0]));
    parent.append(shown);
    from = found.index + found[0].length;
  }
  if (from < text.length) parent.append(text.slice(from));
  return parent;
}

function plain(text) {
  return text.replace(unshown, escaped);
}

// make("p", {class: "why"}, "text", node, null): attributes are the page's own words, children are data or nodes.
function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === "") continue;
    if (child instanceof Node) element.append(child);
    else put(element, String(child));
  }
  return element;
}

// A shape beside each word, so that no outcome is told by colour alone.
const SHAPES = {
  good: "M2 6.5 5 9.5 10 3",
  bad: "M2.5 2.5 9.5 9.5M9.5 2.5 2.5 9.5",
  split: "M1.5 6H10.5M6 1.5V10.5",
  doubt: "M6 1.5 11 10.5 1 10.5Z",
  none: "M2 6H10",
};
const SHAPE_OF = {
  pass: "good", supported: "good", covered: "good",
  fail: "bad", contradicted: "bad",
  unsupported: "doubt", missing: "doubt", partial: "doubt", unstable: "split",
  "judge error": "split", "scorer error": "split", "missing output": "doubt",
  "first wins": "good", "second wins": "good", "depends on the order": "split", "no verdict": "split",
  fixed: "good", broken: "bad", drifted: "split", "still failing": "bad",
};

function outcome(word, said) {
  const shape = SHAPE_OF[word] || "none";
  const space = "http://www.w3.org/2000/svg";
  const drawing = document.createElementNS(space, "svg");
  for (const [key, value] of [["class", "shape"], ["viewBox", "0 0 12 12"], ["width", "12"], ["height", "12"], ["aria-hidden", "true"]]) {
    drawing.setAttribute(key, value);
  }
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", SHAPES[shape]);
  drawing.append(path);
  return make("span", { class: "state is-" + shape }, drawing, said || word.replace("_", " "));
}

// Cuts a text at the ends of all marks; each mark is {start, end, kind, label}. Marks may overlap.
function marked(text, marks) {
  const kept = marks.filter((mark) => mark.end <= text.length).sort((a, b) => a.start - b.start || b.end - a.end);
  const cuts = [...new Set([0, text.length, ...kept.flatMap((mark) => [mark.start, mark.end])])].sort((a, b) => a - b);
  const block = make("div", { class: "text", dir: "auto" });
  for (let i = 0; i + 1 < cuts.length; i += 1) {
    const [start, end] = [cuts[i], cuts[i + 1]];
    const over = kept.filter((mark) => mark.start <= start && end <= mark.end);
    for (const mark of over) if (mark.start === start) block.append(mark.label());
    if (over.length) block.append(make("mark", { class: over[0].kind }, text.slice(start, end)));
    else put(block, text.slice(start, end));
  }
  return block;
}
