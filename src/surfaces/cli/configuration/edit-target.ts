import { resolve } from "node:path";
import { findFiles, userFolder } from "../../../config/layers/find-files.ts";
import { parseDocument } from "../../../config/layers/parse-document.ts";
import { fileReaders } from "../../../config/layers/readers.ts";
import { type ConfigInput, describeTrust, trustWorkspace } from "../../../config/load-config.ts";
import { fileShape } from "../../../config/shape/file-shape.ts";
import type { ChooseItem, Trust } from "../../../config/trust/trust.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { throwProblems } from "../../../core/shape/problems.ts";
import { checkShape } from "../../../core/shape/read.ts";
import type { CommandInput } from "../command-line/command.ts";
import { shownFile } from "../terminal/shown-file.ts";
import { toConfigInput } from "./config-input.ts";

/** The file that `add` and `remove` change. */
export interface EditTarget {
  readonly path: string;
  /** As the user would write it. */
  readonly file: string;
  /** Null: it is not there yet. */
  readonly text: string | null;
  /** Other files that configure this folder, for telling where else a server may be. */
  readonly others: readonly string[];
  /** Files of other products whose servers count here, and go on counting beside this file. */
  readonly beside: readonly string[];
}

/**
 * `--config`, else the project's file, else a new one in this folder. Where the servers of the home folder count because
 * nothing is configured, a `toolcrib.yaml` would take their place, so the local file it is, which adds to them; but not
 * for what is the project's own.
 */
export async function findEditTarget(input: CommandInput, isForProject = false): Promise<EditTarget> {
  const { io, args } = input;
  const { home, env } = toConfigInput(input);
  const named = args.value("config");
  const found = await findFiles({ cwd: io.cwd, home, env, named, systemPolicy: "" }, fileReaders);
  const own = found.files.find(({ layer }) => layer === "project");
  const isOwn = ({ layer, path }: (typeof found.files)[number]): boolean =>
    layer === "project" || (layer === "user" && path.startsWith(userFolder({ home, env })));
  const isHomeOut = isForProject || named !== null || found.files.some(isOwn);
  const beside = isHomeOut ? [] : await homeFiles({ cwd: io.cwd, home, env });
  const local = beside.length === 0 ? undefined : found.files.find(({ layer }) => layer === "local");
  const path = (own ?? local)?.path ?? resolve(io.cwd, beside.length === 0 ? "toolcrib.yaml" : "toolcrib.local.yaml");
  const others = found.files.filter((each) => each.path !== path).map((each) => each.path);
  return { path, file: shownFile(path, io), text: await readOptionalFile(path), others, beside };
}

/** Whose servers `up` takes where nothing is configured. */
async function homeFiles(places: Pick<ConfigInput, "cwd" | "home" | "env">): Promise<readonly string[]> {
  const { importForeign } = await import("../../../config/import/import-foreign.ts");
  const { filesOfServers } = await import("./load-home.ts");
  const user = await importForeign({ ...places, platform: process.platform }, fileReaders, "user");
  return filesOfServers(user, user.servers);
}

/** Nothing is written that could not be read again. */
export async function checkText(text: string, file: string): Promise<void> {
  const root = await parseDocument(text, file);
  if (root !== null) throwProblems(checkShape(root, fileShape));
}

/**
 * Trusts the entry that a person has just had written, and nothing else of the file; without a person it waits. Null where
 * the file was named, which needs no trust.
 */
export async function trustAdded(input: CommandInput, added: string): Promise<"trusted" | "untrusted" | null> {
  const { io, args } = input;
  if (args.has("config")) return null;
  const { readers: _, ...fresh } = toConfigInput(input);
  const entry = `server ${added.slice(added.indexOf(".") + 1)}`;
  const isAdded: ChooseItem = ({ what, path, of = [] }) => (what === "server" && path === added) || of.includes(entry);
  const isWanted = args.has("trust") || io.canAsk;
  const { items } = isWanted ? await trustWorkspace(fresh, isAdded) : await describeTrust(fresh);
  return items.filter(isAdded).every(({ standing }) => standing === "trusted") ? "trusted" : "untrusted";
}

/** Whether what the project's files ask for now counts; null where the file was named, which needs no trust. */
export async function trustAfter(input: CommandInput): Promise<Trust["state"] | null> {
  if (input.args.has("config")) return null;
  const { readers: _, ...fresh } = toConfigInput(input);
  return (await describeTrust(fresh)).state;
}

export async function readOptionalFile(path: string): Promise<string | null> {
  try {
    return await fileReaders.readText(path);
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new ToolcribError("config.not-found", `${path}: cannot be read (${why})`, { names: [path] });
  }
}
