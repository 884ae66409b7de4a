import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { userFolder } from "../../config/layers/find-files.ts";
import { fileReaders, type Readers } from "../../config/layers/readers.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { writeWhole } from "../../system/files/write-whole.ts";
import type { Grant } from "./grant.ts";

/** Approvals that outlive a question. */
export interface GrantStore {
  /** Valid grants, without expired ones. Changes identity when any of them does. */
  readonly grants: readonly Grant[];
  /**
   * Reads changes by others, so that a revoked grant stops counting. Some stores accept a recent read, unless `isDue`:
   * somebody is about to be asked.
   */
  refresh(isDue?: boolean): Promise<void>;
  add(grant: Grant): Promise<void>;
  /** False if the id is unknown. */
  revoke(id: string): Promise<boolean>;
}

export interface GrantPlace {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Null: nothing can be stored for a project. */
  readonly workspace: string | null;
  readonly readers?: Readers;
}

/** Grants of this session only. */
export function createMemoryGrants(): Omit<GrantStore, "refresh"> {
  let grants: readonly Grant[] = [];
  return {
    get grants() {
      return grants;
    },
    async add(grant) {
      grants = [...grants, grant];
    },
    async revoke(id) {
      const left = grants.filter((grant) => grant.id !== id);
      const found = left.length < grants.length;
      if (found) grants = left;
      return found;
    },
  };
}

/**
 * Grants in files: a project's in its `.toolcrib/grants.json`, a person's own in their configuration folder. A
 * project's file may come from anybody, so one of its grants counts only if the person's folder vouches for it: that
 * person made it here.
 */
export async function openGrants(place: GrantPlace): Promise<GrantStore> {
  const files = grantFiles(place);
  const readers = place.readers ?? fileReaders;
  const memory = createMemoryGrants();
  let seen = stampOf(files);
  let user = await readFile(files.user, readers);
  let project = files.project === null ? EMPTY : await readFile(files.project, readers);
  let kept: readonly Grant[] = [];
  let all: readonly Grant[] = [];
  const settle = (): void => {
    const vouched = new Set(user.vouched);
    kept = [
      ...user.grants.filter(({ scope }) => scope === "user"),
      ...project.grants.filter((grant) => grant.scope === "project" && vouched.has(voucherOf(grant, place.workspace))),
    ];
    all = [...memory.grants, ...kept];
  };
  settle();
  const saveUser = async (next: GrantFile): Promise<void> => {
    await writeFile(files.user, next);
    user = next;
  };
  const saveProject = async (next: GrantFile): Promise<void> => {
    if (files.project !== null) await writeFile(files.project, next);
    project = next;
  };

  return {
    get grants() {
      return all;
    },
    async refresh() {
      const now = stampOf(files);
      if (now === seen) return;
      const orNothing = (path: string | null): Promise<GrantFile> | GrantFile =>
        path === null ? EMPTY : readFile(path, readers).catch(() => EMPTY);
      [user, project] = [await orNothing(files.user), await orNothing(files.project)];
      seen = now;
      settle();
    },
    async add(grant) {
      if (grant.scope === "session" || (grant.scope === "project" && files.project === null)) await memory.add(grant);
      else if (grant.scope === "user") {
        user = await readFile(files.user, readers);
        await saveUser({ ...user, grants: [...user.grants, grant] });
      } else if (files.project !== null) {
        [user, project] = [await readFile(files.user, readers), await readFile(files.project, readers)];
        // Vouched for first: a grant without a voucher does not count, and in the other order it could be lost.
        await saveUser({ ...user, vouched: [...user.vouched, voucherOf(grant, place.workspace)] });
        await saveProject({ ...project, grants: [...project.grants, grant] });
      }
      settle();
    },
    async revoke(id) {
      const found = all.find((grant) => grant.id === id);
      if (found === undefined) return false;
      if (!(await memory.revoke(id))) {
        const without = (file: GrantFile): GrantFile => ({
          ...file,
          grants: file.grants.filter((one) => one.id !== id),
        });
        if (found.scope === "user") await saveUser(without(await readFile(files.user, readers)));
        else if (files.project !== null) {
          const voucher = voucherOf(found, place.workspace);
          const mine = await readFile(files.user, readers);
          await saveUser({ ...mine, vouched: mine.vouched.filter((one) => one !== voucher) });
          await saveProject(without(await readFile(files.project, readers)));
        }
      }
      settle();
      return true;
    },
  };
}

export function grantFiles({ home, env, workspace }: GrantPlace): {
  readonly user: string;
  readonly project: string | null;
} {
  return {
    user: join(userFolder({ home, env }), "grants.json"),
    project: workspace === null ? null : join(workspace, ".toolcrib", "grants.json"),
  };
}

/** Changes with every way of writing these files: a file that is replaced is another file. */
function stampOf({ user, project }: ReturnType<typeof grantFiles>): string {
  const one = (path: string | null): string => {
    try {
      const found = path === null ? undefined : statSync(path, { bigint: true, throwIfNoEntry: false });
      return found === undefined ? "none" : `${found.ino}:${found.mtimeNs}:${found.ctimeNs}:${found.size}`;
    } catch {
      return "unreadable";
    }
  };
  return `${one(user)} ${one(project)}`;
}

interface GrantFile {
  readonly grants: readonly Grant[];
  readonly vouched: readonly string[];
}

const EMPTY: GrantFile = { grants: [], vouched: [] };

function voucherOf(grant: Grant, workspace: string | null): string {
  return createHash("sha256")
    .update(JSON.stringify([workspace, toGrantRow(grant)]))
    .digest("hex");
}

async function writeFile(path: string, { grants, vouched }: GrantFile): Promise<void> {
  const document = { version: 1, grants: grants.map(toGrantRow), ...(vouched.length === 0 ? {} : { vouched }) };
  await writeWhole(path, `${JSON.stringify(document, null, 2)}\n`);
}

/** A file that cannot be read grants nothing; overwriting it would lose its content, so that is an error. */
async function readFile(path: string, readers: Readers): Promise<GrantFile> {
  const text = await readers.readText(path);
  if (text === null) return EMPTY;
  try {
    const document: unknown = JSON.parse(text);
    const list = (key: string): readonly unknown[] => {
      const value: unknown = typeof document === "object" && document !== null ? Reflect.get(document, key) : [];
      return Array.isArray(value) ? value : [];
    };
    return {
      grants: list("grants").flatMap(readGrant),
      vouched: list("vouched").filter((one): one is string => typeof one === "string"),
    };
  } catch {
    throw new ToolcribError(
      "config.syntax",
      `${path} is not valid JSON; correct it, or delete it to forget its grants`,
      {
        names: [path],
      },
    );
  }
}

export function toGrantRow({ id, scope, tool, signature, rules, digest, created, expires }: Grant): Grant {
  return { id, scope, tool, signature, rules, digest, created, expires };
}

/** Reads untrusted data. */
export function readGrant(value: unknown): readonly Grant[] {
  if (typeof value !== "object" || value === null) return [];
  const text = (key: string): string | null => {
    const found: unknown = Reflect.get(value, key);
    return typeof found === "string" ? found : null;
  };
  const count = (key: string): number | null => {
    const found: unknown = Reflect.get(value, key);
    return typeof found === "number" ? found : null;
  };
  const rules: unknown = Reflect.get(value, "rules");
  const [id, tool, scope, created] = [text("id"), text("tool"), text("scope"), count("created")];
  if (id === null || tool === null || created === null || (scope !== "project" && scope !== "user")) return [];
  const expires: unknown = Reflect.get(value, "expires");
  // An expiry that cannot be read must not become "never".
  if (expires !== null && expires !== undefined && typeof expires !== "number") return [];
  return [
    {
      id,
      scope,
      tool,
      signature: text("signature"),
      rules: Array.isArray(rules) ? rules.filter((rule): rule is string => typeof rule === "string") : [],
      digest: text("digest"),
      created,
      expires: count("expires"),
    },
  ];
}
