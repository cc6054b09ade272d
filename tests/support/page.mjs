// Runs the script of a recorded game's page with a fake browser document, and prints what it shows.
// Usage: node page.mjs PAGE.html. Prints one line of JSON each: at the start, after an arrow key, at the end, and from another viewpoint.
import { readFileSync } from "node:fs";

const html = readFileSync(process.argv[2], "utf8");
const script = html.match(/<script>\n([^]*?)<\/script>/)[1];

class Element {
  constructor(name, text = "") { Object.assign(this, { name, textContent: text, children: [], attributes: {}, style: {}, innerHTML: "", hidden: false }); }
  append(...children) { this.children.push(...children); }
  replaceChildren(...children) { this.children = children; }
  setAttribute(key, value) { this.attributes[key] = String(value); }
  removeAttribute(key) { delete this.attributes[key]; }
  querySelectorAll() { return []; }
  get firstChild() { return this.children[0]; }
  get tagName() { return this.name.toUpperCase(); }
}
const byId = {};
for (const [, id] of html.matchAll(/ id="(\w+)"/g)) byId[id] = new Element("div");
byId.data.textContent = html.match(/<script id="data"[^>]*>([^<]*)</)[1];
const fonts = [];
globalThis.document = {
  getElementById: id => { if (!(id in byId)) throw new Error("no element " + id); return byId[id]; },
  createElement: name => new Element(name),
  createElementNS: (_, name) => new Element(name),
  fonts: { add: font => fonts.push(font) },
};
globalThis.location = { hash: "" };
globalThis.history = { replaceState: (_, __, url) => { globalThis.location.hash = url; } };
globalThis.FontFace = class { constructor(family, bytes) { this.family = family; this.size = bytes.length; } load() { return Promise.resolve(this); } };
globalThis.fetch = globalThis.XMLHttpRequest = () => { throw new Error("the page asks the network"); };

const done = new Function(script.replace(/\nstart\(\);\s*$/, "\nreturn start();"))();
await done;
await new Promise(resolve => setTimeout(resolve, 10));
const key = name => document.onkeydown({ key: name, target: new Element("body"), preventDefault() {} });
const print = () => console.log(JSON.stringify({
  picture: byId.picture.innerHTML, move: byId.move.textContent, count: byId.count.textContent, hash: location.hash,
  bars: byId.thoughts.hidden ? null : byId.bars.children.map(item => item.children.slice(1).map(part => part.textContent)),
  value: byId.values.hidden ? null : byId.value.textContent, lines: byId.curve.children.length,
  viewers: byId.viewer.children.map(option => option.textContent), moves: byId.moves.children.length, fonts: fonts.length,
}));
print();
key("ArrowRight");
print();
key("End");
print();
byId.viewer.value = "1";
byId.viewer.onchange();
key("Home");
print();
