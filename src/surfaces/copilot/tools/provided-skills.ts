import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { splitFrontMatter } from "../../../core/tool/front-matter.ts";
import { askClient } from "../clients/ask-client.ts";
import { applyOptions } from "../sessions/servers.ts";
import { type AttachedClient, type Live, tell } from "../state/live.ts";
import { providedFolder } from "../state/state-files.ts";
import type { ClientConnection } from "../wire/connection.ts";
import { recordOf, recordsOf, textOf } from "../wire/wire-values.ts";

/** Skills of one client. */
const MOST = 1_024;

/** What a skill may be called, and so a folder. */
const NAME = /^[\w-]{1,64}$/;

/**
 * Skills that clients keep themselves become folders of the session, which are read as all others are. Their texts are asked
 * for again when their list is another one, or somebody wants them anew.
 */
export async function loadProvided(live: Live, isAnew = false): Promise<void> {
  const lists = new Map<AttachedClient, readonly Listed[]>();
  for (const client of live.clients.values()) if (client.skills) lists.set(client, await listFrom(live, client));
  const now = JSON.stringify([...lists.values()]);
  if (!isAnew && now === (live.facts.get("provided skills") ?? "[]")) return;
  const folder = providedFolder(live);
  await rm(folder, { recursive: true, force: true });
  for (const [{ connection }, skills] of lists)
    for (const skill of skills) {
      const text = await readFrom(live, connection, skill);
      if (text === null) continue;
      await mkdir(join(folder, skill.name), { recursive: true });
      await writeFile(join(folder, skill.name, "SKILL.md"), text, { mode: 0o600 });
    }
  live.facts.set("provided skills", now);
  await applyOptions(live);
}

interface Listed {
  readonly name: string;
  readonly description: string;
}

/** One that answers nonsense costs its own skills. */
async function listFrom(live: Live, { connection }: AttachedClient): Promise<readonly Listed[]> {
  const answer = await askClient(live, connection, "skillProvider.list", {}).catch((error: Error) => {
    warn(live, `the app's skills cannot be listed: ${error.message}`);
    return {};
  });
  return recordsOf(recordOf(answer).skills)
    .slice(0, MOST)
    .flatMap(({ name, description }) => {
      if (typeof name === "string" && NAME.test(name)) return [{ name, description: textOf(description) ?? "" }];
      warn(live, `the app's skill ${JSON.stringify(name)} is left out: a name has letters, digits, - and _`);
      return [];
    });
}

async function readFrom(
  live: Live,
  connection: ClientConnection,
  { name, description }: Listed,
): Promise<string | null> {
  const answer = await askClient(live, connection, "skillProvider.read", { name }).catch((error: Error) => {
    warn(live, `the app's skill ${name} cannot be read: ${error.message}`);
    return {};
  });
  const text = textOf(recordOf(answer).markdown);
  return text === undefined ? null : toFile(name, description, text);
}

function warn(live: Live, message: string): void {
  tell(live, "session.warning", { warningType: "skills", message });
}

function toFile(name: string, description: string, text: string): string {
  if (splitFrontMatter(text) !== null) return text;
  return `---\nname: ${JSON.stringify(name)}\ndescription: ${JSON.stringify(description)}\n---\n${text}`;
}
