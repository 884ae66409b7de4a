import type { Config } from "../../config/config.ts";
import type { ToolResult } from "../../core/call/tool-result.ts";
import { formatOrigin } from "../../core/codes/origin.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Emitter } from "../events/emitter.ts";
import { type AuditLog, type AuditLogOptions, createLateLog, openAuditLog } from "./audit-log.ts";
import { createRedactor, type Redactor, secretsOf } from "./redact-value.ts";

/** The log of a session without a gateway. */
export interface SessionAudit {
  /** Called once, before anything runs in it. */
  watch(session: SessionView): void;
  /** Called before each call runs; absent if the log is not required. */
  readonly beforeRun?: () => Promise<ToolResult | null>;
  close(): Promise<void>;
}

interface SessionView {
  readonly id: string;
  readonly on: Emitter["on"];
  readonly config: () => Config;
}

export interface SessionAuditOptions extends Reporting {
  readonly policy: Config["policy"];
  /** Who makes the calls, for people. */
  readonly label: string;
  readonly path: () => Promise<string>;
}

type Reporting = Pick<AuditLogOptions, "onError" | "onRecovered" | "bodies">;

/** The owner of the program, by the name that the gateway uses for its owner. */
const PRINCIPAL = "main";

/**
 * Opens the log with the first call, so that a session without calls costs nothing. If managed policy requires the log,
 * it is opened at once, and each call is written before it runs.
 */
export async function openSessionAudit({
  policy,
  label,
  path,
  ...reporting
}: SessionAuditOptions): Promise<SessionAudit> {
  const isRequired = policy.audit.value === "required";
  const log = isRequired ? await lease(await path(), policy, reporting) : createLateLog({ path, ...reporting });
  return {
    watch({ id, on, config }) {
      log.watch({ session: { id, on }, label, principal: PRINCIPAL }, followSecrets(config));
    },
    ...(isRequired ? { beforeRun: refuseUnwritten(log) } : {}),
    close: () => log.close(),
  };
}

/** A call runs only after its start was written. */
export function refuseUnwritten(log: Pick<AuditLog, "writeStarted">): () => Promise<ToolResult | null> {
  return async () => ((await log.writeStarted()) ? null : NOT_WRITTEN);
}

const NOT_WRITTEN: ToolResult = {
  textResultForLlm: "The call did not run, because the required log of calls cannot be written. Nothing was changed.",
  resultType: "failure",
  error: "the call did not run: managed policy requires the log of calls, and it cannot be written",
};

interface OpenLog {
  readonly log: Promise<AuditLog>;
  users: number;
}

/** Sessions of one process that share a file share one run in it; otherwise each would need its own head. */
const OPEN = new Map<string, OpenLog>();

async function lease(path: string, { audit: { origin } }: Config["policy"], reporting: Reporting): Promise<AuditLog> {
  const open = OPEN.get(path) ?? { log: openAuditLog({ path, isRequired: true, ...reporting }), users: 0 };
  OPEN.set(path, open);
  open.users += 1;
  const leave = async (close: () => Promise<void>): Promise<void> => {
    open.users -= 1;
    if (open.users > 0) return;
    OPEN.delete(path);
    await close();
  };
  try {
    const log = await open.log;
    let closed: Promise<void> | null = null;
    return {
      ...log,
      close() {
        closed ??= log.flush().then(() => leave(log.close));
        return closed;
      },
    };
  } catch (error) {
    await leave(async () => {});
    const why = error instanceof Error ? error.message : String(error);
    const text = `managed policy requires the log of calls (${formatOrigin(origin)}), and it cannot be written: ${why}`;
    throw new ToolcribError("file.not-written", text, { names: [path] });
  }
}

/** Secrets of the current configuration. */
function followSecrets(config: () => Config): () => Redactor {
  let known: { readonly of: Config; readonly redactor: Redactor } | null = null;
  return () => {
    const now = config();
    if (known?.of !== now) known = { of: now, redactor: createRedactor(secretsOf(now)) };
    return known.redactor;
  };
}
