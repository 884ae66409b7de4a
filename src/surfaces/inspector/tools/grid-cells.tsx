import type { ReasonView, ShownStanding } from "../../http/api/api.ts";
import { formatCount, formatNumber, formatShare } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { toOneLine } from "../parts/reveal-text.ts";
import { ShownText } from "../parts/shown-text.tsx";
import { StandingBadge } from "../parts/status.tsx";
import { firstReason, type GroupRow, type ToolRow, verdictOf } from "./grid-rows.ts";

const STANDINGS: readonly ShownStanding[] = ["visible", "deferred", "hidden"];

/** The name of a group, and how many of its tools have each standing. */
export function GroupCell({ row }: { readonly row: GroupRow }) {
  return (
    <span class="group-cell row">
      <span class={row.isOpen ? "twist is-open" : "twist"}>
        <Icon name="open" />
      </span>
      <ShownText in="strong" text={row.server ?? row.source} />
      {row.server !== null && <span class="dim">{row.source}</span>}
      <span class="dim">{formatNumber(row.tools, "tool")}</span>
      <span class="group-standings row">
        {STANDINGS.filter((standing) => row.standings[standing] > 0).map((standing) => (
          <span key={standing} class={`count row fine tone-${standing}`}>
            <Icon name={standing} />
            {formatCount(row.standings[standing])}
            <span class="away"> {standing}</span>
          </span>
        ))}
      </span>
      <span class="dim group-tokens">{formatCount(row.tokens)} tokens</span>
      {row.changes > 0 && <span class="changed-mark fine">{formatNumber(row.changes, "change")}</span>}
    </span>
  );
}

export function NameCell({ row: { tool } }: { readonly row: ToolRow }) {
  return (
    <span class="name-cell pile" title={toOneLine(tool.description).slice(0, 300)}>
      <ShownText in="span" class="cut mono" text={tool.shown} />
      <ShownText in="span" class="gist cut dim fine" text={gistOf(tool.description)} />
    </span>
  );
}

export function StandingCell({ row: { tool, change } }: { readonly row: ToolRow }) {
  if (change === null) return <StandingBadge standing={tool.standing} />;
  return (
    <span class="move">
      <span class="was">{change.before ?? "absent"}</span>
      <Icon name="arrow" />
      <span class="away"> now </span>
      <StandingBadge standing={tool.standing} />
    </span>
  );
}

interface TokensProps {
  readonly row: ToolRow;
  readonly most: number;
  readonly window: number;
}

/** The bar compares tools with each other; the share of the window is given in words. */
export function TokensCell({ row: { tool }, most, window }: TokensProps) {
  const width = most === 0 ? 0 : Math.max(1, (tool.tokens / most) * 100);
  return (
    <span class="tokens-cell" title={`${formatShare(tool.tokens, window)} of the model's window`}>
      <span class="bar" aria-hidden="true">
        <span class={`fill tone-${tool.standing}`} style={{ width: `${width}%` }} />
      </span>
      <span class="number">{formatCount(tool.tokens)}</span>
    </span>
  );
}

export function GateCell({ row, gate }: { readonly row: ToolRow; readonly gate: string }) {
  const now = verdictOf(row.tool, gate);
  const differs = gateDiffers(row, gate);
  return (
    <span
      class={`verdict verdict-${now?.verdict ?? "none"} tone-${now?.verdict ?? "none"}${differs ? " differs" : ""}`}
    >
      {now !== null && <Icon name={now.verdict} />}
    </span>
  );
}

/** A tool on a small screen: everything in one cell, the gates as the first reason. */
export function StackedCell({ row }: { readonly row: ToolRow }) {
  const reason = firstReason(row.tool);
  return (
    <span class="stacked-cell pile">
      <span class="stacked-top row mono">
        <ShownText in="span" class="cut" text={row.tool.shown} />
      </span>
      <ShownText in="span" class="gist cut dim fine" text={gistOf(row.tool.description)} />
      <span class="dim cut fine">
        <StandingCell row={row} /> {formatNumber(row.tool.tokens, "token")}
        {reason !== null && (
          <>
            {" · "}
            {reason.gate}: <ShownText text={reason.text ?? reason.verdict} />
          </>
        )}
      </span>
    </span>
  );
}

/** The first line that says something. */
function gistOf(description: string): string {
  return description.trimStart().split("\n", 1)[0] ?? "";
}

export function gateDiffers({ tool, before }: ToolRow, gate: string): boolean {
  if (before === undefined || before === null) return false;
  return verdictWord(verdictOf(before, gate)) !== verdictWord(verdictOf(tool, gate));
}

/** The text for the sign of a cell, also for people who do not see it. */
export function describeGate(row: ToolRow, gate: string): string {
  const now = verdictOf(row.tool, gate);
  const was = gateDiffers(row, gate) && row.before ? `, was ${verdictWord(verdictOf(row.before, gate))}` : "";
  return `${gate}: ${verdictWord(now)}${was}${now?.text ? `. ${toOneLine(now.text)}` : ""}`;
}

export function verdictWord(reason: ReasonView | null): string {
  return reason?.verdict ?? "not asked";
}
