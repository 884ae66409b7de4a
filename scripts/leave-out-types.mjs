// Keeps declarations that no public one reaches out of the package: `node scripts/leave-out-types.mjs [DIST]` writes
// DIST/.npmignore. In the checkout they stay, because the scripts and benchmarks are checked against them.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = resolve(process.argv[2] ?? join(root, "dist"));
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const entries = Object.values(exports).flatMap(({ types }) => (types ? [join(dist, relative("dist", types))] : []));

const reached = reachedFrom(entries).filter((file) => file.startsWith(dist + sep));
const kept = reached.map((file) => `!/${relative(dist, file).replaceAll(sep, "/")}`);
writeFileSync(join(dist, ".npmignore"), `${["*.d.ts", ...kept.sort()].join("\n")}\n`);

/**
 * The files that a compiler reads to understand these.
 * @param {string[]} files
 */
function reachedFrom(files) {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-types-"));
  const project = join(folder, "tsconfig.json");
  const compilerOptions = { types: [] };
  writeFileSync(project, JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, files, include: [] }));
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", project, "--listFilesOnly"], {
    encoding: "utf8",
  });
  rmSync(folder, { recursive: true });
  if (status !== 0)
    throw new Error(`the compiler could not follow the public declarations:\n${stdout.slice(0, 2_000)}`);
  return stdout.split("\n").map((line) => resolve(line));
}
