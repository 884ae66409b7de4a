// Prepares a release: checks, version, changelog, tarball, and a trial of the tarball on every supported Node.
// Publishes nothing and pushes nothing: it ends with the tarball, a commit and what to do next.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installOutside } from "./outside-packages.mjs";
import { packCheckout, tryTarball } from "./smoke-tarball.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const NODES = ["20.19.5", "22.20.0", "24.9.0"];
const USAGE = `usage: node scripts/release.mjs VERSION [--dry-run] [--skip-tests]

VERSION       such as 0.2.0, or major, minor or patch
--dry-run     changes no file and makes no commit; packs and tries what is there
--skip-tests  tries the tarball on Node ${NODES.join(", ")} without running the test suite there
`;

/** Something that the person who releases has to mend. */
class Refused extends Error {}

/** @param {readonly string[]} argv */
function main(argv) {
  const known = ["--dry-run", "--skip-tests", "--help"];
  const unknown = argv.find((word) => word.startsWith("-") && !known.includes(word));
  const [wanted, ...rest] = argv.filter((word) => !word.startsWith("-"));
  if (argv.includes("--help")) return void process.stdout.write(USAGE);
  if (unknown !== undefined || wanted === undefined || rest.length > 0) {
    throw new Refused(`${unknown === undefined ? "it takes one version" : `unknown option ${unknown}`}\n\n${USAGE}`);
  }
  const isDry = argv.includes("--dry-run");
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const version = nextVersion(manifest.version, wanted);
  const changelog = datedChangelog(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), version, today());
  checkTree(isDry);
  say("checking: npm run check");
  run("npm", ["run", "--silent", "check"]);
  if (!isDry) {
    run("npm", ["version", version, "--no-git-tag-version", "--ignore-scripts"]);
    run("node", [join("scripts", "write-plugins.mjs")]);
    writeFileSync(join(ROOT, "CHANGELOG.md"), changelog);
  }
  const out = join(ROOT, ".setup", "release");
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  say("packing");
  const tarball = packCheckout(ROOT, out);
  for (const node of NODES) tryOn(node, tarball, argv.includes("--skip-tests"));
  if (isDry) return say(`dry run: ${version} could be released; nothing was changed. The tarball is ${tarball}`);
  run("git", ["commit", "-q", "-m", `Release ${version}`, "--", ...WRITTEN]);
  say(`ready. Next: git tag v${version} && git push --follow-tags && npm publish ${tarball}`);
}

/** What holds the version. */
const WRITTEN = [
  ...["package.json", "package-lock.json", "CHANGELOG.md"],
  ...["plugins", ".claude-plugin", ".agents", ".github"],
];

/**
 * @param {string} now
 * @param {string} wanted
 */
export function nextVersion(now, wanted) {
  const parts = now.split(".").map(Number);
  const at = ["major", "minor", "patch"].indexOf(wanted);
  if (at >= 0) return parts.map((part, index) => (index < at ? part : index === at ? part + 1 : 0)).join(".");
  if (!/^\d+\.\d+\.\d+$/.test(wanted))
    throw new Refused(`"${wanted}" is no version; write one such as 0.2.0, or major, minor or patch`);
  const next = wanted.split(".").map(Number);
  const first = next.findIndex((part, index) => part !== parts[index]);
  if (first < 0 || (next[first] ?? 0) < (parts[first] ?? 0)) throw new Refused(`${wanted} does not come after ${now}`);
  return wanted;
}

/**
 * The changelog with what is unreleased under a version and a date, and an empty section above it.
 * @param {string} text
 * @param {string} version
 * @param {string} date
 */
export function datedChangelog(text, version, date) {
  const heading = "## [Unreleased]\n";
  const [before, after] = text.split(heading);
  if (before === undefined || after === undefined) throw new Refused('CHANGELOG.md has no section "## [Unreleased]"');
  if (!/^- /m.test(after.split(/^## /m)[0] ?? ""))
    throw new Refused("CHANGELOG.md says nothing under Unreleased; write what changed");
  if (text.includes(`## [${version}]`)) throw new Refused(`CHANGELOG.md already has a section for ${version}`);
  return `${before}${heading}\n## [${version}] - ${date}\n${after}`;
}

/** @param {boolean} isDry */
function checkTree(isDry) {
  const { stdout } = spawnSync("git", ["status", "--porcelain"], { cwd: ROOT, encoding: "utf8" });
  if (stdout === "") return;
  const text = `the working tree is not clean; commit or stash first:\n${stdout}`;
  if (!isDry) throw new Refused(text);
  say(`dry run, although ${text.trimEnd()}`);
}

/**
 * @param {string} version
 * @param {string} tarball
 * @param {boolean} skipsTests
 */
function tryOn(version, tarball, skipsTests) {
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const folder = installOutside(`release-node-${version}`, [`${name}@${version}`]);
  if (folder === null)
    throw new Refused(`Node ${version} could not be installed; it comes from the npm package ${name}`);
  const node = join(folder, name, "bin", process.platform === "win32" ? "node.exe" : "node");
  const place = mkdtempSync(join(tmpdir(), "toolcrib-release-"));
  try {
    say(`Node ${version}: trying the tarball`);
    const { said } = tryTarball(tarball, place, { node });
    if (said !== "hello") throw new Refused(`Node ${version}: the library said ${JSON.stringify(said)}`);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
  if (skipsTests) return;
  say(`Node ${version}: running the tests`);
  run(node, [join(ROOT, "scripts", "test.mjs"), "--all"], {
    PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ""}`,
  });
}

/**
 * @param {string} command
 * @param {readonly string[]} argv
 * @param {NodeJS.ProcessEnv} [env]
 */
function run(command, argv, env = {}) {
  const shell = process.platform === "win32" && command === "npm";
  const { status, error } = spawnSync(command, argv, {
    cwd: ROOT,
    stdio: "inherit",
    shell,
    env: { ...process.env, ...env },
  });
  if (status !== 0)
    throw new Refused(`${command} ${argv.join(" ")} failed${error === undefined ? "" : `: ${error.message}`}`);
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`release: ${text}\n`);
}

function today() {
  return new Date().toISOString().slice(0, 10);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    main(process.argv.slice(2));
  } catch (error) {
    say(error instanceof Refused ? error.message : String(error instanceof Error ? error.stack : error));
    process.exitCode = 1;
  }
}
