import { useState } from "preact/hooks";
import type { ServerView } from "../../http/api.ts";
import { useConnection } from "../live/connection.ts";
import type { Resource } from "../live/use-resource.ts";
import { formatNumber } from "../parts/format.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { toPlainText } from "../parts/reveal-text.ts";
import { ShownCode, ShownText } from "../parts/shown-text.tsx";
import { Badge, Empty, ResourceNote, type Tone } from "../parts/status.tsx";

const STATES: ReadonlyMap<string, readonly [Tone, IconName]> = new Map([
  ["connected", ["good", "done"]],
  ["starting", ["plain", "deferred"]],
  ["stale", ["warn", "warning"]],
  ["needs-auth", ["warn", "warning"]],
  ["failed", ["bad", "hidden"]],
]);

/** How every source is doing, why, and what to do about it. */
export function ServersPanel({ servers }: { readonly servers: Resource<readonly ServerView[]> }) {
  return (
    <div class="page-panel">
      <ResourceNote resource={servers} what="servers" />
      {servers.value?.length === 0 && (
        <Empty>
          No servers yet. <code>toolcrib add NAME -- COMMAND</code> adds one.
        </Empty>
      )}
      <ul class="cards">
        {servers.value?.map((server) => (
          <Server key={`${server.kind} ${server.name}`} server={server} />
        ))}
      </ul>
    </div>
  );
}

function Server({ server }: { readonly server: ServerView }) {
  const { api, announce } = useConnection();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  // Kept here, because a server that starts again has written nothing for a moment.
  const [isOpen, setOpen] = useState(server.state === "failed");
  const [tone, icon] = STATES.get(server.state) ?? ["plain", "note"];
  const name = toPlainText(server.name);
  const restart = async () => {
    setBusy(true);
    setFailure(null);
    try {
      await api.post(`servers/${encodeURIComponent(server.name)}/restart`);
      announce(`Restarted ${name}`);
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <li class={`card server tone-edge-${tone}`}>
      <div class="card-head">
        <h2>
          <ShownText text={server.name} />
        </h2>
        <Badge tone={tone} icon={icon} text={server.state} />
        <span class="dim">
          {server.kind}
          {server.era !== null && `, ${server.era} protocol`}, {formatNumber(server.tools, "tool")}
        </span>
        {server.canRestart && (
          <button type="button" class="push" disabled={isBusy} onClick={restart} aria-label={`Restart ${name}`}>
            <Icon name="restart" />
            {isBusy ? "Restarting …" : "Restart"}
          </button>
        )}
      </div>
      {server.reason !== null && (
        <p>
          <ShownText text={server.reason} />
        </p>
      )}
      {server.next !== null && (
        <p class="fix">
          <strong>Next:</strong> <ShownText text={server.next} />
        </p>
      )}
      {failure !== null && (
        <p class="tone-bad" role="alert">
          <ShownText text={failure} />
        </p>
      )}
      {server.stderr !== null && server.stderr !== "" && (
        <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>What it wrote to stderr</summary>
          <ShownCode text={server.stderr} label={`stderr of ${name}`} />
        </details>
      )}
    </li>
  );
}
