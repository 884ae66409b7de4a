// What an install costs: packages and bytes on disk, and the way from a start as `npx` does it to the first tool listed.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packCheckout, tryTarball } from "../scripts/smoke-tarball.mjs";
import { median } from "./measure.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const ROUNDS = 5;
const MOST_MB = 40;
const MOST_PACKAGES = 28;

export async function run() {
  const place = mkdtempSync(join(tmpdir(), "toolcrib-install-"));
  try {
    tryTarball(packCheckout(ROOT, join(place, "packed")), place);
    const project = join(place, "project");
    const modules = join(project, "node_modules");
    const bytes = diskBytes(modules);
    const packages = Object.keys(JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8")).packages).length;
    const bin = join(modules, ".bin", "toolcrib");
    const listing = time(() => start(bin, ["list", "--world", "world.json"], project));
    const bare = time(() => start(process.execPath, ["-e", "0"], project));
    const mb = bytes / 2 ** 20;
    return [
      {
        name: `installed size, in units of ${MOST_MB} MB`,
        measured: `${mb.toFixed(1)} MB`,
        ratio: mb / MOST_MB,
        limit: 1,
      },
      {
        name: `packages, in units of ${MOST_PACKAGES}`,
        measured: String(packages),
        ratio: packages / MOST_PACKAGES,
        limit: 1,
      },
      {
        name: "from the start of the installed command to the first tool listed, against `node -e 0`",
        measured: `${listing.toFixed(0)} ms against ${bare.toFixed(0)} ms`,
        ratio: listing / bare,
        limit: 4,
      },
    ];
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** @param {() => void} act */
function time(act) {
  const times = Array.from({ length: ROUNDS }, () => {
    const from = performance.now();
    act();
    return performance.now() - from;
  });
  return median(times);
}

/**
 * @param {string} command
 * @param {readonly string[]} argv
 * @param {string} cwd
 */
function start(command, argv, cwd) {
  const { status, stderr } = spawnSync(command, argv, {
    cwd,
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: cwd },
  });
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`);
}

/**
 * Blocks that files and folders take, as `du` counts them.
 * @param {string} folder
 */
function diskBytes(folder) {
  if (!existsSync(folder)) return 0;
  let bytes = 0;
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const found = statSync(join(folder, path), { throwIfNoEntry: false });
    if (found !== undefined) bytes += (found.blocks ?? Math.ceil(found.size / 512)) * 512;
  }
  return bytes;
}
