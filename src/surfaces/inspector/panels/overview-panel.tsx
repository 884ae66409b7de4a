import type { ClientView, Overview, ServerView, UsageRow, UsageView } from "../../http/api/api.ts";
import { type Resource, useResource } from "../live/use-resource.ts";
import { formatCount, formatDuration, formatNumber, formatShare, formatTime } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { ShownText } from "../parts/shown-text.tsx";
import { Empty, ResourceNote } from "../parts/status.tsx";
import { Table, type TableColumn } from "../parts/table.tsx";
import { FirstSteps } from "./first-steps.tsx";

interface OverviewProps {
  readonly overview: Resource<Overview>;
  readonly servers: readonly ServerView[];
  /** Servers that do not work. */
  readonly troubled: number;
}

const MOST_ROWS = 20;

/** Everything at a glance: calls and their outcomes, tokens, servers, and connected clients. */
export function OverviewPanel({ overview, servers, troubled }: OverviewProps) {
  const usage = useResource<UsageView>("usage", ["calls", "toolset"]);
  const { value } = overview;
  const total = usage.value?.total ?? null;
  const isUnused = total?.calls === 0;
  return (
    <div class="page-panel pile">
      <ResourceNote resource={overview} what="the overview" />
      {value !== null && value.refused !== null && <Refused text={value.refused} />}
      {value !== null && isUnused && !value.isApp && (
        <FirstSteps overview={value} servers={servers} troubled={troubled} />
      )}
      {value !== null && total !== null && (value.isApp || !isUnused) && (
        <ul class="tiles" aria-label="At a glance">
          {total.calls > 0 && (
            <>
              <Tile name="Calls" text={formatCount(total.calls)} note={toSince(usage.value)} href="#/calls" />
              <Tile
                name="Errors"
                text={formatCount(total.errors)}
                note={formatNumber(total.refused, "call refused", "calls refused")}
                isBad={total.errors > 0}
              />
              <Tile name="Median time" text={toTime(total.p50)} note={`95 % within ${toTime(total.p95)}`} />
            </>
          )}
          <Tile
            name="Tool tokens sent"
            text={formatCount(value.tools.visible.tokens)}
            note={`${formatShare(value.tools.visible.tokens, value.contextWindow)} of the window`}
            href="#/tools"
          />
          <Tile
            name="Servers"
            text={formatCount(servers.length)}
            note={troubled === 0 ? "all work" : `${troubled} not working`}
            isBad={troubled > 0}
            href="#/servers"
          />
          {value.isApp ? (
            <Tile name="Sessions" text={formatCount(value.clients.length)} note="open now" href="#/runs" />
          ) : (
            <Tile name="Clients" text={formatCount(value.clients.length)} note="connected now" href="#/connect" />
          )}
        </ul>
      )}
      <ResourceNote resource={usage} what="calls" />
      {isUnused && value?.isApp === true && <Empty>No calls yet. They are counted here as they are made.</Empty>}
      {usage.value !== null && !isUnused && (
        <>
          <UsageTable heading="By server" rows={usage.value.servers} />
          <UsageTable heading="By tool" rows={usage.value.tools} />
        </>
      )}
      {value !== null && value.clients.length > 0 && (
        <Connected clients={value.clients} heading={value.isApp ? "Sessions of the app" : "Who is connected"} />
      )}
    </div>
  );
}

function Refused({ text }: { readonly text: string }) {
  return (
    <div class="note row tone-bad" role="alert">
      <Icon name="warning" />
      <div>
        The configuration was changed and cannot be used, so the previous one stays until it is mended:{" "}
        <ShownText text={text} />
      </div>
    </div>
  );
}

interface TileProps {
  readonly name: string;
  readonly text: string;
  readonly note: string;
  readonly isBad?: boolean;
  readonly href?: string;
}

function Tile({ name, text, note, isBad, href }: TileProps) {
  return (
    <li class={isBad === true ? "card pile sheet tile edge tone-bad" : "card pile sheet tile"}>
      <h2 class="dim fine">{href === undefined ? name : <a href={href}>{name}</a>}</h2>
      <p class="tile-value number">{text}</p>
      <p class="dim">{note}</p>
    </li>
  );
}

const USAGE: readonly TableColumn[] = [
  { name: "Name" },
  ...["Calls", "Errors", "Refused", "Median", "95 %", "Result tokens"].map((name) => ({ name, isNumber: true })),
];

function UsageTable({ heading, rows }: { readonly heading: string; readonly rows: readonly UsageRow[] }) {
  return (
    <section class="card pile sheet" aria-label={heading}>
      <h2>{heading}</h2>
      <Table
        label={heading}
        columns={USAGE}
        rows={rows.slice(0, MOST_ROWS).map(({ name, calls, errors, refused, p50, p95, tokens }) => ({
          key: name,
          cells: [
            <ShownText key="name" text={name} />,
            formatCount(calls),
            errors > 0 ? <span class="failure">{formatCount(errors)}</span> : formatCount(errors),
            formatCount(refused),
            toTime(p50),
            toTime(p95),
            formatCount(tokens),
          ],
        }))}
      />
      {rows.length > MOST_ROWS && <p class="dim">and {formatCount(rows.length - MOST_ROWS)} more</p>}
    </section>
  );
}

function Connected({ clients, heading }: { readonly clients: readonly ClientView[]; readonly heading: string }) {
  return (
    <section class="card pile sheet" aria-label={heading}>
      <h2>{heading}</h2>
      <ul class="connected pile">
        {clients.map((client) => (
          <li key={client.id}>
            <ShownText in="strong" text={client.label} />{" "}
            <span class="dim">
              {client.agent !== null && (
                <>
                  as <ShownText text={client.agent} />,{" "}
                </>
              )}
              since {formatTime(client.since)}, {formatNumber(client.calls, "call")}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function toTime(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? "–" : formatDuration(ms);
}

function toSince(usage: UsageView | null): string {
  return usage === null ? "" : `since ${formatTime(usage.since)}`;
}
