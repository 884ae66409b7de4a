import { useState } from "preact/hooks";
import type { RunView, SessionDetails, SessionEntry, SessionFile, SessionView } from "../../http/api/api.ts";
import { useConnection } from "../live/connection.ts";
import { useAction } from "../live/use-action.ts";
import { useResource } from "../live/use-resource.ts";
import { formatNumber, formatTime, toPreview } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { saveFile } from "../parts/save-file.ts";
import { ShownCode, ShownText } from "../parts/shown-text.tsx";
import { Badge, Empty, Failure, ResourceNote } from "../parts/status.tsx";
import { PastTools } from "./past-tools.tsx";

const LIVE = ["calls", "runs"] as const;

/** Stored sessions: messages and calls, and the tools at any point. */
export function SessionsPanel({ toRun }: { toRun(id: string): void }) {
  const [opened, open] = useState<string | null>(null);
  const sessions = useResource<readonly SessionView[]>("sessions", LIVE);
  const runs = useResource<readonly RunView[]>("runs", ["runs"]);
  const runOf = (id: string) => runs.value?.find((run) => run.id === id);
  const watch = opened !== null && runOf(opened) !== undefined ? () => toRun(opened) : null;
  if (opened !== null) return <Session id={opened} watch={watch} leave={() => open(null)} />;
  return (
    <div class="page-panel pile">
      {sessions.failure?.code === "store.not-installed" ? (
        <Empty>
          Sessions are not kept here: <ShownText text={sessions.failure.message} />.
        </Empty>
      ) : (
        <ResourceNote resource={sessions} what="sessions" />
      )}
      {sessions.value?.length === 0 && (
        <Empty>
          No sessions of this workspace are kept. <code>toolcrib run --keep</code> keeps one.
        </Empty>
      )}
      <ul class="sheet" aria-label="Sessions, newest first">
        {sessions.value?.map(({ id, changed, prompt, events, isLive }) => (
          <li key={id} class="call">
            <button type="button" class="quiet row wraps" onClick={() => open(id)}>
              <time class="fine number" dateTime={changed}>
                {changed.slice(0, 16).replace("T", " ")}
              </time>
              <ShownText in="strong" class="cut" text={toTitle({ prompt })} />
              {isLive && <LiveBadge run={runOf(id)} />}
              <span class="dim">{formatNumber(events, "event")}</span>
              <ShownText in="span" class="mono dim cut" text={id} />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What was asked for, on one line. */
function toTitle({ prompt }: Pick<SessionView, "prompt">): string {
  return prompt.trim() === "" ? "nothing was said" : toPreview(prompt);
}

/** A process has the session open; one of this Toolcrib says more about it. */
function LiveBadge({ run }: { readonly run: RunView | undefined }) {
  const words = run === undefined || run.state === "idle" ? "open" : run.state;
  return <Badge tone={run?.state === "waiting" ? "warn" : "good"} icon="calls" text={words} />;
}

interface SessionProps {
  readonly id: string;
  /** Opens its run in this process; null if there is none. */
  readonly watch: (() => void) | null;
  readonly leave: () => void;
}

function Session({ id, watch, leave }: SessionProps) {
  const path = `sessions/${encodeURIComponent(id)}`;
  const details = useResource<SessionDetails>(path, LIVE);
  const [at, lookAt] = useState<number | null>(null);
  const { session, plan = null, timeline = [], isCut = false } = details.value ?? {};
  return (
    <div class="page-panel pile">
      <div class="row wraps">
        <button type="button" onClick={leave}>
          All sessions
        </button>
        {session?.isLive && <Badge tone="good" icon="calls" text="live" />}
        {watch !== null && (
          <button type="button" onClick={watch}>
            <Icon name="runs" />
            Watch the run
          </button>
        )}
        <Exports path={path} />
      </div>
      {session && (
        <div>
          <ShownText in="h2" class="cut" text={toTitle(session)} />
          <p class="dim fine">
            {formatNumber(session.events, "event")}, {formatNumber(session.requests, "request")},{" "}
            {session.cost === null ? "cost unknown" : `$${session.cost.toFixed(4)}`} ·{" "}
            <ShownText in="span" class="mono" text={id} />
          </p>
        </div>
      )}
      <ResourceNote resource={details} what="this session" />
      {at !== null && <PastTools path={path} at={at} close={() => lookAt(null)} />}
      {plan !== null && (
        <details class="sheet" open>
          <summary>Plan</summary>
          <div class="call-body">
            <ShownCode text={plan} label="The plan" />
          </div>
        </details>
      )}
      {isCut && <p class="dim">Only the newest entries are shown; an export has all of them.</p>}
      <ol class="sheet" aria-label="What happened, oldest first">
        {timeline.map((entry) => (
          <Entry key={entry.seq} entry={entry} lookAt={lookAt} />
        ))}
      </ol>
    </div>
  );
}

const WORDS = {
  user: ["plain", "said"],
  model: ["good", "model"],
  call: ["plain", "call"],
  result: ["plain", "result"],
  note: ["plain", "note"],
} as const;

function Entry({ entry, lookAt }: { readonly entry: SessionEntry; readonly lookAt: (seq: number) => void }) {
  const { seq, at, agent, kind, title, text } = entry;
  const [tone, word] = WORDS[kind];
  return (
    <li class="call entry">
      <details>
        <summary>
          <span class="entry-number fine number">{seq}</span>
          <time class="fine number" dateTime={new Date(at).toISOString()}>
            {formatTime(at)}
          </time>
          <Badge tone={tone} text={word} />
          <ShownText in="strong" class="cut" text={agent === null ? title : `${title} (${agent})`} />
          <ShownText in="span" class="entry-text cut dim" text={toPreview(text)} />
        </summary>
        <div class="call-body pile">
          <ShownCode text={text} label={`Text of event ${seq}`} />
          <button type="button" onClick={() => lookAt(seq)}>
            <Icon name="tools" />
            Tools at event {seq}
          </button>
        </div>
      </details>
    </li>
  );
}

const FORMATS = [
  ["html", "Page"],
  ["md", "Markdown"],
  ["jsonl", "JSON lines"],
] as const;

function Exports({ path }: { readonly path: string }) {
  const { api, announce } = useConnection();
  const { isBusy, failure, run } = useAction();
  const save = (format: string) =>
    run(async () => {
      const file = await api.get<SessionFile>(`${path}/export?format=${format}`, new AbortController().signal);
      saveFile(new Blob([file.text], { type: file.type }), file.name);
      announce(`Saved ${file.name}`);
    });
  return (
    <div class="row wraps push">
      <span class="dim fine">Save as</span>
      {FORMATS.map(([format, words]) => (
        <button key={format} type="button" class="quiet small" disabled={isBusy} onClick={() => save(format)}>
          <Icon name="download" />
          {words}
        </button>
      ))}
      <Failure text={failure} />
    </div>
  );
}
