import type { ClientView, Overview, ServerView, UsageRow, UsageView } from "../../http/api/api.ts";
import { type Resource, useResource } from "../live/use-resource.ts";
import { formatCount, formatDuration, formatNumber, formatShare, formatTime } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { ShownText } from "../parts/shown-text.tsx";
import { Empty, ResourceNote } from "../parts/status.tsx";

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
  return (
    <div class="page-panel pile">
      <ResourceNote resource={overview} what="the overview" />
      {value !== null && value.refused !== null && <Refused text={value.refused} />}
      {value !== null && (
        <ul class="tiles" aria-label="At a glance">
          <Tile name="Calls" text={formatCount(usage.value?.total.calls ?? 0)} note={toSince(usage.value)} />
          <Tile
            name="Errors"
            text={formatCount(usage.value?.total.errors ?? 0)}
            note={formatNumber(usage.value?.total.refused ?? 0, "call refused", "calls refused")}
            isBad={(usage.value?.total.errors ?? 0) > 0}
          />
          <Tile
            name="Median time"
            text={toTime(usage.value?.total.p50)}
            note={`95 % within ${toTime(usage.value?.total.p95)}`}
          />
          <Tile
            name="Tool tokens sent"
            text={formatCount(value.tools.visible.tokens)}
            note={`${formatShare(value.tools.visible.tokens, value.contextWindow)} of the window, ${toTools(value)}`}
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
      {usage.value !== null && usage.value.total.calls === 0 && (
        <Empty>No calls yet. They are counted here as they are made.</Empty>
      )}
      {usage.value !== null && usage.value.total.calls > 0 && (
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

function UsageTable({ heading, rows }: { readonly heading: string; readonly rows: readonly UsageRow[] }) {
  return (
    <section class="card pile sheet" aria-label={heading}>
      <h2>{heading}</h2>
      <div class="table-scroll" tabIndex={0} role="region" aria-label={`${heading}, all columns`}>
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Name</th>
              {["Calls", "Errors", "Refused", "p50", "p95", "Tokens of results"].map((name) => (
                <th key={name} scope="col" class="right">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MOST_ROWS).map((row) => (
              <tr key={row.name}>
                <th scope="row">
                  <ShownText text={row.name} />
                </th>
                <td class="number">{formatCount(row.calls)}</td>
                <td class={row.errors > 0 ? "number tone-bad" : "number"}>{formatCount(row.errors)}</td>
                <td class="number">{formatCount(row.refused)}</td>
                <td class="number">{toTime(row.p50)}</td>
                <td class="number">{toTime(row.p95)}</td>
                <td class="number">{formatCount(row.tokens)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
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

function toTools({ tools }: Overview): string {
  return `${tools.visible.count} shown, ${tools.deferred.count} behind search, ${tools.hidden.count} hidden`;
}
