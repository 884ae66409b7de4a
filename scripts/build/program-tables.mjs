// The tables of programs in src/core/rules/programs, from the long words in which people write them to the lines that
// src/core/rules/shell/program.ts reads: `names: tokens`, where letters stand for words. words.txt has both.
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SRC } from "./places.mjs";

/** @typedef {{ head: string, colons: string, style: string, tokens: string[] }} Block */

/** For a bundler: a table is a module that exports its lines as text. */
export const programTables = {
  name: "program-tables",
  /** @param {import("esbuild").PluginBuild} bundler */
  setup(bundler) {
    bundler.onLoad({ filter: /\.programs$/ }, async ({ path }) => ({
      contents: toModule(path, await readFile(path, "utf8")),
    }));
  },
};

/**
 * @param {string} path
 * @param {string} text
 */
export function toModule(path, text) {
  return `export const table = ${JSON.stringify(compileTable(text, path))};\n`;
}

/**
 * @param {string} text
 * @param {string} [file] as messages call it
 */
export function compileTable(text, file = "table") {
  /** @type {string[]} */
  const lines = [];
  /** @type {Block | null} */
  let block = null;
  const end = () => {
    if (block === null) return;
    const { head, colons, style, tokens } = block;
    lines.push([head + colons, ...(style === "" ? [] : [`[${style}]`]), ...tokens].join(" "));
  };
  let names = "";
  for (const [at, line] of text.split("\n").entries()) {
    if (line === "" || line.startsWith("#")) continue;
    try {
      if (!line.startsWith(" ")) {
        // Many names go on in the next line.
        names += line.endsWith("|") ? `${line} ` : line;
        if (/[,|]$/.test(line)) continue;
        end();
        block = toBlock(names);
        names = "";
      } else if (block === null) throw new Error("belongs to no program");
      else readLine(block, line.trim());
    } catch (error) {
      throw new Error(`${file}:${at + 1}: ${line.trim()}: ${error instanceof Error ? error.message : error}`);
    }
  }
  end();
  return `\n${lines.join("\n")}\n`;
}

/**
 * @param {string} names
 * @returns {Block}
 */
function toBlock(names) {
  const [, macro] = /^define ([A-Z]+)$/.exec(names) ?? [];
  const head = names.replaceAll(" | ", "|");
  if (macro === undefined && !/^[^\s,|:$]+(?:[ ,|][^\s,|:$]+)*$/.test(head)) throw new Error("is no name of a program");
  return macro === undefined
    ? { head, colons: ":", style: "", tokens: [] }
    : { head: `$${macro}`, colons: "", style: "", tokens: [] };
}

/**
 * @param {Block} block
 * @param {string} line
 */
function readLine(block, line) {
  const [, first = "", rest = ""] = /^(\/\S*\/[^:\s]*(?:, [\w-]+)*|[^:]*)(?:: (.*))?$/.exec(line) ?? [];
  const names = rest.split(" ").filter((name) => name !== "");
  if (line === "only reads") block.colons = "::";
  else if (line === "reads its script from input") block.tokens.push("<");
  else if (first === "style") block.style = names.map((word) => letterOf("style", word.replace(/,$/, ""))).join("");
  else if (first === "language") block.tokens.push(`{${rest}}`);
  else if (first === "include") block.tokens.push(...names.map((name) => `$${name}`));
  else if (first === "pattern") block.tokens.push(rest);
  else if (first === "operand") block.tokens.push(toOperand(rest));
  else if (names.length === 0) throw new Error("names no option");
  else block.tokens.push(...toOptions(first, names, block));
}

/** @param {string} text */
function toOperand(text) {
  const [kind = "", ...how] = text.split(", ");
  const marks = how.filter((word) => word !== "repeated").map((word) => letterOf("mark", word));
  return toKind(kind) + (how.includes("repeated") ? "*" : "") + marks.join("");
}

/**
 * Short options with the same value become one token, where options are letters.
 * @param {string} text
 * @param {readonly string[]} names
 * @param {Pick<Block, "head" | "style">} block
 */
function toOptions(text, names, { head, style }) {
  const [what = "", ...how] = text.split(", ");
  const marks = how
    .filter((word) => word !== "joined")
    .map((word) => letterOf("mark", word))
    .join("");
  const value = what === "flag" ? "" : `=${what === "text" ? "" : what.split(" ").map(toKind).join("")}`;
  const behind = marks + value + (how.includes("joined") ? "?" : "");
  const odd = names.find((name) => !/^[-+]/.test(name));
  if (odd !== undefined) throw new Error(`${odd} has no dash`);
  const isLetters = !head.startsWith("$") && !style.includes("1");
  const letters = isLetters ? names.filter((name) => /^-[^-]$/.test(name)) : [];
  const others = names.filter((name) => !letters.includes(name));
  const cluster = letters.length === 0 ? [] : [`-${letters.map((name) => name.slice(1)).join("")}`];
  return [...cluster, ...others].map((name) => name + behind);
}

/** @param {string} word a pattern, the name of one, or a word */
function toKind(word) {
  return word.startsWith("/") ? word : /^[A-Z]+$/.test(word) ? `$${word}` : letterOf("kind", word);
}

/** @type {ReadonlyMap<string, string> | null} */
let letters = null;

/**
 * @param {"kind" | "mark" | "style"} sort
 * @param {string} word
 */
function letterOf(sort, word) {
  letters ??= readWords();
  const letter = letters.get(`${sort} ${word}`);
  if (letter === undefined) throw new Error(`"${word}" is no ${sort}; words.txt has them all`);
  return letter;
}

/** By sort and word. */
export function readWords() {
  const text = readFileSync(join(SRC, "core", "rules", "programs", "words.txt"), "utf8");
  const rows = [...text.matchAll(/^(kind|mark|style) +([\w-]+) +(\S) /gm)];
  return new Map(rows.map(([, sort, word, letter = ""]) => [`${sort} ${word}`, letter]));
}
