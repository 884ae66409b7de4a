import type { RunCall, RunEntry } from "../../http/api/api.ts";
import { formatDuration, formatJson, formatNumber, formatTime } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { OUTCOMES } from "../parts/outcomes.ts";
import { ShownBlock, ShownCode, ShownText } from "../parts/shown-text.tsx";
import { Badge } from "../parts/status.tsx";
import { formatUsed } from "./run-words.ts";

interface EntryProps<Kind extends RunEntry["kind"] = RunEntry["kind"]> {
  readonly entry: Extract<RunEntry, { readonly kind: Kind }>;
  readonly now: number;
  /** Shows another agent of the run. */
  select(agent: string): void;
}

const SPEAKERS: ReadonlyMap<string, string> = new Map([
  ["user", "You"],
  ["agent", "The task"],
  ["peer", "Another agent"],
  ["hook", "A hook"],
  ["notification", "Toolcrib"],
]);

/** A message, a request to the model with its calls, or another event. */
export function Entry({ entry, now, select }: EntryProps) {
  if (entry.kind === "turn") return <Turn entry={entry} now={now} select={select} />;
  if (entry.kind === "said")
    return (
      <li class="said sheet pile">
        <Head who={SPEAKERS.get(entry.by) ?? entry.by} at={entry.at} />
        <ShownBlock text={entry.text} />
      </li>
    );
  return (
    <li class={`run-note row tight tone-${entry.tone}`}>
      <Icon name={entry.tone === "plain" ? "note" : "warning"} />
      <ShownText text={entry.text} />
    </li>
  );
}

function Head({ who, at }: { readonly who: string; readonly at: number }) {
  return (
    <p class="row tight fine dim">
      <strong>{who}</strong>
      <time dateTime={new Date(at).toISOString()}>{formatTime(at)}</time>
    </p>
  );
}

function Turn({ entry, now, select }: EntryProps<"turn">) {
  const { number, at, model, text, hidden, thoughts, isStreaming, used, calls, hiddenCalls } = entry;
  return (
    <li class={isStreaming ? "turn sheet pile is-streaming" : "turn sheet pile"} aria-busy={isStreaming}>
      <p class="row tight wraps fine dim">
        <strong>Request {number}</strong>
        <time dateTime={new Date(at).toISOString()}>{formatTime(at)}</time>
        {model !== null && <ShownText text={model} />}
        {used !== null && <span class="push number">{formatUsed(used).replace(/^1 request · /, "")}</span>}
        {isStreaming && <span class="push">{text === "" ? "waiting for the model …" : "writing …"}</span>}
      </p>
      {thoughts !== "" && (
        <details>
          <summary class="dim">Thoughts</summary>
          <ShownBlock text={thoughts} />
        </details>
      )}
      {text !== "" && <ShownBlock text={text} />}
      {hidden > 0 && (
        <p class="dim fine">{formatNumber(hidden, "more character is", "more characters are")} not shown.</p>
      )}
      {calls.length > 0 && <Calls calls={calls} label={`Calls of request ${number}`} now={now} select={select} />}
      {hiddenCalls > 0 && (
        <p class="dim fine">{formatNumber(hiddenCalls, "more call is", "more calls are")} not shown.</p>
      )}
    </li>
  );
}

interface CallsProps {
  readonly calls: readonly RunCall[];
  readonly label: string;
  readonly now: number;
  select(agent: string): void;
}

function Calls({ calls, label, now, select }: CallsProps) {
  return (
    <ul class="turn-calls" aria-label={label}>
      {calls.map((call) => (
        <Call key={call.id} call={call} now={now} select={select} />
      ))}
    </ul>
  );
}

function Call({ call, now, select }: { readonly call: RunCall; readonly now: number; select(agent: string): void }) {
  const { tool, state, duration, started, line, progress, agent, result, inside } = call;
  const isRunning = duration === null;
  const [tone, icon] = OUTCOMES.get(state) ?? ["plain", "calls"];
  return (
    <li class={isRunning ? "call is-running" : "call"}>
      <details>
        <summary>
          <ShownText in="strong" class="cut mono" text={tool} />
          <ShownText
            in="span"
            class="call-arguments cut mono dim"
            text={call.arguments === null ? "" : (JSON.stringify(call.arguments) ?? "")}
          />
          {line !== null && <span class="fine dim">line {line}</span>}
          <Badge tone={tone} icon={icon} text={state} />
          <span class="number call-time fine right">{formatDuration(duration ?? now - started)}</span>
        </summary>
        <div class="call-body pile">
          <ShownCode text={formatJson(call.arguments)} label={`Arguments of ${call.id}`} />
          {result !== null && <ShownCode text={result} label={`Result of ${call.id}`} />}
        </div>
      </details>
      {progress !== null && <ShownText in="p" class="call-progress dim fine" text={progress} />}
      {agent !== null && (
        <p class="call-progress">
          <button type="button" class="small" onClick={() => select(agent)}>
            <Icon name="runs" />
            What <ShownText text={agent} /> does
          </button>
        </p>
      )}
      {inside.length > 0 && <Calls calls={inside} label={`Calls that ${call.id} made`} now={now} select={select} />}
    </li>
  );
}
