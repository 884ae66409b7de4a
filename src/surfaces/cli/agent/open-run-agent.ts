import type { Config } from "../../../config/config.ts";
import { sourced } from "../../../core/codes/origin.ts";
import { openNewJournal, reopenJournal, type SessionJournal } from "../../../runtime/session/stored/session-journal.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { type Overrides, readOverrides } from "../command-line/overrides.ts";
import { loadAsked } from "../configuration/load-asked.ts";
import { findStored, findWorkspaceStore, withOwnStore } from "../stored/own-store.ts";
import type { TypedLines } from "../terminal/typed-lines.ts";
import { openTerminalAgent, type TerminalAgent } from "./agent-session.ts";

/** The agent of a run: a new one, one that is kept (`--keep`), or one that goes on (`--resume`, `--continue`). */
export async function openRunAgent(
  input: CommandInput,
  openLines: () => Promise<TypedLines | undefined> = async () => undefined,
): Promise<TerminalAgent> {
  const again = await takeUp(input);
  let kept = again;
  try {
    const overrides = rememberModel(readOverrides(input.args), again);
    const config = await loadAsked(input, overrides);
    const { requireModel } = await import("./require-model.ts");
    await requireModel(input, config);
    kept ??= await begin(input);
    return await open(input, config, overrides, kept, await openLines());
  } catch (error) {
    await kept?.recorder.close();
    throw error;
  }
}

async function open(
  input: CommandInput,
  config: Config,
  { model }: Overrides,
  kept: SessionJournal | null,
  lines: TypedLines | undefined,
): Promise<TerminalAgent> {
  if (kept === null) return openTerminalAgent(input, config, null, lines);
  const options = model === null ? {} : { model: model.value };
  const opened = await openTerminalAgent(input, config, { kept, options }, lines);
  input.io.err(`toolcrib: session ${kept.id} is kept; toolcrib run --resume ${kept.id} goes on with it\n`);
  return opened;
}

/** The session that is gone on with; null where none is named. */
async function takeUp(input: CommandInput): Promise<SessionJournal | null> {
  const { args } = input;
  const named = args.value("resume");
  if (named !== null && args.has("continue")) throw usage("give either --resume ID or --continue");
  if (named === null && !args.has("continue")) return null;
  return withOwnStore(input, async (store, kept) => {
    const { id } = await findStored(store, named);
    return reopenJournal(id, kept.setting.url.value, kept);
  });
}

async function begin(input: CommandInput): Promise<SessionJournal | null> {
  if (!input.args.has("keep")) return null;
  const kept = await findWorkspaceStore(input);
  return openNewJournal(kept.surroundings.newId(), kept.setting.url.value, "", kept);
}

/** A session stays with the model that it was begun with by a flag, until another flag says otherwise. */
function rememberModel(overrides: Overrides, kept: SessionJournal | null): Overrides {
  const model = kept?.state.options.model;
  if (overrides.model !== null || typeof model !== "string") return overrides;
  return { ...overrides, model: sourced(model, { kind: "flag", flag: "--model" }) };
}
