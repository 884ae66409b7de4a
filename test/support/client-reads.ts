import type { HookClientName } from "../../src/surfaces/guard/hook-clients.ts";
import { CLIENT_SECONDS } from "../../src/surfaces/guard/hook-line.ts";

/** What a hook left behind, as its client finds it. */
export interface HookEnd {
  /** Null: it was killed. */
  readonly status: number | null;
  readonly out: string;
  readonly seconds: number;
}

/** A client in the terms of its failures: as recorded with the real program, or as its documentation says. */
interface Reader {
  /** Whether this answer on standard output is a no, for a hook that ended well. */
  readonly denies: (answer: Answer) => boolean;
  /** Statuses besides 2 that are a no whatever was printed. */
  readonly closedBy?: (status: number) => boolean;
  /** Whether the answer counts as well beside a status that says that the hook failed. */
  readonly readsFailed?: boolean;
}

interface Answer {
  readonly hookSpecificOutput?: { readonly permissionDecision?: unknown };
  readonly permissionDecision?: unknown;
  readonly decision?: unknown;
  readonly permission?: unknown;
  readonly cancel?: unknown;
  readonly answer?: unknown;
}

const inClaudesForm = ({ hookSpecificOutput }: Answer): boolean => hookSpecificOutput?.permissionDecision === "deny";

const READERS: Readonly<Record<HookClientName, Reader>> = {
  "claude-code": { denies: inClaudesForm, readsFailed: true },
  codex: { denies: inClaudesForm },
  "gemini-cli": {
    denies: ({ decision }) => decision === "deny" || decision === "block",
    closedBy: (status) => status > 1,
    readsFailed: true,
  },
  "copilot-cli": {
    denies: (answer) => inClaudesForm(answer) || answer.permissionDecision === "deny",
    closedBy: (status) => status !== 0,
  },
  "qwen-code": { denies: inClaudesForm },
  opencode: { denies: ({ answer }) => answer === "deny", closedBy: (status) => status !== 0 },
  cursor: { denies: ({ permission }) => permission === "deny" },
  windsurf: { denies: () => false },
  cline: { denies: ({ cancel }) => cancel === true },
};

/** Whether the client does not make the call. One that waits too long makes it. */
export function readsNo(client: HookClientName, { status, out, seconds }: HookEnd): boolean {
  const { denies, closedBy, readsFailed } = READERS[client];
  if (seconds >= CLIENT_SECONDS) return false;
  if (status === null) return closedBy?.(137) === true;
  if (status === 2 || closedBy?.(status) === true) return true;
  return (status === 0 || readsFailed === true) && denies(parse(out));
}

function parse(out: string): Answer {
  try {
    const value: unknown = JSON.parse(out);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
