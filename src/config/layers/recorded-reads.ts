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

/** What the same looks find now. */
export async function lookAgain(
  looks: { readonly files: Iterable<string>; readonly variables: Iterable<string | null> },
  readers: Readers,
  env: Variables,
): Promise<RecordedReads> {
  const variables = new Map([...looks.variables].map((name) => [name, lookUp(name, env)] as const));
  const files = new Map<string, string>();
  for (const key of looks.files) files.set(key, await look(key, readers));
  return { files, variables };
}

/** Whether reading all of it again would find the same. */
export async function findSame(
  { files, variables }: RecordedReads,
  readers: Readers,
  env: Variables,
): Promise<boolean> {
  for (const [name, known] of variables) if (lookUp(name, env) !== known) return false;
  for (const [key, known] of files) if ((await look(key, readers)) !== known) return false;
  return true;
}

function lookUp(name: string | null, env: Variables): string {
  return name === null ? digestAll(env) : digest(env[name]);
}

/** @param key a look and its path, as they were noted down */
function look(key: string, readers: Readers): Promise<string> {
  const at = key.indexOf(" ");
  const how = key.slice(0, at);
  if (!isLook(how, readers)) return Promise.resolve(`no look is called ${how}`);
  return readers[how](key.slice(at + 1)).then(digest, digestFailure);
}

function isLook(name: string, readers: Readers): name is Look {
  return Object.hasOwn(readers, name);
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
