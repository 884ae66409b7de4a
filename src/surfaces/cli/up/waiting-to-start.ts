import { createHash } from "node:crypto";
import { withItem } from "../../../config/edit/edit-list.ts";
import { serversIn, withServer } from "../../../config/edit/edit-servers.ts";
import { importForeign } from "../../../config/import/import-foreign.ts";
import type { ImportedServer } from "../../../config/import/import-servers.ts";
import { findKeysTarget, planKeys } from "../../../config/import/plan-keys.ts";
import { fileReaders } from "../../../config/layers/readers.ts";
import { describeTrust, trustAsShown, trustWorkspace } from "../../../config/load-config.ts";
import { toShownWord } from "../../../config/trust/found-program.ts";
import type { ChooseItem, Trust } from "../../../config/trust/trust.ts";
import { describeItem, type ShownValue, type TrustItem } from "../../../config/trust/trust-items.ts";
import { formatOrigin } from "../../../core/codes/origin.ts";
import { oneAtATime } from "../../../system/files/one-at-a-time.ts";
import { writeWhole } from "../../../system/files/write-whole.ts";
import type { WaitingServer, WaitingServers } from "../../http/api/ports.ts";
import type { CommandInput } from "../command-line/command.ts";
import { toConfigInput } from "../configuration/config-input.ts";
import { checkText, findEditTarget } from "../configuration/edit-target.ts";
import { loadDetails } from "../trust/trust-details.ts";

/**
 * The project's servers that start only once a person agrees: entries that are not trusted, and servers of other products'
 * files. What is shown is what `toolcrib trust` shows, and nothing else than what was shown is agreed to.
 */
export function createWaitingServers(given: CommandInput, workspace: string): WaitingServers {
  // Its other members look at the terminal only when they are asked.
  const io: CommandInput["io"] = Object.create(given.io, { cwd: { value: workspace, enumerable: true } });
  const input = { ...given, io };
  return {
    list: async () => (await findWaiting(input)).map(({ server }) => server),
    async start(name, id) {
      const found = (await findWaiting(input)).find(({ server }) => server.name === name && server.id === id);
      return found === undefined ? false : found.agree();
    },
  };
}

interface Waiting {
  readonly server: WaitingServer;
  /** False if it is not what was shown any more. */
  agree(): Promise<boolean>;
}

async function findWaiting(input: CommandInput): Promise<readonly Waiting[]> {
  const { readers: _, ...fresh } = toConfigInput(input);
  const trust = await describeTrust(fresh);
  const untrusted = trust.items.filter(({ what, standing }) => what === "server" && standing !== "trusted");
  const details = await loadDetails(untrusted, fresh);
  const written = untrusted.map((item): Waiting => {
    const isChosen = chooseWith(item);
    const id = digest(trust.items.filter(isChosen).map(({ hash }) => hash));
    const { name, origin, standing } = item;
    const reason = standing === "changed" ? "its entry changed since it was trusted" : "its entry is not trusted";
    return {
      server: { name, id, from: formatOrigin(origin), reason, shows: details.get(item) ?? [] },
      agree: async () => {
        await trustAsShown(trust, fresh, isChosen);
        return true;
      },
    };
  });
  return [...written, ...(await findForeign(input, trust))];
}

/** The entry, and the files that it runs. */
function chooseWith(item: Pick<TrustItem, "what" | "path" | "name">): ChooseItem {
  return ({ what, path, of = [] }) => (what === item.what && path === item.path) || of.includes(describeItem(item));
}

async function findForeign(input: CommandInput, trust: Trust): Promise<readonly Waiting[]> {
  const target = await findEditTarget(input);
  const { home, env } = toConfigInput(input);
  const places = { cwd: input.io.cwd, home, env };
  const keys = await findKeysTarget(target, places, fileReaders);
  const imported = await importForeign({ ...places, platform: process.platform }, fileReaders, "project", keys);
  const known = new Set(trust.items.flatMap(({ what, name }) => (what === "server" ? [name] : [])));
  const mine = target.text === null ? [] : await serversIn(target.text, target.file);
  const others = imported.servers.filter(({ name }) => !known.has(name) && !mine.includes(name));
  return others.map((server): Waiting => {
    const { name, entry, origin } = server;
    const from = formatOrigin(origin);
    const id = digest([from, JSON.stringify(server)]);
    return {
      server: { name, id, from, reason: `it is only in ${from}, which others may have written`, shows: toShows(entry) },
      agree: () =>
        oneAtATime(target.path, async () => {
          const plan = planKeys(imported, [server], keys);
          const text = await withForeign(target, server);
          await checkText(text, target.file);
          if (plan.after !== null) await writeWhole(keys.path, plan.after, 0o600);
          await writeWhole(target.path, text);
          const { readers: _, ...fresh } = toConfigInput(input);
          await trustWorkspace(fresh, chooseWith({ what: "server", name, path: `mcpServers.${name}` }));
          return true;
        }),
    };
  });
}

/** The file with that server, without the tools that were taken away from it. */
async function withForeign(
  { text: before, file }: { readonly text: string | null; readonly file: string },
  { name, entry, without = [] }: ImportedServer,
): Promise<string> {
  let text = await withServer(before ?? "", file, name, entry);
  for (const tool of without) ({ text } = await withItem(text, file, "excludeTools", `${name}/${tool}`));
  return text;
}

/** As `toolcrib trust` shows an entry of ours; secrets of other products' files are references already. */
function toShows({ command, args, ...rest }: ImportedServer["entry"]): readonly ShownValue[] {
  const words = [command, ...(Array.isArray(args) ? args : [])].filter((word) => word !== undefined);
  return [
    ...(words.length === 0 ? [] : [{ path: "runs", value: words.map(toShownWord).join(" ") }]),
    ...Object.entries(rest).flatMap(([key, value]) => toRows(key, value)),
  ];
}

function toRows(path: string, value: unknown): readonly ShownValue[] {
  if (typeof value !== "object" || value === null) return [{ path, value: String(value) }];
  return Object.entries(value).flatMap(([key, inner]) => toRows(`${path}.${key}`, inner));
}

function digest(parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\0")).digest("hex");
}
