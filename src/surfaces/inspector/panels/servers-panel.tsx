import { useState } from "preact/hooks";
import type { ServerView } from "../../http/api/api.ts";
import { useIsApp } from "../live/app-view.ts";
import { useConnection } from "../live/connection.ts";
import { useAction } from "../live/use-action.ts";
import type { Resource } from "../live/use-resource.ts";
import { formatNumber } from "../parts/format.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { toOneLine } from "../parts/reveal-text.ts";
import { ShownCode, ShownText } from "../parts/shown-text.tsx";
import { Badge, Empty, Failure, ResourceNote, type Tone } from "../parts/status.tsx";
import { SwitchButton } from "../parts/switch-button.tsx";

/** Ordered by how urgently they need attention. */
const STATES: ReadonlyMap<string, readonly [Tone, IconName]> = new Map([
  ["failed", ["bad", "hidden"]],
  ["waiting", ["warn", "warning"]],
  ["needs-auth", ["warn", "warning"]],
  ["stale", ["warn", "warning"]],
  ["starting", ["plain", "deferred"]],
  ["connected", ["good", "done"]],
]);
const ORDER = [...STATES.keys()];

/** The state of every source, why, and what to do about it; those that need attention come first. */
export function ServersPanel({ servers }: { readonly servers: Resource<readonly ServerView[]> }) {
  const isApp = useIsApp();
  return (
    <div class="page-panel pile">
      <ResourceNote resource={servers} what="servers" />
      {servers.value?.length === 0 && (
        <Empty>
          No servers yet.
          {!isApp && (
            <>
              {" "}
              <code>toolcrib add NAME -- COMMAND</code> adds one.
            </>
          )}
        </Empty>
      )}
      <ul class="sheet" aria-label="Servers, those that need you first">
        {worstFirst(servers.value ?? []).map((server) => (
          <Server key={`${server.kind} ${server.name}`} server={server} />
        ))}
      </ul>
    </div>
  );
}

function worstFirst(servers: readonly ServerView[]): readonly ServerView[] {
  const rank = ({ state }: ServerView) => (ORDER.includes(state) ? ORDER.indexOf(state) : ORDER.length);
  return [...servers].sort((a, b) => rank(a) - rank(b));
}

function Server({ server }: { readonly server: ServerView }) {
  // Stored here, because a restarting server has written nothing for a moment.
  const [isOpen, setOpen] = useState(false);
  const [tone, icon] = STATES.get(server.state) ?? ["plain", "note"];
  const name = toOneLine(server.name);
  const hasMore =
    server.reason !== null || server.next !== null || (server.stderr ?? "") !== "" || server.from !== null;
  return (
    <li class={`server-row edge tone-${tone}`}>
      <div class="server-line">
        <ShownText in="h2" class="cut" text={server.name} />
        <Badge tone={tone} icon={icon} text={server.state} />
        <span class="dim server-facts">
          {server.kind}, {formatNumber(server.tools, "tool")}
        </span>
        <ShownText in="span" class="server-reason" text={server.reason ?? server.next ?? ""} />
        <span class="server-actions row wraps">
          {server.canRestart && <RestartButton name={server.name} />}
          {server.canSwitch && (
            <SwitchButton
              path={`servers/${encodeURIComponent(server.name)}`}
              name={server.name}
              isOn={server.state !== "disabled"}
            />
          )}
        </span>
      </div>
      {hasMore && (
        <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>Details of {name}</summary>
          {server.shows.length > 0 && (
            <ShownCode
              text={server.shows.map(({ path, value }) => `${path}: ${value}`).join("\n")}
              label={`entry of ${name}`}
            />
          )}
          {server.from !== null && (
            <p class="dim">
              Its entry: <ShownText text={server.from} />
            </p>
          )}
          {server.waits !== null && <StartButton name={server.name} id={server.waits} />}
          {server.reason !== null && <ShownText in="p" text={server.reason} />}
          {server.next !== null && (
            <p class="fix">
              <strong>Next:</strong> <ShownText text={server.next} />
            </p>
          )}
          {server.era !== null && <p class="dim">It speaks the {server.era} protocol.</p>}
          {server.stderr !== null && server.stderr !== "" && (
            <ShownCode text={server.stderr} label={`stderr of ${name}`} />
          )}
        </details>
      )}
    </li>
  );
}

/** Agrees to exactly what is shown above it. */
function StartButton({ name, id }: { readonly name: string; readonly id: string }) {
  const { api, announce } = useConnection();
  const { isBusy, failure, run } = useAction();
  const shown = toOneLine(name);
  const start = () =>
    run(async () => {
      await api.post(`servers/${encodeURIComponent(name)}/start`, { id });
      announce(`Trusted ${shown}, which starts now`);
    });
  return (
    <p class="row wraps">
      <button type="button" disabled={isBusy} onClick={start}>
        {isBusy ? "Starting …" : `Trust this entry and start ${shown}`}
      </button>
      <Failure text={failure} />
    </p>
  );
}

function RestartButton({ name }: { readonly name: string }) {
  const { api, announce } = useConnection();
  const { isBusy, failure, run } = useAction();
  const shown = toOneLine(name);
  const restart = () =>
    run(async () => {
      await api.post(`servers/${encodeURIComponent(name)}/restart`);
      announce(`Restarted ${shown}`);
    });
  return (
    <>
      <button type="button" disabled={isBusy} onClick={restart} aria-label={`Restart ${shown}`}>
        <Icon name="restart" />
        {isBusy ? "Restarting …" : "Restart"}
      </button>
      <Failure text={failure} />
    </>
  );
}
