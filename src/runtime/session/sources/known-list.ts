import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Config, ServerConfig } from "../../../config/config.ts";
import { loadApproved } from "../../../config/lock/approved-folder.ts";
import type { PinnedDefinition } from "../../../config/lock/lock.ts";
import { openStoredList, type StoredList } from "../../../sources/parts/stored-list.ts";
import type { UpstreamIdentity } from "../../credentials/contract.ts";

interface ListPlace {
  /** Folder in which lists are stored; null if none are. */
  readonly lists: string | null;
  readonly identity: UpstreamIdentity;
  /** Whether the connection is one person's: what it lists may be shown to nobody else (O12). */
  readonly isOnes: boolean;
}

/** What is known of a server's list before it is connected; null if nothing ever is. */
export async function openList(
  server: ServerConfig,
  { lock }: Pick<Config, "lock">,
  { lists, identity, isOnes }: ListPlace,
): Promise<StoredList | null> {
  const stored = lists === null ? null : await openStoredList(join(lists, toFileName(server, identity)));
  // Where each person has a login of their own, nobody else's connection may ever list anything.
  const hasStandIn = isOnes || (server.credentials ?? SHARED).kind !== "shared";
  const earlier = stored?.earlier ?? (hasStandIn ? await fromLock(server, lock) : null);
  if (!isOnes && stored !== null) return { ...stored, earlier };
  return isOnes || earlier !== null ? { earlier, save() {}, close: async () => {} } : null;
}

const SHARED = { kind: "shared" } as const;

/** What was started otherwise may list something else, and so may a login that this machine's person has. */
function toFileName({ launch }: ServerConfig, { kind, proof }: UpstreamIdentity): string {
  const text = kind === "person" && proof.kind === "entry" ? `${launch} own` : launch;
  return `${createHash("sha256").update(text).digest("hex").slice(0, 40)}.json`;
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
