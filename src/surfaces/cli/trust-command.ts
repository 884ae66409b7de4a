import { statSync } from "node:fs";
import { resolve } from "node:path";
import { describeTrust, trustWorkspace } from "../../config/load-config.ts";
import type { Trust } from "../../config/trust.ts";
import { describeItem } from "../../config/trust-items.ts";
import { formatOrigin } from "../../core/codes/origin.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { usage } from "./arguments.ts";
import type { CommandInput } from "./command.ts";
import { toConfigInput } from "./config-input.ts";
import { escapeText, toJson } from "./escape-text.ts";
import { loadDetails, type TrustDetails } from "./trust-details.ts";

/** `toolcrib trust [DIR]`: shows what a workspace's files would start or allow, then asks. */
export async function runTrust(input: CommandInput): Promise<number> {
  const { io, args } = input;
  const cwd = toFolder(input);
  const configInput = { ...toConfigInput(input), cwd };
  const trust = await describeTrust(configInput);
  const details = await loadDetails(trust.items, configInput);
  if (!args.has("json")) io.out(formatTrust(trust, details));
  const isOpen = trust.state === "untrusted" || trust.state === "changed";
  if (isOpen && !(await confirms(input, trust))) {
    if (!args.has("json")) io.out("Nothing was changed.\n");
    return 1;
  }
  const { state } = isOpen ? await trustWorkspace(configInput) : trust;
  if (args.has("json")) io.out(toJson(toTrustDocument({ ...trust, state }, details), io.isTTY));
  else if (isOpen) io.out(`${escapeText(trust.workspace)} is trusted with this from now on.\n`);
  return 0;
}

function toFolder({ io, args }: CommandInput): string {
  const [named = "."] = args.operands;
  const folder = resolve(io.cwd, named);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
  throw usage(`${JSON.stringify(named)} is not a folder; toolcrib trust takes the folder of a workspace`);
}

async function confirms({ io, args }: CommandInput, { items }: Trust): Promise<boolean> {
  if (args.has("yes")) return true;
  if (!io.canAsk) {
    const text = "nobody is there to ask; look at what it lists, then run it again with --yes";
    // With --json nothing but this is printed, so it has to list them.
    throw new ToolcribError("usage.invalid", text, { names: items.map(describeItem) });
  }
  io.err("Trust this workspace with all of it? [y/N] ");
  return /^y(?:es)?$/i.test(await io.readInput("line"));
}

const STATES = {
  nothing: "asks for nothing that needs trust",
  trusted: "is trusted with",
  changed: "was trusted, but now asks for something else:",
  untrusted: "is not trusted and asks for",
} as const satisfies Record<Trust["state"], string>;

function formatTrust({ workspace, state, items }: Trust, details: TrustDetails): string {
  const lines = items.flatMap((item) => [
    `  ${item.what}: ${item.name} (${formatOrigin(item.origin)})`,
    ...(details.get(item) ?? []).map(({ path, value }) => `      ${path}: ${value}`),
  ]);
  return `${[`${workspace} ${STATES[state]}`, ...lines].map(escapeText).join("\n")}\n`;
}

function toTrustDocument({ workspace, state, items }: Trust, details: TrustDetails): object {
  return {
    workspace,
    state,
    items: items.map((item) => ({
      what: item.what,
      name: item.name,
      path: item.path,
      origin: formatOrigin(item.origin),
      details: details.get(item) ?? [],
    })),
  };
}
