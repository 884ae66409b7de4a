import type { Config } from "../../../config/config.ts";
import { loadOptions } from "../../../config/load-options.ts";
import { sourced } from "../../../core/codes/origin.ts";
import { isKnown } from "../../../core/events/fold-journal.ts";
import type { Mode } from "../../../core/scene/scene.ts";
import type { PermissionHandler } from "../../../runtime/permissions/permission-request.ts";
import { summarizeAll } from "../../../runtime/report/session-summary.ts";
import { readVersion } from "../../../system/version.ts";
import { type AcpPorts, serveAcp, type WantedSession } from "../../acp/acp-server.ts";
import type { OpenedSession } from "../../acp/acp-session.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { NO_OVERRIDES, type Overrides, readOverrides, stackOverrides } from "../command-line/overrides.ts";
import { untilInterrupted } from "../command-line/until-interrupted.ts";
import { toConfigInput } from "../configuration/config-input.ts";
import { loadAsked } from "../configuration/load-asked.ts";
import { canKeep, keepJournal } from "../stored/keep-journal.ts";
import { openOwnAudit } from "../stored/own-audit.ts";
import { withOwnStore } from "../stored/own-store.ts";
import { openConfiguredAgent } from "./agent-session.ts";
import { requireModel } from "./require-model.ts";
import { readLimits } from "./run-limits.ts";

/** `toolcrib acp`: an agent for editors. Nothing but the protocol goes to standard output. */
export async function runAcp(input: CommandInput): Promise<number> {
  if (input.args.has("json")) throw usage("acp prints nothing but the protocol");
  const limits = readLimits(input);
  const keeps = await canKeep(input);
  return untilInterrupted(input, async () =>
    serveAcp({ input: process.stdin, output: process.stdout }, {
      version: readVersion(),
      now: () => performance.now(),
      keeps,
      open: (wanted, asking) => openFor(at(input, wanted.cwd), wanted, asking, keeps, limits),
      list: (cwd) => listKept(cwd === null ? input : at(input, cwd)),
    } satisfies AcpPorts),
  );
}

/** The same command in the folder of a session. */
function at(input: CommandInput, cwd: string): CommandInput {
  return { ...input, io: { ...input.io, cwd, canAsk: false } };
}

async function openFor(
  input: CommandInput,
  { id, folders, servers }: WantedSession,
  asking: () => PermissionHandler | null,
  keeps: boolean,
  limits: OpenedSession["limits"],
): Promise<OpenedSession> {
  const load = async (over: Overrides): Promise<Config> =>
    withServers(input, await loadAsked(input, stackOverrides(readOverrides(input.args), over)), servers);
  const config = await load(NO_OVERRIDES);
  await requireModel(input, config);
  const kept = keeps ? await keepJournal(input, id) : null;
  try {
    const journal = kept === null ? null : { kept, options: {} };
    const host = { addedDirectories: folders, audit: await openOwnAudit(input, config, "toolcrib acp") };
    const agent = await openConfiguredAgent(
      input,
      config,
      { onPermissionRequest: asking, askUser: null },
      journal,
      host,
    );
    return {
      agent,
      limits,
      past: (await kept?.events())?.filter(isKnown) ?? [],
      async setMode(mode: Mode) {
        const flag = sourced(mode, { kind: "call", call: "session/set_mode" } as const);
        const { permissions } = await load({ ...NO_OVERRIDES, mode: flag });
        const now = agent.session.config;
        await agent.session.reconfigure({ ...now, permissions: { ...now.permissions, mode: permissions.mode } });
      },
      close: () => agent.close(),
    };
  } catch (error) {
    await kept?.recorder.close();
    throw error;
  }
}

/** The servers of the editor beside those of the configuration, which keep their names. */
async function withServers(input: CommandInput, config: Config, servers: WantedSession["servers"]): Promise<Config> {
  if (Object.keys(servers).length === 0) return config;
  const given = await loadOptions({ mcpServers: servers }, "session/new", toConfigInput(input));
  return { ...config, servers: new Map([...given.servers, ...config.servers]) };
}

function listKept(input: CommandInput): Promise<readonly object[]> {
  return withOwnStore(input, async (store, { workspace: cwd }) => {
    const stored = await store.sessions({ limit: MOST_LISTED });
    const kept = await summarizeAll(store, stored);
    return kept.flatMap(({ id: sessionId, changed: updatedAt, prompt }) =>
      prompt === "" ? [] : [{ sessionId, cwd, updatedAt, title: prompt.slice(0, LONGEST_TITLE) }],
    );
  });
}

const MOST_LISTED = 50;
const LONGEST_TITLE = 100;
