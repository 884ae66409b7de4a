import { useState } from "preact/hooks";
import type { CallView, ClientView } from "../../http/api/api.ts";
import { useNow } from "../live/use-now.ts";
import { useResource } from "../live/use-resource.ts";
import { FilterField } from "../parts/filter-field.tsx";
import { formatDuration, formatJson, formatNumber, formatTime } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { OUTCOMES } from "../parts/outcomes.ts";
import { ShownCode, ShownText } from "../parts/shown-text.tsx";
import { Badge, Empty, ResourceNote } from "../parts/status.tsx";

interface CallsProps {
  readonly clients: readonly ClientView[];
}

const MOST_SHOWN = 300;
/** Calls as they arrive: the request, the decision, the duration. */
export function CallsPanel({ clients }: CallsProps) {
  const [isPaused, setPaused] = useState(false);
  const [filter, setFilter] = useState("");
  const calls = useResource<readonly CallView[]>("calls", ["calls"], isPaused);
  const labels = new Map(clients.map(({ id, label }) => [id, label]));
  const wanted = filter.trim().toLowerCase();
  const shown = (calls.value ?? []).filter((call) => wanted === "" || toSearched(call, labels).includes(wanted));
  const inside = groupInside(shown);
  const now = useNow(!isPaused && shown.some(({ duration, session }) => duration === null && session === undefined));
  return (
    <div class="page-panel pile">
      <div class="grid-tools row wraps">
        <FilterField
          label="Filter calls"
          hint="Filter by tool, client, arguments or outcome"
          value={filter}
          set={setFilter}
        />
        <span class="dim">{formatNumber(shown.length, "call")}</span>
        <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          <Icon name={isPaused ? "play" : "pause"} />
          {isPaused ? "Go on" : "Pause"}
        </button>
      </div>
      <ResourceNote resource={calls} what="calls" />
      {calls.value !== null && shown.length === 0 && (
        <Empty>
          {calls.value.length === 0 ? "No calls yet. They appear here as they are made." : "No call matches."}
        </Empty>
      )}
      <ul class="sheet" aria-label="Calls, newest first">
        {inside.outer.slice(0, MOST_SHOWN).map((call) => (
          <Call
            key={keyOf(call)}
            call={call}
            now={now}
            client={labels.get(call.client) ?? call.client}
            inside={inside.of}
          />
        ))}
      </ul>
    </div>
  );
}

/** Calls with the calls that they made, such as a run of code. */
interface Nested {
  /** Calls whose parent is not shown. */
  readonly outer: readonly CallView[];
  /** The calls that a call made, in order. */
  of(call: CallView): readonly CallView[];
}

function groupInside(calls: readonly CallView[]): Nested {
  const known = new Set(calls.map(({ client, id }) => `${client} ${id}`));
  const parentOf = ({ client, parent }: CallView) => (parent === undefined ? null : `${client} ${parent}`);
  const inner = new Map<string, CallView[]>();
  const outer = calls.filter((call) => {
    const parent = parentOf(call);
    if (parent === null || !known.has(parent)) return true;
    inner.set(parent, [call, ...(inner.get(parent) ?? [])]);
    return false;
  });
  return { outer, of: ({ client, id }) => inner.get(`${client} ${id}`) ?? [] };
}

function keyOf({ client, id, started }: CallView): string {
  return `${client} ${id} ${started}`;
}

interface CallProps {
  readonly call: CallView;
  readonly now: number;
  readonly client: string;
  readonly inside: Nested["of"];
}

function Call({ call, now, client, inside }: CallProps) {
  const inner = inside(call);
  const isRunning = call.duration === null && call.session === undefined;
  const outcome =
    call.result?.type ?? (call.session === undefined ? call.state : call.decision?.decision) ?? call.state;
  const [tone, icon] = OUTCOMES.get(outcome) ?? ["plain", "calls"];
  const [decisionTone, decisionIcon] = OUTCOMES.get(call.decision?.decision ?? "") ?? ["plain", "note"];
  return (
    <li class={isRunning ? "call is-running" : "call"}>
      <details>
        <summary>
          <time class="fine number" dateTime={new Date(call.started).toISOString()}>
            {formatTime(call.started)}
          </time>
          <ShownText in="strong" class="cut mono" text={call.tool} />
          {call.line !== undefined && <span class="fine dim">line {call.line.line}</span>}
          {inner.length > 0 && <span class="fine dim">{formatNumber(inner.length, "call")} inside</span>}
          <ShownText
            in="span"
            class="call-arguments cut mono dim"
            text={call.arguments === null ? "" : (JSON.stringify(call.arguments) ?? "")}
          />
          <ShownText in="span" class="call-client cut dim" text={client} />
          <Badge tone={tone} icon={icon} text={outcome} />
          <span class="number call-time fine right">
            {call.session === undefined ? formatDuration(call.duration ?? now - call.started) : "its own"}
          </span>
        </summary>
        <div class="call-body pile">
          {call.decision !== null && (
            <p>
              <Badge tone={decisionTone} icon={decisionIcon} text={call.decision.decision} />{" "}
              <ShownText text={call.decision.text} />
              {call.decision.origin !== null && (
                <span class="dim">
                  {" "}
                  from <ShownText text={call.decision.origin} />
                </span>
              )}{" "}
              <code class="dim">{call.decision.code}</code>
            </p>
          )}
          {call.session !== undefined && (
            <p class="dim">
              The client runs this call itself, in its session <ShownText text={call.session} />. Its hook asked before;
              how the call ended is not known here.
            </p>
          )}
          <h3>Arguments</h3>
          {call.arguments === null ? (
            <p class="dim">Shown here once the call is decided; until then Approvals shows them.</p>
          ) : (
            <ShownCode text={formatJson(call.arguments)} label={`Arguments of ${call.id}`} />
          )}
          {call.result !== null && (
            <>
              <h3>Result</h3>
              <ShownCode text={call.result.text} label={`Result of ${call.id}`} />
              {call.result.note !== undefined && <ShownText in="p" class="dim" text={call.result.note} />}
            </>
          )}
        </div>
      </details>
      {inner.length > 0 && (
        <ul class="calls-inside" aria-label={`Calls that ${call.id} made`}>
          {inner.map((one) => (
            <Call key={keyOf(one)} call={one} now={now} client={client} inside={inside} />
          ))}
        </ul>
      )}
    </li>
  );
}

function toSearched(call: CallView, labels: ReadonlyMap<string, string>): string {
  const client = labels.get(call.client) ?? call.client;
  return [
    call.tool,
    client,
    call.session,
    call.state,
    call.result?.type,
    call.decision?.decision,
    JSON.stringify(call.arguments),
  ]
    .join("\n")
    .toLowerCase();
}
