import { useState } from "preact/hooks";
import type { ServerView } from "../../http/api/api.ts";
import { useIsApp } from "../live/app-view.ts";
import { useConnection } from "../live/connection.ts";
import { useAction } from "../live/use-action.ts";
import type { Resource } from "../live/use-resource.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { formatNumber, wordsOfEra } from "../parts/format.ts";
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
  return (
    <li class={`server-row edge tone-${tone}`}>
      <div class="server-line">
        <ShownText in="h2" class="cut" text={server.name} />
        <Badge tone={tone} icon={icon} text={server.state} />
        <span class="dim server-facts">
          {server.kind}, {formatNumber(server.tools, "tool")}
        </span>
        {(server.reason ?? server.next) !== null && (
          <ShownText in="span" class="server-reason" text={server.reason ?? server.next ?? ""} />
        )}
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
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          Details<span class="away"> of {name}</span>
        </summary>
        <Details server={server} name={name} />
      </details>
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

/** How it is started or reached and where that is set, what is wrong, and what it said. */
function Details({ server, name }: { readonly server: ServerView; readonly name: string }) {
  const { shows, from, era, reason, next, stderr, waits } = server;
  return (
    <div class="pile">
      <dl class="pairs">
        {shows.map(({ path, value }) => (
          <Fact key={path} name={SHOWN.get(path) ?? path} text={value} />
        ))}
        {from !== null && <Fact name="Set in" text={from} />}
        {era !== null && (
          <>
            <dt class="dim">Protocol</dt>
            <dd>{wordsOfEra(era)}</dd>
          </>
        )}
        {reason !== null && (
          <>
            <dt class="dim">State</dt>
            <ShownText in="dd" text={`${server.state}: ${reason}`} />
          </>
        )}
      </dl>
      {waits !== null && <StartButton name={server.name} id={waits} />}
      {next !== null && (
        <p class="fix">
          <strong>Next:</strong> <ShownText text={next} />
        </p>
      )}
      {stderr !== null && stderr !== "" && (
        <>
          <h3>What it wrote to its error stream</h3>
          <ShownCode text={stderr} label={`stderr of ${name}`} />
        </>
      )}
    </div>
  );
}

/** What parts of an entry are called here; others by their key. */
const SHOWN: ReadonlyMap<string, string> = new Map([
  ["runs", "Command"],
  ["url", "Address"],
  ["spec", "Document"],
]);

function Fact({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <>
      <dt class="dim">{name}</dt>
      <dd>
        <ShownText in="code" text={text} /> <CopyButton text={text} what={name.toLowerCase()} />
      </dd>
    </>
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
      <button type="button" class="small" disabled={isBusy} onClick={restart} aria-label={`Restart ${shown}`}>
        <Icon name="restart" />
        {isBusy ? "Restarting …" : "Restart"}
      </button>
      <Failure text={failure} />
    </>
  );
}
