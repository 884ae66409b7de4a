// Writes down the public surface, so that nobody changes it by accident: `node scripts/write-api-report.mjs`. One file for
// each entry of the package with the names that it exports and their declarations, and one with every other declaration that
// those refer to. Comments and paths are left out: to word something better or to move a file changes no surface.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureReady } from "./setup.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
export const REPORT_FOLDER = join(ROOT, "test", "fixtures", "public-api");

/**
 * @typedef {{ file: string, name: string, text: string, isValue: boolean, isType: boolean }} Declaration
 * @typedef {{ file: string, name: string }} Link
 * @typedef {{ declared: Map<string, Declaration[]>, imported: Map<string, Link>, exported: Map<string, Link> }} Module
 * @typedef {{ name: string, isValue: boolean }} PublicName
 */

/**
 * The entries of the package by their name there, each with the names that it exports.
 * @returns {{ entries: Map<string, PublicName[]>, files: Map<string, string> }}
 */
export function readPublicApi() {
  const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const read = createReader();
  /** @type {Map<string, PublicName[]>} */
  const entries = new Map();
  /** @type {Map<string, string>} */
  const files = new Map();
  /** @type {Set<Declaration>} */
  const shown = new Set();
  for (const [entry, { types }] of Object.entries(exports)) {
    if (types === undefined) continue;
    const module = read(join(ROOT, types));
    const found = [...module.exported]
      .map(([name, link]) => ({ name, declarations: read.resolve(link) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    const name = entry === "." ? "toolcrib" : basename(entry);
    entries.set(
      name,
      found.map(({ name, declarations }) => ({ name, isValue: declarations.some(({ isValue }) => isValue) })),
    );
    files.set(`${name}.txt`, found.map(({ name, declarations }) => toSection(name, declarations)).join("\n"));
    for (const { declarations } of found) for (const one of declarations) shown.add(one);
  }
  files.set("reached.txt", describeReached(shown, read));
  return { entries, files };
}

/**
 * @param {ReadonlySet<Declaration>} shown
 * @param {ReturnType<typeof createReader>} read
 */
function describeReached(shown, read) {
  const reached = new Set(shown);
  for (const { file, text } of reached)
    for (const link of read.linksIn(file, text)) for (const one of read.resolve(link)) reached.add(one);
  return [...reached]
    .filter((one) => !shown.has(one))
    .map(({ name, text }) => toSection(name, [{ text }]))
    .sort()
    .join("\n");
}

/**
 * @param {string} name
 * @param {readonly Pick<Declaration, "text">[]} declarations
 */
function toSection(name, declarations) {
  const texts = declarations.map(({ text }) => text.replace(/\bimport\("[^"]*"\)\./g, "").replace(/^export /, ""));
  return `${name}\n${texts.map((text) => text.replace(/^/gm, "  ")).join("\n")}\n`;
}

/** Reads declaration files as the compiler writes them, each once. */
function createReader() {
  /** @type {Map<string, Module>} */
  const modules = new Map();
  /** @param {string} file */
  const read = (file) => {
    const known = modules.get(file);
    if (known !== undefined) return known;
    const module = readModule(file);
    modules.set(file, module);
    return module;
  };
  /**
   * @param {Link} link
   * @returns {Declaration[]}
   */
  read.resolve = ({ file, name }) => {
    const { declared, imported, exported } = read(file);
    const own = declared.get(name);
    if (own !== undefined) return own;
    const link = exported.get(name) ?? imported.get(name);
    if (link === undefined) throw new Error(`${file} declares no ${name}`);
    return link.file === file && link.name === name ? [] : read.resolve(link);
  };
  /**
   * What a declaration refers to, of what its file declares or imports.
   * @param {string} file
   * @param {string} text
   * @returns {Link[]}
   */
  read.linksIn = (file, text) => {
    const { declared, imported } = read(file);
    const inline = [...text.matchAll(/\bimport\("(\.[^"]+)"\)\.(\w+)/g)].map(([, from = "", name = ""]) => ({
      file: toFile(file, from),
      name,
    }));
    const bare = text.replace(/"[^"\n]*"/g, "").replace(/\w+\??:/g, "");
    const asked = new Set([...bare.matchAll(/\btypeof (\w+)/g)].map(([, name]) => name));
    const named = [...new Set(bare.match(/\w+/g))].flatMap((word) =>
      declared.has(word) ? [{ file, name: word }] : (imported.get(word) ?? []),
    );
    // A value is referred to by `typeof` alone; any other word of that name is a label or a keyword.
    const isMeant = (/** @type {Link} */ link) =>
      read.resolve(link).some(({ isType }) => isType) || asked.has(link.name);
    return [...inline, ...named.filter(isMeant)];
  };
  return read;
}

const DECLARING = /^(?:export )?(?:declare )?(?:abstract )?(interface|type|class|function|const|enum) (\w+)/;
const LISTING = /^(import|export) (?:type )?\{([\s\S]*?)\}(?: from "([^"]+)")?;$/;

/**
 * @param {string} file
 * @returns {Module}
 */
function readModule(file) {
  const module = { declared: new Map(), imported: new Map(), exported: new Map() };
  for (const text of splitStatements(withoutComments(readFileSync(file, "utf8")))) {
    const [, kind, list = "", from] = LISTING.exec(text) ?? [];
    const [, what, name = ""] = DECLARING.exec(text) ?? [];
    if (kind !== undefined) {
      const to = kind === "import" ? module.imported : module.exported;
      for (const { name, as } of namesIn(list))
        if (from === undefined || from.startsWith("."))
          to.set(as, { file: from === undefined ? file : toFile(file, from), name });
    } else if (what !== undefined) {
      const isType = what === "interface" || what === "type" || what === "class";
      const isValue = !isType || what === "class";
      module.declared.set(name, [...(module.declared.get(name) ?? []), { file, name, text, isValue, isType }]);
      if (text.startsWith("export ")) module.exported.set(name, { file, name });
    } else if (!text.startsWith("import ")) throw new Error(`${file} holds what this script cannot read:\n${text}`);
  }
  return module;
}

/** @param {string} list between the braces of an import or export */
function namesIn(list) {
  return list
    .split(",")
    .map((one) => one.trim().replace(/^type /, ""))
    .filter((one) => one !== "")
    .map((one) => {
      const [name = "", as = name] = one.split(" as ");
      return { name, as };
    });
}

/**
 * Each statement begins at the left margin, and what goes on there begins with no word.
 * @param {string} text
 */
function splitStatements(text) {
  return text
    .split(/^(?=[a-z])/m)
    .map((one) => one.replace(/^\s*\n/gm, "").trimEnd())
    .filter((one) => one !== "");
}

/** @param {string} text */
function withoutComments(text) {
  return text.replace(/("(?:[^"\\\n]|\\.)*"|`[^`]*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, (_, quoted) => quoted ?? "");
}

/**
 * @param {string} file
 * @param {string} specifier
 */
function toFile(file, specifier) {
  return resolve(dirname(file), specifier.replace(/\.[jt]s$/, ".d.ts"));
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  if (!ensureReady(ROOT, { declares: true })) process.exit(1);
  rmSync(REPORT_FOLDER, { recursive: true, force: true });
  mkdirSync(REPORT_FOLDER, { recursive: true });
  for (const [name, text] of readPublicApi().files) writeFileSync(join(REPORT_FOLDER, name), text);
}
