import type { Overview } from "../http/api/api.ts";
import { useConnection } from "./live/connection.ts";
import type { StreamState } from "./live/event-stream.ts";
import { useStreamState } from "./live/use-stream-state.ts";
import { CopyButton } from "./parts/copy-button.tsx";
import { formatNumber } from "./parts/format.ts";
import { Icon } from "./parts/icon.tsx";
import { ShownText } from "./parts/shown-text.tsx";
import type { Tone } from "./parts/status.tsx";
import { ThemeButton } from "./parts/theme-button.tsx";

const STATES: Readonly<Record<StreamState, readonly [Tone, string]>> = {
  connecting: ["plain", "Connecting"],
  live: ["good", "Live"],
  lost: ["bad", "Disconnected"],
};

export function Header({ overview }: { readonly overview: Overview | null }) {
  return (
    <header class="head row">
      <p class="brand row">
        <BrandMark />
        <strong>Toolcrib</strong>
        {overview !== null && <span class="dim fine">{overview.version}</span>}
      </p>
      {overview !== null && (
        <>
          {overview.endpoint !== null && (
            <p class="endpoint row">
              <code class="cut">{overview.endpoint}</code>
              <CopyButton text={overview.endpoint} what="the endpoint" />
            </p>
          )}
          <dl class="scene-facts row">
            {overview.workspace !== null && <Fact name="Workspace" text={toFolder(overview.workspace)} />}
            <Fact name="Agent" text={overview.agent ?? "none"} />
            <Fact name="Model" text={overview.model ?? "none"} />
            <Fact name="Mode" text={overview.mode} />
            <Fact name={overview.isApp ? "Sessions" : "Clients"} text={String(overview.clients.length)} />
          </dl>
        </>
      )}
      <div class="row push">
        <LiveState what={overview?.isApp ? "session" : "client"} count={overview?.clients.length ?? 0} />
        <ThemeButton />
      </div>
    </header>
  );
}

/** The last part of a path is enough for a heading. */
function toFolder(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== "") ?? path;
}

function Fact({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <div class="row tight">
      <dt class="dim fine">{name}</dt>
      <ShownText in="dd" class="cut" text={text} />
    </div>
  );
}

/** Whether the page shows the current state. */
function LiveState({ what, count }: { readonly what: string; readonly count: number }) {
  const { events } = useConnection();
  const state = useStreamState();
  const [tone, words] = STATES[state];
  return (
    <div class={`live row tone-${tone}`}>
      <span class="row tight" role="status" title={`${words}, ${formatNumber(count, what)}`}>
        <Icon name={state === "lost" ? "warning" : "calls"} />
        {words}
      </span>
      {state === "lost" && (
        <button type="button" class="small" onClick={() => events.retry()}>
          Try now
        </button>
      )}
    </div>
  );
}

function BrandMark() {
  return (
    <svg class="brand-mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" fill="#0f5c63" />
      <path d="M7 9h18M7 16h18M7 23h18" stroke="#fff" stroke-opacity=".35" stroke-width="2" stroke-linecap="round" />
      <circle cx="11" cy="9" r="3" fill="#fff" />
      <circle cx="21" cy="16" r="3" fill="#f4c05e" />
      <circle cx="14" cy="23" r="3" fill="#fff" />
    </svg>
  );
}
