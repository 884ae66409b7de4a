import { formatOrigin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { describeClient } from "../../core/scene/client.ts";
import type { ToolChange } from "../../core/toolset/diff-toolsets.ts";
import type { Placement, Toolset, TraceLine } from "../../core/toolset/toolset.ts";

/** A toolset with everything worth reporting about it. */
export interface AnsweredQuestion {
  readonly toolset: Toolset;
  readonly notices: readonly Notice[];
}

/** The document of `list --json`, as the contract has it; `toListText` writes its text. */
export function toListDocument(answered: AnsweredQuestion, shown: readonly Placement[]) {
  return {
    ...toListHead(answered),
    tools: shown.map((placement) => ({ ...toToolRow(placement), trace: placement.trace.map(toTraceRow) })),
    ...toListTail(answered),
  };
}

/** What precedes the tools. */
export function toListHead({ toolset }: AnsweredQuestion) {
  return { catalogHash: toolset.catalog.hash, ...toClientRow(toolset) };
}

/** What follows them. */
export function toListTail({ toolset, notices }: AnsweredQuestion) {
  return { toolsets: toolset.sets, notices: notices.map(toNoticeRow) };
}

/** Which client the tools are for and what is known about it, if there is one. */
export function toClientRow({ scene: { client } }: Pick<Toolset, "scene">) {
  return client === null ? {} : { client: describeClient(client) };
}

export function toToolRow({ entry, standing }: Placement) {
  const { wireName, id, tool, tokens } = entry;
  return { name: wireName, id, source: tool.source, server: tool.server, standing, tokens };
}

export function toTraceRow({ gate, verdict, reason }: TraceLine) {
  return { gate, verdict, code: reason.code, text: reason.text, origin: formatOrigin(reason.origin) };
}

export function toNoticeRow({ level, code, text, names, origin }: Notice) {
  return { level, code, text, names, origin: formatOrigin(origin) };
}

/** One line of `diff --json`. */
export function toChangeRow(change: ToolChange) {
  const { wireName, identity, source, before, after, redefined, gained, lost } = change;
  return {
    name: wireName,
    id: identity,
    source,
    before,
    after,
    redefined,
    gained: gained.map(toTraceRow),
    lost: lost.map(toTraceRow),
  };
}

/** A session has already reported some of them, and both sides of a comparison usually come from the same files. */
export function uniqueNotices(notices: readonly Notice[]): readonly Notice[] {
  const keyed = notices.map(
    (notice) => [`${notice.code} ${notice.text} ${formatOrigin(notice.origin)}`, notice] as const,
  );
  return [...new Map(keyed).values()];
}
