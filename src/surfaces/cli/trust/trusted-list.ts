import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { findFiles } from "../../../config/layers/find-files.ts";
import { fileReaders } from "../../../config/layers/readers.ts";
import { changeTrust } from "../../../config/trust/trust.ts";
import { describeItem } from "../../../config/trust/trust-items.ts";
import { loadTrust, type TrustedItem, type TrustRecord, type TrustStore } from "../../../config/trust/trust-store.ts";
import { escapeText } from "../../../system/text/escape-text.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { confirm } from "../command-line/confirm.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { toConfigInput } from "../configuration/config-input.ts";

/** `toolcrib trust --list`: what is trusted in every workspace, as it was written then. Reads no configuration. */
export async function listTrusted(input: CommandInput): Promise<number> {
  const [operand] = input.args.operands;
  if (operand !== undefined)
    throw usage(`--list shows all workspaces and takes no folder; found ${JSON.stringify(operand)}`);
  if (input.args.values("only").length > 0) throw usage("--only goes with --remove, or with neither");
  const store = await loadTrust(toConfigInput(input), fileReaders);
  printAnswer(
    input,
    { workspaces: [...store].map(([workspace, record]) => ({ workspace, trusted: toRows(record) })) },
    () =>
      store.size === 0 ? "No workspace is trusted.\n" : [...store].map((entry) => formatRecord(...entry)).join(""),
  );
  return 0;
}

/**
 * `toolcrib trust --remove [DIR]`: takes trust back, all of it or what `--only` names. A broken configuration is no
 * obstacle, and neither is a folder that is gone.
 */
export async function removeTrusted(input: CommandInput): Promise<number> {
  const { io, args } = input;
  const places = toConfigInput(input);
  const store = await loadTrust(places, fileReaders);
  const workspace = await toTrustedFolder(input, store);
  const record = store.get(workspace);
  if (record === undefined) {
    printAnswer(input, { workspace, removed: [] }, () => `Nothing is trusted in ${escapeText(workspace)}.\n`);
    return 1;
  }
  const removed = choose(toRows(record), args.values("only"));
  if (!args.has("json")) io.out(formatRows(workspace, removed));
  const names = removed.map(describeItem);
  if (!(await confirm(input, `Take back the trust in ${names.join(", ")}?`, names))) return 1;
  const isRemoved = new Set(removed.map(keyOf));
  await changeTrust(places, (now) => {
    const before = now.get(workspace);
    if (before === undefined) return;
    const items = before.items.filter((item) => !isRemoved.has(keyOf(item)));
    const guards = before.guards.filter((guard) => !isRemoved.has(keyOf(guard)));
    if (items.length + guards.length === 0) now.delete(workspace);
    else now.set(workspace, { ...before, items, guards });
  });
  printAnswer(input, { workspace, removed }, () => "Taken back. It waits until you trust it again.\n");
  return 0;
}

interface TrustedRow extends TrustedItem {
  /** Its calls stay denied if it is changed or removed. */
  readonly guard: boolean;
}

/** A hook that can refuse calls is an item and a guard. */
function toRows({ items, guards }: TrustRecord): readonly TrustedRow[] {
  const isGuard = new Set(guards.map(keyOf));
  const known = new Set(items.map(keyOf));
  const only = guards.filter((guard) => !known.has(keyOf(guard)));
  return [...items, ...only.map(({ covers: _, ...guard }) => guard)].map((item) => ({
    ...item,
    // An earlier version kept no names.
    ...(item.what === "" ? { what: "entry", name: item.hash.slice(0, 12) } : {}),
    guard: isGuard.has(keyOf(item)),
  }));
}

function keyOf({ hash, folder = "" }: TrustedItem): string {
  return `${hash} ${folder}`;
}

function choose(rows: readonly TrustedRow[], names: readonly string[]): readonly TrustedRow[] {
  if (names.length === 0) return rows;
  const isNamed = (row: TrustedRow) => (name: string) => name === row.name || name === describeItem(row);
  const unknown = names.find((name) => !rows.some((row) => isNamed(row)(name)));
  if (unknown === undefined) return rows.filter((row) => names.some(isNamed(row)));
  const known = rows.map(describeItem).join(", ");
  throw usage(`--only ${JSON.stringify(unknown)} names nothing that is trusted there; these are: ${known}`);
}

/** A folder as `--list` shows it, else the workspace around it. */
async function toTrustedFolder(input: CommandInput, store: TrustStore): Promise<string> {
  const named = resolve(input.io.cwd, input.args.operands[0] ?? ".");
  const cwd = await realpath(named).catch(() => named);
  if (store.has(cwd) || !existsSync(cwd)) return cwd;
  const { home, env } = toConfigInput(input);
  const { workspace } = await findFiles({ cwd, home, env, named: null, systemPolicy: "" }, fileReaders);
  return workspace;
}

function formatRecord(workspace: string, record: TrustRecord): string {
  return formatRows(existsSync(workspace) ? workspace : `${workspace} (no such folder)`, toRows(record));
}

function formatRows(head: string, rows: readonly TrustedRow[]): string {
  const lines = rows.map(({ what, name, folder, guard }) => {
    const where = folder === undefined ? "" : ` (in ${folder})`;
    return `  ${what}: ${name}${where}${guard ? "  [its calls are denied if it goes]" : ""}`;
  });
  return `${[head, ...lines].map(escapeText).join("\n")}\n`;
}
