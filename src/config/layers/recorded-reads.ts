import { createHash } from "node:crypto";
import type { Readers } from "./readers.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** What was looked at to read a configuration, and what was found there: also that there was nothing. */
export interface RecordedReads {
  readonly files: ReadonlyMap<string, string>;
  /** Variables by name; `null` means that all of them were looked at. */
  readonly variables: ReadonlyMap<string | null, string>;
}

type Look = keyof Readers;

/** Notes down everything that is read through these. */
export function recordReads(readers: Readers, env: Variables) {
  const files = new Map<string, string>();
  const variables = new Map<string | null, string>();
  const noted =
    <T>(look: Look, read: (path: string) => Promise<T>) =>
    async (path: string): Promise<T> => {
      const key = `${look} ${path}`;
      try {
        const found = await read(path);
        if (!files.has(key)) files.set(key, digest(found));
        return found;
      } catch (error) {
        files.set(key, digestFailure(error));
        throw error;
      }
    };
  const note = (name: string | symbol): void => {
    if (typeof name === "string") variables.set(name, digest(env[name]));
  };
  const recorded: Variables = new Proxy(env, {
    get(target, name) {
      note(name);
      return Reflect.get(target, name);
    },
    getOwnPropertyDescriptor(target, name) {
      note(name);
      return Reflect.getOwnPropertyDescriptor(target, name);
    },
    has(target, name) {
      note(name);
      return Reflect.has(target, name);
    },
    ownKeys(target) {
      variables.set(null, digestAll(env));
      return Reflect.ownKeys(target);
    },
  });
  return {
    env: recorded,
    readers: {
      readText: noted("readText", readers.readText),
      listFolder: noted("listFolder", readers.listFolder),
      exists: noted("exists", readers.exists),
      realPath: noted("realPath", readers.realPath),
      isPrivate: noted("isPrivate", readers.isPrivate),
    } satisfies Readers,
    reads: { files, variables } satisfies RecordedReads,
  };
}

/** Whether reading all of it again would find the same. */
export async function findSame(
  { files, variables }: RecordedReads,
  readers: Readers,
  env: Variables,
): Promise<boolean> {
  for (const [name, known] of variables)
    if ((name === null ? digestAll(env) : digest(env[name])) !== known) return false;
  for (const [key, known] of files) {
    const at = key.indexOf(" ");
    const look = key.slice(0, at) as Look; // It was written from one.
    const found = await readers[look](key.slice(at + 1)).then(digest, digestFailure);
    if (found !== known) return false;
  }
  return true;
}

/** Short answers stand for themselves; what a file or a variable holds does not. */
function digest(found: unknown): string {
  if (found === undefined || found === null || typeof found === "boolean") return String(found);
  const text = typeof found === "string" ? `text ${found}` : JSON.stringify(found);
  return createHash("sha256").update(text).digest("base64url");
}

function digestFailure(error: unknown): string {
  return `failed ${error instanceof Error && "code" in error ? String(error.code) : ""} ${digest(String(error))}`;
}

function digestAll(env: Variables): string {
  return digest(Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1)));
}
