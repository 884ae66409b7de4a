import { useState } from "preact/hooks";
import type { ChangeView, Overview } from "../../http/api/api.ts";
import { ApiFailure } from "../live/api-client.ts";
import { useConnection } from "../live/connection.ts";
import { useAction } from "../live/use-action.ts";
import type { Resource } from "../live/use-resource.ts";
import { Diff } from "../parts/diff.tsx";
import { formatNumber } from "../parts/format.ts";
import { toOneLine } from "../parts/reveal-text.ts";
import { ShownText } from "../parts/shown-text.tsx";
import { Badge, Empty, Failure, ResourceNote, type Tone } from "../parts/status.tsx";
import { SwitchButton } from "../parts/switch-button.tsx";
import { TryPolicy } from "./try-policy.tsx";

const KINDS: Readonly<Record<ChangeView["kind"], readonly [Tone, string, string]>> = {
  changed: [
    "warn",
    "changed",
    "Its definition differs from what was approved. Calls are refused until you approve it.",
  ],
  new: ["plain", "new", "Nobody has approved it yet."],
  quarantined: ["bad", "quarantined", "Something in its definition looks wrong. It is held back until you approve it."],
  launch: ["warn", "starts differently", "How the server is started differs from what was approved."],
};
interface ChangesProps {
  readonly changes: Resource<readonly ChangeView[]>;
  readonly overview: Overview | null;
}

/** Definitions that differ from what was approved, line by line, with invisible characters made visible. */
export function ChangesPanel({ changes, overview }: ChangesProps) {
  const waiting = changes.value?.filter(({ isOff }) => !isOff) ?? [];
  const off = changes.value?.filter(({ isOff }) => isOff) ?? [];
  return (
    <div class="page-panel pile">
      <ResourceNote resource={changes} what="changes" />
      {overview?.pinned === null && overview.pinnable > 0 && <FirstPins tools={overview.pinnable} />}
      {overview?.pinned === null && overview.pinnable === 0 && <Empty>No server has a tool that could change.</Empty>}
      {changes.value !== null && waiting.length === 0 && overview !== null && overview.pinned !== null && (
        <Empty>All {formatNumber(overview.pinned, "pinned definition")} are what was approved.</Empty>
      )}
      <ChangeCards changes={waiting} />
      {off.length > 0 && (
        <details class="card pile sheet">
          <summary>{formatNumber(off.length, "change")} of tools and servers that are off</summary>
          <ChangeCards changes={off} />
        </details>
      )}
      <TryPolicy />
    </div>
  );
}

function ChangeCards({ changes }: { readonly changes: readonly ChangeView[] }) {
  return (
    <ul class="cards pile">
      {changes.map((change) => (
        <Change key={`${change.kind === "launch" ? "launch" : "tool"} ${change.tool}`} change={change} />
      ))}
    </ul>
  );
}

/** Without a lock nothing is compared, which is worth saying. */
function FirstPins({ tools }: { readonly tools: number }) {
  const { api, announce } = useConnection();
  const { isBusy, failure, run } = useAction();
  const pin = () =>
    run(async () => {
      await api.post("pins");
      announce("Pinned every definition as it is now");
    });
  return (
    <section class="card pile sheet edge tone-warn" aria-label="Nothing is pinned yet">
      <h2>Nothing is pinned yet</h2>
      <p>
        A server can change what its tools say at any time. Pin the {formatNumber(tools, "definition")} of today in{" "}
        <code>toolcrib.lock</code>, and whatever changes later waits here for you.
      </p>
      <Failure text={failure} />
      <button type="button" class="primary" disabled={isBusy} onClick={pin}>
        {isBusy ? "Pinning …" : "Pin everything as it is now"}
      </button>
    </section>
  );
}

function Change({ change }: { readonly change: ChangeView }) {
  const { api, announce } = useConnection();
  const { isBusy, failure, run, reset } = useAction();
  /** The id of the definition that was there to be read. */
  const [read, setRead] = useState(change.id);
  const isNewer = read !== change.id;
  const [tone, word, meaning] = KINDS[change.kind];
  const subject = toOneLine(change.tool === "" ? change.server : change.tool);
  const heading = `change-${change.id}`;
  const approve = () =>
    run(async () => {
      await api.post(`changes/${encodeURIComponent(change.id)}/approve`).catch((error: unknown) => {
        const isGone = error instanceof ApiFailure && error.status === 404;
        throw isGone ? new Error("It has changed again meanwhile.") : error;
      });
      announce(`Approved ${subject}`);
    }, "stays");
  const takeNotice = () => {
    setRead(change.id);
    reset();
  };
  return (
    <li class={`card pile sheet edge tone-${tone}`}>
      <div class="card-head row wraps">
        <h2 id={heading}>
          <ShownText text={subject} />
        </h2>
        <Badge tone={tone} icon="changes" text={word} />
        <span class="dim">
          server <ShownText text={change.server} />
        </span>
      </div>
      <p>{meaning}</p>
      {change.signals.length > 0 && (
        <ul class="signals pile">
          {change.signals.map(({ name, text, quote }) => (
            <li key={`${name} ${text}`}>
              <Badge tone="bad" icon="warning" text={name} /> <ShownText text={text} />
              {quote !== undefined && <ShownText in="q" class="dim" text={quote} />}
            </li>
          ))}
        </ul>
      )}
      {typeof change.remark === "string" && <ShownText in="p" text={change.remark} />}
      <Diff lines={change.diff} label={`What changed in ${subject}`} />
      <Failure text={failure} />
      {isNewer && <Failure text="It has changed again since it was shown. This is the newest definition." />}
      <div class="allow row wraps">
        <button
          type="button"
          class={isNewer ? "" : "primary"}
          disabled={isBusy && !isNewer}
          onClick={isNewer ? takeNotice : approve}
          aria-describedby={heading}
        >
          {isNewer ? "I have read the newest one" : isBusy ? "Approving …" : "Approve this definition"}
        </button>
        {change.kind !== "launch" && !change.isOff && (
          <SwitchButton path={`tools/${encodeURIComponent(change.tool)}`} name={change.tool} isOn words="Reject" />
        )}
        {!change.isOff && (
          <SwitchButton
            path={`servers/${encodeURIComponent(change.server)}`}
            name={change.server}
            isOn
            words="Turn off server"
          />
        )}
      </div>
    </li>
  );
}
