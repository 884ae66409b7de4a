// Parts as a bundler cuts them, in one file of which V8 can keep what it has compiled: Node's loader of modules would find,
// read and link some hundred files, and compile them again in each process. Each part is a function, run when it is first
// needed, so what nobody needs costs no more than its text.
import { basename } from "node:path";
import { parse } from "acorn";
import { toAscii, withMark } from "./places.mjs";

/**
 * @param {readonly import("esbuild").OutputFile[]} outputs
 * @returns {string} a script whose value is a function of what its parts are given, with a mark of its own at the end
 */
export function joinParts(outputs) {
  const names = new Set(outputs.map(({ path }) => basename(path)));
  /** @type {Set<string>} */
  const changing = new Set();
  /** @type {Set<string>} */
  const constant = new Set();
  const parts = outputs.map(({ path, text }) => {
    const name = basename(path);
    return `${JSON.stringify(name)}($exports){"use strict";${toFunctionBody({ name, text, names, changing, constant })}}`;
  });
  for (const one of changing)
    if (constant.has(one))
      throw new Error(`${one} may change after others have imported it, which the build cannot do`);
  return withMark(toAscii(`(function(require,$url,$import,$part,$later){return{\n${parts.join(",\n")}\n}})\n`));
}

/**
 * What a module imports becomes constants, since the bundler's parts never import each other in a circle.
 * @typedef {object} Part
 * @property {string} name
 * @property {string} text
 * @property {ReadonlySet<string>} names of all parts
 * @property {Set<string>} changing gets what this part exports and changes later
 * @property {Set<string>} constant gets what this part imports
 * @param {Part} part
 */
function toFunctionBody({ name, text, names, changing, constant }) {
  const program = parse(text, { ecmaVersion: "latest", sourceType: "module" });
  /** @type {Edit[]} */
  const edits = [];
  /** @type {Map<string, string>} */
  const exported = new Map();
  for (const node of program.body) {
    if (node.type === "ImportDeclaration") {
      edits.push({ ...node, text: toConstants(node, names) });
      for (const one of node.specifiers)
        if (one.type === "ImportSpecifier")
          constant.add(`${basename(String(node.source.value))} ${nameOf(one.imported)}`);
    } else if (node.type === "ExportDefaultDeclaration")
      edits.push({ start: node.start, end: node.declaration.start, text: "$exports.default=" });
    else if (node.type === "ExportNamedDeclaration" && !node.declaration && !node.source) {
      for (const { local, exported: as } of node.specifiers) exported.set(nameOf(as), nameOf(local));
      edits.push({ ...node, text: "" });
    } else if (node.type.startsWith("Export"))
      throw new Error(`${name}: a form of export that the build does not know`);
  }
  const changed = new Set();
  eachBelow(program, 0, (node, depth) => {
    if (node.type === "ImportExpression") edits.push(toLater(node, names));
    else if (node.type === "MetaProperty" && node.meta.name === "import")
      // The only one that the sources use.
      edits.push({ start: node.start, end: node.end + ".url".length, text: "$url" });
    const to = node.type === "AssignmentExpression" ? node.left : node.type === "UpdateExpression" && node.argument;
    if (depth > 0 && to && to.type === "Identifier") changed.add(to.name);
  });
  const own = [...exported].map(([as, local]) => {
    if (!changed.has(local)) return `$exports.${as}=${local};`;
    changing.add(`${name} ${as}`);
    return `Object.defineProperty($exports,"${as}",{enumerable:true,get:()=>${local}});`;
  });
  return withEdits(text, edits) + own.join("");
}

/**
 * A script that imports by what it is given, as code has to that V8 keeps.
 * @param {string} text
 */
export function withImportsGiven(text) {
  /** @type {Edit[]} */
  const edits = [];
  eachBelow(parse(text, { ecmaVersion: "latest", sourceType: "script" }), 0, (node) => {
    if (node.type === "ImportExpression") edits.push(toLater(node, new Set()));
  });
  return withEdits(text, edits);
}

/** @typedef {{ start: number, end: number, text: string }} Edit */

/**
 * @param {import("acorn").ImportDeclaration} node
 * @param {ReadonlySet<string>} parts
 */
function toConstants({ source, specifiers }, parts) {
  const from = toRequire(String(source.value), parts);
  const named = [];
  const others = [];
  for (const one of specifiers) {
    if (one.type === "ImportSpecifier") named.push(`${nameOf(one.imported)}:${one.local.name}`);
    else if (one.type === "ImportNamespaceSpecifier") others.push(`const ${one.local.name}=${from};`);
    // What is outside is Node's own: its default is the module.
    else others.push(`const ${one.local.name}=${from}${isPart(String(source.value), parts) ? ".default" : ""};`);
  }
  if (specifiers.length === 0) return `${from};`;
  return others.join("") + (named.length === 0 ? "" : `const{${named.join(",")}}=${from};`);
}

/**
 * @param {string} from
 * @param {ReadonlySet<string>} parts
 */
function toRequire(from, parts) {
  return isPart(from, parts) ? `$part(${JSON.stringify(basename(from))})` : `require(${JSON.stringify(from)})`;
}

/**
 * @param {import("acorn").ImportExpression} node
 * @param {ReadonlySet<string>} parts
 * @returns {Edit}
 */
function toLater({ start, end, source }, parts) {
  const to = source.type === "Literal" && typeof source.value === "string" ? source.value : null;
  if (to !== null && isPart(to, parts)) return { start, end, text: `$later(${JSON.stringify(basename(to))})` };
  return { start, end: start + "import".length, text: "$import" };
}

/**
 * @param {string} from
 * @param {ReadonlySet<string>} parts
 */
function isPart(from, parts) {
  return from.startsWith("./") && parts.has(from.slice("./".length));
}

/** @param {import("acorn").Identifier | import("acorn").Literal} name */
function nameOf(name) {
  if (name.type === "Literal") throw new Error(`the build does not know names like ${name.raw}`);
  return name.name;
}

/**
 * @param {import("acorn").AnyNode} node
 * @param {number} depth how many functions are around it
 * @param {(node: import("acorn").AnyNode, depth: number) => void} visit
 */
function eachBelow(node, depth, visit) {
  visit(node, depth);
  const inner = /Function/.test(node.type) ? depth + 1 : depth;
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === "string") eachBelow(child, inner, visit);
}

/**
 * @param {string} text
 * @param {readonly Edit[]} edits
 */
function withEdits(text, edits) {
  let at = 0;
  let changed = "";
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    changed += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return changed + text.slice(at);
}
