import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Config, ServerConfig } from "../../../config/config.ts";
import { loadApproved } from "../../../config/lock/approved-folder.ts";
import type { PinnedDefinition } from "../../../config/lock/lock.ts";
import { openStoredList, type StoredList } from "../../../sources/parts/stored-list.ts";

interface ListPlace {
  /** Folder in which lists are stored; null if none are. */
  readonly lists: string | null;
  /** Whether the connection is everybody's: only what such a one lists may be shown to others (O12). */
  readonly isOfAll: boolean;
}

/** What is known of a server's list before it is connected; null if nothing ever is. */
export async function openList(
  server: ServerConfig,
  { lock }: Pick<Config, "lock">,
  { lists, isOfAll }: ListPlace,
): Promise<StoredList | null> {
  const { kind } = server.credentials ?? { kind: "shared" };
  // With a login of their own here, what this machine's person was listed is as private as anybody's.
  const mayRead = isOfAll || kind === "shared" || kind === "none";
  const stored = lists === null || !mayRead ? null : await openStoredList(join(lists, toFileName(server)));
  if (isOfAll) return stored;
  const earlier = stored?.earlier ?? (await fromLock(server, lock));
  return { earlier, save() {}, close: async () => {} };
}

/** What was started otherwise may list something else. */
function toFileName({ launch }: ServerConfig): string {
  return `${createHash("sha256").update(launch).digest("hex").slice(0, 40)}.json`;
}

/** The definitions that a person approved, as the server listed them then; null if there are none. */
async function fromLock({ name }: ServerConfig, file: Config["lock"]): Promise<StoredList["earlier"]> {
  const approved = [...(file?.lock?.tools ?? [])].filter(
    ([identity, tool]) => tool.approved && identity.startsWith(`${name}/`),
  );
  if (file === null || approved.length === 0) return null;
  const tools = await Promise.all(
    approved.map(async ([identity, tool]) => {
      const found = await loadApproved(file.path, tool);
      return found.kind === "known" ? [toListed(identity.slice(name.length + 1), found.definition)] : [];
    }),
  );
  return tools.flat().length === 0 ? null : { tools: tools.flat(), instructions: null };
}

function toListed(name: string, { title, description, inputSchema, outputSchema, annotations }: PinnedDefinition) {
  return {
    ...{ name, description, inputSchema: inputSchema ?? { type: "object" } },
    ...(title === undefined ? {} : { title }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}
