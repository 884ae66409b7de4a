import { statSync } from "node:fs";
import { resolve } from "node:path";
import { reviewTrust, trustAsShown } from "../../../config/load-config.ts";
import { type ChooseItem, type Trust, unkeptGuards } from "../../../config/trust/trust.ts";
import { describeItem, type TrustItem } from "../../../config/trust/trust-items.ts";
import { formatOrigin } from "../../../core/codes/origin.ts";
import { toNoticeRow } from "../../../runtime/report/toolset-rows.ts";
import { escapeText, toJson } from "../../../system/text/escape-text.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { confirm } from "../command-line/confirm.ts";
import { toConfigInput } from "../configuration/config-input.ts";
import { loadDetails, type TrustDetails } from "./trust-details.ts";
import { listTrusted, removeTrusted } from "./trusted-list.ts";

/** `toolcrib trust [DIR]`, to give trust, to see where it was given, and to take it back. */
export function runTrust(input: CommandInput): Promise<number> {
  const { args } = input;
  if (args.has("list") && args.has("remove")) throw usage("--list and --remove do not go together");
  return args.has("list") ? listTrusted(input) : args.has("remove") ? removeTrusted(input) : giveTrust(input);
}

/** Shows what a workspace's files would start or allow, then asks. */
async function giveTrust(input: CommandInput): Promise<number> {
  const { io, args, log } = input;
  const cwd = toFolder(input);
  const configInput = { ...toConfigInput(input), cwd };
  const { trust, notices } = await reviewTrust(configInput);
  log.notices(notices);
  const isChosen = readChoice(input, trust);
  const details = await loadDetails(trust.items, configInput);
  if (!args.has("json")) io.out(formatTrust(trust, details));
  const open = openItems(trust);
  const isOpen = open.length > 0;
  const chosen = open.filter(isChosen).map(describeItem);
  const those = chosen.length === open.length ? "all of it" : chosen.join(", ");
  // With --json nothing but the error is printed where nobody can be asked, so it has to list them.
  if (isOpen && !(await confirm(input, `Trust this workspace with ${those}?`, chosen))) return 1;
  const now = isOpen ? await trustAsShown(trust, configInput, isChosen) : trust;
  if (args.has("json"))
    io.out(toJson({ ...toTrustDocument(now, details), notices: notices.map(toNoticeRow) }, io.isTTY));
  else if (isOpen) io.out(describeOutcome(now));
  return 0;
}

/** What `--only` names: by name, or by kind and name where one name means several. */
function readChoice({ args }: CommandInput, trust: Trust): ChooseItem {
  const names = args.values("only");
  if (names.length === 0) return () => true;
  const isNamed = (item: NamedItem) => (name: string) => name === item.name || name === describeItem(item);
  const open = openItems(trust);
  const unknown = names.find((name) => !open.some((item) => isNamed(item)(name)));
  if (unknown !== undefined) {
    const known = open.map(describeItem).join(", ");
    throw usage(
      `--only ${JSON.stringify(unknown)} names nothing that waits; ${known === "" ? "nothing waits" : `these do: ${known}`}`,
    );
  }
  const chosen = open.filter((item) => names.some(isNamed(item))).map(describeItem);
  return (item) => names.some(isNamed(item)) || item.of?.some((entry) => chosen.includes(entry)) === true;
}

type NamedItem = Parameters<ChooseItem>[0];

/** What a person decides about: what waits, whether it is used now or not, guards that are missing, and new ones. */
function openItems(trust: Trust): readonly NamedItem[] {
  const waiting = trust.items.filter(({ standing }) => standing !== "trusted");
  return [...waiting, ...trust.lost, ...newGuards(trust)];
}

/** Those that count at once; hooks wait with the items. */
function newGuards(trust: Trust): readonly NamedItem[] {
  return unkeptGuards(trust).filter(({ hash }) => !trust.items.some((item) => item.hash === hash));
}

function describeOutcome(now: Trust): string {
  const open = openItems(now);
  if (open.length === 0) return `${escapeText(now.workspace)} is trusted with this from now on.\n`;
  return `Trusted. Still waiting: ${escapeText(open.map(describeItem).join(", "))}.\n`;
}

function toFolder({ io, args }: CommandInput): string {
  const [named = "."] = args.operands;
  const folder = resolve(io.cwd, named);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
  throw usage(`${JSON.stringify(named)} is not a folder; toolcrib trust takes the folder of a workspace`);
}

const STATES = {
  nothing: "asks for nothing that needs trust",
  trusted: "is trusted with",
  changed: "is trusted with part of this; the rest waits:",
  untrusted: "is not trusted and asks for",
} as const satisfies Record<Trust["state"], string>;

const MARKS = { trusted: "", changed: "  [changed]", new: "  [new]" } as const satisfies Record<
  TrustItem["standing"],
  string
>;

function formatTrust(trust: Trust, details: TrustDetails): string {
  const { workspace, state, items, gone, lost } = trust;
  // Where nothing was trusted yet, everything is new.
  const mark = ({ standing }: TrustItem): string => (state === "untrusted" ? "" : MARKS[standing]);
  const lines = items.flatMap((item) => [
    `  ${item.what}: ${item.name} (${formatOrigin(item.origin)})${mark(item)}`,
    ...(details.get(item) ?? []).map(({ path, value }) => `      ${path}: ${value}`),
  ]);
  const missing = gone
    .filter(({ hash }) => !lost.some((guard) => guard.hash === hash))
    .map((item) => `  ${item.what}: ${item.name}  [gone]`);
  const guards = lost.flatMap((guard) => [
    `  ${guard.what}: ${guard.name}  [gone or changed]`,
    "      what it covered is denied until you decide; to trust this is to let it go",
  ]);
  const fresh = newGuards(trust).flatMap((guard) => [
    `  ${guard.what}: ${guard.name}  [in force]`,
    "      to trust this is to keep its calls denied when it goes, until you decide",
  ]);
  const isUnused = state === "nothing" && items.length + fresh.length > 0;
  const head = isUnused ? "asks for nothing that is used now, and has" : STATES[state];
  return `${[`${workspace} ${head}`, ...lines, ...missing, ...guards, ...fresh].map(escapeText).join("\n")}\n`;
}

function toTrustDocument({ workspace, state, items, gone, lost }: Trust, details: TrustDetails): object {
  const named = ({ what, name, path }: NamedItem) => ({ what, name, path });
  const detailsOf = new Map([...details].map(([item, rows]) => [item.hash, rows]));
  return {
    workspace,
    state,
    items: items.map((item) => ({
      ...named(item),
      standing: item.standing,
      origin: formatOrigin(item.origin),
      details: detailsOf.get(item.hash) ?? [],
    })),
    gone: gone.map(named),
    missingGuards: lost.map(named),
  };
}
