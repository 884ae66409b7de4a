// `node scripts/count-lines.mjs [COMMIT]`: lines of source by room, without tests, in the working tree or at a commit.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const [commit] = process.argv.slice(2);
const where = commit === undefined ? ["--untracked", ""] : ["", commit];
const counted = execFileSync("git", ["grep", "-a", "-c", ...where, "--", "src/*.ts", "src/*.tsx", "src/*.css"], {
  cwd: fileURLToPath(new URL("..", import.meta.url)),
  encoding: "utf8",
});

/** @type {Map<string, [files: number, lines: number]>} */
const rooms = new Map();
for (const [, room = "(src)", name = "", count] of counted.matchAll(/^(?:.*:)?src\/(?:(\w+)\/)?(.*):(\d+)$/gm)) {
  if (/\.test(?:-d)?\.tsx?$/.test(name)) continue;
  for (const row of [room, "all"]) {
    const [files, lines] = rooms.get(row) ?? [0, 0];
    rooms.set(row, [files + 1, lines + Number(count)]);
  }
}
const print = (/** @type {readonly (string | number)[]} */ [room, files, lines]) =>
  console.log(`${String(room).padEnd(10)}${String(files).padStart(6)}${String(lines).padStart(9)}`);
print(["room", "files", "lines"]);
for (const room of [...rooms.keys()].sort((a, b) => Number(a === "all") - Number(b === "all") || (a < b ? -1 : 1)))
  print([room, ...(rooms.get(room) ?? [])]);
