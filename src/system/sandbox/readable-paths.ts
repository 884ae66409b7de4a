import { closeSync, lstatSync, openSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, sep } from "node:path";
import type { Identity, SandboxSpec } from "./sandbox-spec.ts";

/** Programs and libraries. Root folders that are links stay links. */
const SYSTEM = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/opt",
  "/nix/store",
  "/run/current-system",
];

/** Of /etc only what programs need to run; keys, password hashes and service settings stay out. */
const ETC = [
  "alternatives",
  "bash.bashrc",
  "ca-certificates",
  "ca-certificates.conf",
  "crypto-policies",
  "debian_version",
  "fonts",
  "gai.conf",
  "group",
  "host.conf",
  "hosts",
  "inputrc",
  "java",
  "java-11-openjdk",
  "java-17-openjdk",
  "java-21-openjdk",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "locale.alias",
  "locale.conf",
  "localtime",
  "lsb-release",
  "magic",
  "mime.types",
  "nsswitch.conf",
  "os-release",
  "passwd",
  "perl",
  "pki/ca-trust",
  "pki/tls/certs",
  "profile",
  "profile.d",
  "protocols",
  "python3",
  "redhat-release",
  "resolv.conf",
  "rpc",
  "services",
  "shells",
  "ssl/certs",
  "ssl/openssl.cnf",
  "static",
  "terminfo",
  "timezone",
  "xattr.conf",
].map((name) => `/etc/${name}`);

/** Where tools are installed below a home folder; none of these holds credentials. */
const TOOLCHAINS = [
  ".asdf",
  ".bun/bin",
  ".cargo/bin",
  ".cargo/env",
  ".cargo/registry",
  ".deno/bin",
  ".fnm",
  ".local/bin",
  ".local/lib",
  ".local/pipx/venvs",
  ".local/share/fnm",
  ".local/share/mise/installs",
  ".local/share/mise/shims",
  ".local/share/pnpm",
  ".local/share/uv/python",
  ".local/share/uv/tools",
  ".nix-profile",
  ".nodenv",
  ".nvm",
  ".pyenv",
  ".rbenv",
  ".rustup",
  ".sdkman/candidates",
  ".volta",
  "go/bin",
  "go/pkg",
];

/** What belongs to a program folder, as in /opt/tool/bin and /opt/tool/lib. */
const BESIDE_BIN = ["include", "lib", "lib64", "libexec", "share"];

/** Maximum bytes of a file that is copied into the sandbox. */
const MOST_COPIED = 2 ** 20;

export interface ReadableInput {
  readonly home: string;
  /** As in the variable PATH. */
  readonly path: string;
  readonly execPath: string;
  readonly identity: Identity;
}

/** Everything that commands may see in addition to the workspace, as far as it exists. */
export function findReadable(input: ReadableInput): Pick<SandboxSpec, "links" | "readable" | "copied"> {
  const { home, identity, execPath } = input;
  const path = [...input.path.split(delimiter), dirname(execPath), dirname(realpathSync(execPath))];
  const links = SYSTEM.filter(isLink).map((link) => ({ path: link, target: readlinkSync(link) }));
  const wanted = [
    ...SYSTEM.filter((folder) => !isLink(folder)),
    ...ETC,
    ...TOOLCHAINS.map((name) => join(home, name)),
    ...path.filter((folder) => isAbsolute(folder)).flatMap(withCompany),
  ];
  // A program folder that is the home folder itself, or above it, would show all of it.
  const isTooWide = (place: string): boolean => `${home}${sep}`.startsWith(place === sep ? sep : place + sep);
  const found = [...new Set(wanted)].filter(
    (place) => !isTooWide(place) && isThere(place) && canReach(place, identity),
  );
  const isCovered = (place: string): boolean =>
    found.some((other) => other !== place && place.startsWith(other + sep)) ||
    links.some((link) => place === link.path || place.startsWith(link.path + sep));
  const readable = found.filter((place) => !isCovered(place)).sort();
  return { links, readable, copied: readable.filter((place) => ETC.includes(place) && canBeCopied(place)) };
}

/** A file that this user may not read can still be mounted. */
function canBeCopied(place: string): boolean {
  const info = statSync(place);
  if (!info.isFile() || info.size > MOST_COPIED) return false;
  try {
    closeSync(openSync(place, "r"));
    return true;
  } catch {
    return false;
  }
}

function withCompany(folder: string): readonly string[] {
  const beside = basename(folder) === "bin" ? BESIDE_BIN.map((name) => join(dirname(folder), name)) : [];
  return [folder, ...beside];
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

export function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

const GROUP_SHIFT = 3;
const OWNER_SHIFT = 6;
const MAY_ENTER = 1;
const MAY_READ = 4;

/** Whether a parent folder locks out a user who cannot change that: bubblewrap could cover nothing there. */
export function isShutOff(path: string, identity: Identity): boolean {
  if (identity.kind !== "owner") return false;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (statSync(folder).uid !== identity.uid && !may(folder, MAY_ENTER, identity)) return true;
    if (folder === dirname(folder)) return false;
  }
}

/** Whether a user other than root can reach a path; bubblewrap would refuse to start over one that it cannot open. */
export function canReach(path: string, identity: Identity): boolean {
  if (identity.kind !== "owner") return true;
  const real = realpathSync(path);
  for (let folder = dirname(real); ; folder = dirname(folder)) {
    if (!may(folder, MAY_ENTER, identity)) return false;
    if (folder === dirname(folder)) return may(real, MAY_READ, identity);
  }
}

function may(place: string, wanted: number, owner: { readonly uid: number; readonly gid: number }): boolean {
  const { mode, uid, gid } = statSync(place);
  const shift = uid === owner.uid ? OWNER_SHIFT : gid === owner.gid ? GROUP_SHIFT : 0;
  return ((mode >> shift) & wanted) === wanted;
}
