import { type Json, recordOf, textsOf } from "../wire/wire-values.ts";

/** What a company allows and forbids in a session, as questions look for it. */
export interface ManagedPermissions {
  readonly denied: ReadonlySet<string>;
  readonly asked: ReadonlySet<string>;
  readonly allowed: ReadonlySet<string>;
  /** Nobody may have everything approved. */
  readonly asksAlways: boolean;
}

/** Throws where a rule cannot be read: a session without it would do what is forbidden. */
export function readManaged({ permissions, ...others }: Json): ManagedPermissions {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new Error(`managedSettings.${unknown} is not known here`);
  const { deny, ask, allow, disableBypassPermissionsMode } = recordOf(permissions);
  const read = (list: unknown): ReadonlySet<string> => new Set(textsOf(list).map(toKey));
  return {
    ...{ denied: read(deny), asked: read(ask), allowed: read(allow) },
    asksAlways: disableBypassPermissionsMode === "disable",
  };
}

const RULE = /^([\w-]+)(?:\(([^()]+)\))?$/;

/** `KIND`, `shell(PROGRAM)`, `url(ADDRESS)`, `custom-tool(NAME)`, or `SERVER(TOOL)`. */
function toKey(rule: string): string {
  const [, kind = "", argument] = RULE.exec(rule) ?? [];
  if (kind === "" || (kind === "shell" && /\s/.test(argument ?? "")))
    throw new Error(`managedSettings.permissions has a rule that cannot be read: ${rule}`);
  if (argument === undefined) return KINDS.has(kind) ? kind : `mcp:${kind}/*`;
  if (kind === "shell") return `command:${argument.replace(/:\*$/, "")}`;
  return kind === "url" || kind === "custom-tool" ? `${kind}:${argument}` : `mcp:${kind}/${argument}`;
}

const KINDS: ReadonlySet<string> = new Set(["shell", "write", "read", "url", "mcp", "custom-tool", "memory", "hook"]);
