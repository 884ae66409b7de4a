// Chooses which files of the build go into a package, in a `.npmignore` of each folder: those that a public entry reaches. All
// others stay in the checkout, where tests, benchmarks and the command's bundle are made of them. npm compares each file with
// each line of the folders above it, which took half a minute of CPU while one list was for all.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { build } from "esbuild";
import { FOR_NODE, ROOT } from "./places.mjs";

/** Folders in which a bundler has put what is needed and nothing else. */
const WHOLE = ["code", "command", "inspector"];
/** Started as a program of its own. */
const PROGRAMS = ["surfaces/sample/sample-server.js"];

/** @param {string} out */
export async function chooseShipped(out) {
  const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  /** @param {"types" | "default"} kind */
  const entries = (kind) =>
    Object.values(exports).flatMap((entry) => (entry[kind] ? [join(out, relative("dist", entry[kind]))] : []));
  const programs = PROGRAMS.map((path) => join(out, path));
  const inCommand = readdirSync(join(out, "command")).filter((name) => /\.c?js$/.test(name));
  const commands = inCommand.map((name) => join(out, "command", name));
  const reached = [
    ...(await codeFrom([
      ...new Set([...entries("default"), ...programs, ...commands, ...commands.flatMap(importsOf)]),
    ])),
    ...typesFrom(entries("types")),
  ];
  /** @type {Map<string, string[]>} */
  const kept = new Map([[out, ["*.js", "*.d.ts", ...WHOLE.map((folder) => `!/${folder}/**`)]]]);
  for (const file of reached.filter((path) => path.startsWith(out + sep)).sort()) {
    const folder = dirname(file);
    if (WHOLE.some((whole) => file.startsWith(join(out, whole) + sep))) continue;
    kept.set(folder, [...(kept.get(folder) ?? []), `!/${basename(file)}`]);
  }
  for (const [folder, lines] of kept) writeFileSync(join(folder, ".npmignore"), `${lines.join("\n")}\n`);
}

/**
 * What a file of the commands imports from elsewhere, in a form that no bundler knows.
 * @param {string} file
 */
function importsOf(file) {
  const found = readFileSync(file, "utf8").matchAll(/\$import\("(\.\.\/[^"]+)"\)/g);
  return [...found].map(([, to = ""]) => join(file, "..", to));
}

/**
 * The files that run when one of these does.
 * @param {string[]} files
 */
async function codeFrom(files) {
  const { metafile } = await build({
    ...FOR_NODE,
    entryPoints: files.map((path) => ({ in: path, out: path })),
    outdir: ROOT,
    splitting: true,
    packages: "external",
    write: false,
    metafile: true,
    // What is in packages is theirs, and was bundled before.
    logLevel: "error",
  });
  return Object.keys(metafile.inputs).map((path) => resolve(ROOT, path));
}

/**
 * The files that a compiler reads to understand these.
 * @param {string[]} files
 */
function typesFrom(files) {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-types-"));
  const project = join(folder, "tsconfig.json");
  const compilerOptions = { types: [] };
  writeFileSync(project, JSON.stringify({ extends: join(ROOT, "tsconfig.json"), compilerOptions, files, include: [] }));
  const compiler = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", project, "--listFilesOnly"], {
    encoding: "utf8",
  });
  rmSync(folder, { recursive: true });
  if (status !== 0)
    throw new Error(`the compiler could not follow the public declarations:\n${stdout.slice(0, 2_000)}`);
  return stdout.split("\n").map((line) => resolve(line));
}
