import type { KnownEvent } from "../../core/events/envelope.ts";
import type { RunStopReason } from "../../core/events/turn-events.ts";
import { MODES, type Mode } from "../../core/scene/scene.ts";
import type { RunLimits } from "../../runtime/loop/run-types.ts";
import type { PermissionHandler } from "../../runtime/permissions/permission-request.ts";
import { readSaid, sendSaid } from "../../runtime/session/conversation/said-prompt.ts";
import type { AgentSession } from "../../runtime/session/open-agent.ts";
import type { RpcPeer } from "../../system/rpc/peer.ts";
import { createEditorAsking } from "./ask-editor.ts";
import { describeCall } from "./describe-call.ts";
import type { ReadPrompt } from "./read-prompt.ts";
import { toPastUpdates, toUpdates } from "./to-update.ts";

/** A session as the surrounding program opens it. */
export interface OpenedSession {
  readonly agent: AgentSession;
  /** Its events from before it was opened. */
  readonly past: readonly KnownEvent[];
  readonly limits: Partial<RunLimits>;
  /** Managed policy has the last word about modes. */
  setMode(mode: Mode): Promise<void>;
  close(): Promise<void>;
}

/** One conversation of an editor. */
export interface AcpSession {
  readonly id: string;
  /** The modes as the protocol lists them. */
  readonly modes: object;
  /** Sends the editor all messages and calls so far. */
  replay(): void;
  /** Sends the list of prompt commands. */
  offer(): void;
  prompt(said: ReadPrompt): Promise<string>;
  cancel(): Promise<void>;
  setMode(mode: Mode): Promise<void>;
  close(): Promise<void>;
}

/** Opens a session whose questions go to the editor, and reports its events to the editor. */
export async function openAcpSession(
  peer: RpcPeer,
  folder: string,
  open: (asking: () => PermissionHandler | null) => Promise<OpenedSession>,
): Promise<AcpSession> {
  let asking: PermissionHandler | null = null;
  const opened = await open(() => asking);
  const { session } = opened.agent;
  const describe = (toolName: string, args: unknown) => describeCall(toolName, args, session.toolset, folder);
  asking = createEditorAsking(peer, session.id, describe);
  const tell = (updates: readonly object[]): void => {
    for (const update of updates) peer.notify("session/update", { sessionId: session.id, update });
  };
  session.on("*", (event) => tell(toUpdates(event, describe)));
  return {
    id: session.id,
    get modes() {
      return { currentModeId: session.config.permissions.mode.value, availableModes: MODES.map(describeMode) };
    },
    replay() {
      for (const event of opened.past) tell(toPastUpdates(event, describe));
    },
    offer() {
      const availableCommands = [...session.config.commands].map(([name, { description, argumentHint }]) => ({
        name,
        description: description ?? "",
        ...(argumentHint === null ? {} : { input: { hint: argumentHint } }),
      }));
      if (availableCommands.length > 0) tell([{ sessionUpdate: "available_commands_update", availableCommands }]);
    },
    async prompt({ text, attachments }) {
      const { agent, limits } = opened;
      const { stopReason } = await sendSaid(session, readSaid(text, session.config), (prompt) =>
        agent.run(prompt, { attachments, limits }),
      );
      return STOP_REASONS[stopReason] ?? "end_turn";
    },
    cancel: () => opened.agent.abort(),
    setMode: (mode) => opened.setMode(mode),
    close: () => opened.close(),
  };
}

const STOP_REASONS: Partial<Record<RunStopReason, string>> = {
  aborted: "cancelled",
  refusal: "refusal",
  length: "max_tokens",
  "max-tokens": "max_tokens",
  "max-turns": "max_turn_requests",
  "max-cost": "max_turn_requests",
  "max-time": "max_turn_requests",
};

const ABOUT_MODES: Readonly<Record<Mode, readonly [name: string, description: string]>> = {
  default: ["Default", "Asks about every call that no rule covers"],
  plan: ["Plan", "Only looks, and presents a plan"],
  "accept-edits": ["Accept edits", "Changes files of the workspace without asking"],
  "dont-ask": ["Don't ask", "Denies what it would have to ask about"],
  bypass: ["Bypass", "Asks about nothing but what rules say"],
  autopilot: ["Autopilot", "Goes on by itself until the task is done"],
};

function describeMode(id: Mode): object {
  const [name, description] = ABOUT_MODES[id];
  return { id, name, description };
}
