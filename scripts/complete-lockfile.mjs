// Adds the packages of other platforms to package-lock.json: node scripts/complete-lockfile.mjs [FOLDER]
// npm leaves an optional package out of the lockfile when the registry it asked does not have it (a mirror often holds
// one platform only), and then `npm ci` refuses that lockfile everywhere. Run this after `npm install` of something
// that ships binaries. An entry added here has no integrity; npm fills it in on a platform that installs it.
import { readFileSync, writeFileSync } from "node:fs";

/**
 * @typedef {{ version?: string, dev?: boolean, license?: string, optionalDependencies?: Record<string, string> }} Entry
 */

const SYSTEMS = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
const PROCESSORS = ["arm", "arm64", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "x64"];
const LIBRARIES = new Map([
  ["gnu", "glibc"],
  ["gnueabihf", "glibc"],
  ["musl", "musl"],
  ["musleabihf", "musl"],
]);
const EXACT_VERSION = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;

const path = new URL(`../${process.argv[2] ?? "."}/package-lock.json`, import.meta.url);
const lockfile = JSON.parse(readFileSync(path, "utf8"));
/** @type {Map<string, Entry>} */
const packages = new Map(Object.entries(lockfile.packages));
const added = [...packages].flatMap(([owner, entry]) => missingOf(owner, entry));

if (added.length > 0) {
  const all = [...packages, ...added].sort(([a], [b]) => a.localeCompare(b, "en"));
  writeFileSync(path, `${JSON.stringify({ ...lockfile, packages: Object.fromEntries(all) }, null, 2)}\n`);
}
process.stderr.write(`${added.length} packages of other platforms added to package-lock.json\n`);

/**
 * @param {string} owner
 * @param {Entry} entry
 * @returns {[string, object][]}
 */
function missingOf(owner, { dev, license, optionalDependencies = {} }) {
  return Object.entries(optionalDependencies).flatMap(([name, version]) => {
    const place = `node_modules/${name}`;
    const platform = platformOf(name);
    if (packages.has(place) || packages.has(`${owner}/${place}`)) return [];
    if (platform === undefined || !EXACT_VERSION.test(version)) return [];
    const { cpu, libc, os } = platform;
    return [
      [
        place,
        { version, cpu, ...(dev && { dev }), ...(libc && { libc }), ...(license && { license }), optional: true, os },
      ],
    ];
  });
}

/**
 * Reads `@scope/name-linux-x64-musl`: the platform is in the name by custom, and only there.
 * @param {string} name
 */
function platformOf(name) {
  const words = name.split(/[-/]/);
  const os = words.filter((word) => SYSTEMS.includes(word));
  const cpu = words.filter((word) => PROCESSORS.includes(word));
  const libc = words.flatMap((word) => (os[0] === "linux" ? (LIBRARIES.get(word) ?? []) : []));
  return os.length === 1 && cpu.length === 1 ? { os, cpu, libc: libc.length > 0 ? libc : undefined } : undefined;
}
