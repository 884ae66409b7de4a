import { formatOrigin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import type { Placement, TraceLine } from "../../core/toolset/toolset.ts";
import type { Answered } from "./load-question.ts";

/** The document of `list --json`, as the contract has it. */
export function toListDocument({ toolset, notices }: Answered, shown: readonly Placement[]): object {
  return {
    catalogHash: toolset.catalog.hash,
    tools: shown.map(toToolRow),
    toolsets: toolset.sets,
    notices: notices.map(toNoticeRow),
  };
}

export function toTraceRow({ gate, verdict, reason }: TraceLine): object {
  return { gate, verdict, code: reason.code, text: reason.text, origin: formatOrigin(reason.origin) };
}

export function toNoticeRow({ level, code, text, names, origin }: Notice): object {
  return { level, code, text, names, origin: formatOrigin(origin) };
}

function toToolRow({ entry, standing, trace }: Placement): object {
  const { wireName, id, tool, tokens } = entry;
  return {
    name: wireName,
    id,
    source: tool.source,
    server: tool.server,
    standing,
    tokens,
    trace: trace.map(toTraceRow),
  };
}
