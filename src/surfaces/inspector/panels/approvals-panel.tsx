import { useEffect, useRef, useState } from "preact/hooks";
import type { ApprovalAnswer, ApprovalView, ClientView, QuestionView } from "../../http/api/api.ts";
import { ApiFailure } from "../live/api-client.ts";
import { useIsApp } from "../live/app-view.ts";
import { useConnection } from "../live/connection.ts";
import { useAction } from "../live/use-action.ts";
import type { Resource } from "../live/use-resource.ts";
import { ArgumentList } from "../parts/argument-list.tsx";
import { Diff } from "../parts/diff.tsx";
import { formatJson, formatTime } from "../parts/format.ts";
import { toOneLine } from "../parts/reveal-text.ts";
import { ShownBlock, ShownText } from "../parts/shown-text.tsx";
import { Badge, Failure, ResourceNote } from "../parts/status.tsx";
import { Questions } from "./questions.tsx";

interface ApprovalsProps {
  readonly approvals: Resource<readonly ApprovalView[]>;
  readonly clients: readonly ClientView[];
  /** It is part of another panel, so it shows nothing if nothing waits. */
  readonly isPart?: boolean;
}

/** The outcome of an approval that no longer waits. */
type Settled = "allowed" | "denied" | "answered elsewhere, or given up" | "nobody can receive it any more";

const MOST_SETTLED = 50;

interface ApprovalsPanelProps extends Omit<ApprovalsProps, "isPart"> {
  readonly questions: Resource<readonly QuestionView[]>;
}

/** Everything that waits for a person: calls, and questions of runs. */
export function ApprovalsPanel({ approvals, clients, questions }: ApprovalsPanelProps) {
  const asked = questions.value ?? [];
  return (
    <div class="page-panel pile">
      <Questions questions={asked} />
      <Approvals approvals={approvals} clients={clients} isPart={asked.length > 0} />
    </div>
  );
}

/**
 * Calls that wait for a person, oldest first. One that no longer waits keeps its position while others do; otherwise a
 * click meant for it would hit the next one.
 */
export function Approvals({ approvals, clients, isPart = false }: ApprovalsProps) {
  const [answered, setAnswered] = useState<ReadonlyMap<string, Settled>>(new Map());
  const seen = useRef(new Map<string, ApprovalView>());
  const list = useRef<HTMLUListElement>(null);
  const empty = useRef<HTMLParagraphElement>(null);
  const waiting = new Map(approvals.value?.filter(({ id }) => !answered.has(id)).map((one) => [one.id, one]));
  const shown = keepPlaces(seen.current, waiting);
  const mustFocus = useRef(false);
  /** The page must not move under a pointer; a person who types has to see where they are. */
  const isPointing = useRef(false);
  useEffect(() => {
    if (!mustFocus.current) return;
    mustFocus.current = false;
    const next = list.current?.querySelector<HTMLElement>("li:not(.is-settled) h2") ?? empty.current;
    next?.focus({ preventScroll: isPointing.current });
  }, [answered]);
  const settle = (id: string, how: Settled) => {
    mustFocus.current = true;
    setAnswered(new Map([...answered, [id, how]]));
  };
  return (
    <>
      <ResourceNote resource={approvals} what="approvals" />
      {!isPart && approvals.value !== null && waiting.size === 0 && (
        <p class="empty" ref={empty} tabIndex={-1}>
          Nothing waits for an answer.
        </p>
      )}
      <ul
        class="cards pile"
        ref={list}
        onPointerDown={() => {
          isPointing.current = true;
        }}
        onKeyDown={() => {
          isPointing.current = false;
        }}
      >
        {shown.map((approval) => (
          <Approval
            key={approval.id}
            approval={approval}
            client={nameAsker(approval, clients)}
            settled={waiting.has(approval.id) ? null : (answered.get(approval.id) ?? "answered elsewhere, or given up")}
            settle={(how) => settle(approval.id, how)}
          />
        ))}
      </ul>
    </>
  );
}

/** Adds waiting ones to those seen, and forgets the rest once nothing waits, or when there are too many. */
function keepPlaces(
  seen: Map<string, ApprovalView>,
  waiting: ReadonlyMap<string, ApprovalView>,
): readonly ApprovalView[] {
  for (const [id, approval] of waiting) seen.set(id, approval);
  const settled = [...seen.keys()].filter((id) => !waiting.has(id));
  for (const id of settled.slice(0, waiting.size === 0 ? settled.length : -MOST_SETTLED)) seen.delete(id);
  // In the order in which they came, which no change of the clock turns round.
  return [...seen.values()];
}

function nameAsker({ client, machine }: ApprovalView, clients: readonly ClientView[]): string {
  const label = clients.find(({ id }) => id === client)?.label ?? client;
  return machine === null ? label : `${label} on ${machine}`;
}

/** The name at its server, which stands beside it. */
function nameAtServer({ tool, server }: ApprovalView): string {
  return server !== null && tool.startsWith(`${server}/`) ? tool.slice(server.length + 1) : tool;
}

function sayWhat(tool: string, became: Settled): string {
  switch (became) {
    case "allowed":
      return `Allowed ${tool}`;
    case "denied":
      return `Denied ${tool}`;
    case "answered elsewhere, or given up":
      return `${tool} was answered meanwhile`;
    case "nobody can receive it any more":
      return `Nobody can receive the answer about ${tool} any more, and nothing was run`;
  }
}

/** The outcome if an answer came too late, by status. */
const MISSED: ReadonlyMap<number, Settled> = new Map([
  [404, "answered elsewhere, or given up"],
  [410, "nobody can receive it any more"],
]);

interface ApprovalProps {
  readonly approval: ApprovalView;
  readonly client: string;
  /** Null while it waits. */
  readonly settled: Settled | null;
  settle(how: Settled): void;
}

/** What kind of thing it would do. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ["mcp", "a server's tool"],
  ["shell", "a command"],
  ["write", "writes a file"],
  ["read", "reads a file"],
  ["url", "reads a web page"],
  ["custom-tool", "a tool of the program"],
  ["hook", "a hook asks"],
]);

const SCOPES = [
  ["once", "Allow once"],
  ["session", "Allow in this session"],
  ["project", "Allow in this project"],
  ["user", "Always allow for me"],
] as const;

/** Characters of arguments that are shown at once, even if the parts say what would happen. */
const SHORT_ARGUMENTS = 600;

function Approval({ approval, client, settled, settle }: ApprovalProps) {
  const { api, announce } = useConnection();
  const { isBusy, failure, run } = useAction();
  const isApp = useIsApp();
  const tool = toOneLine(approval.tool);
  // Other rules could be stored too; this one is, unless somebody chooses another.
  const [kept] = approval.suggestions;
  const heading = `approval-${approval.id}`;
  const send = (answer: ApprovalAnswer) =>
    run(async () => {
      const how = answer.decision === "allow" ? "allowed" : "denied";
      const became = await api.post(`approvals/${encodeURIComponent(approval.id)}`, answer).then(
        () => how,
        (error: unknown) => (error instanceof ApiFailure && MISSED.get(error.status)) || Promise.reject(error),
      );
      announce(sayWhat(tool, became));
      settle(became);
    }, "stays");
  return (
    <li class={`card pile sheet ${settled === null ? "edge tone-warn" : "is-settled"}`}>
      <div class="card-head row wraps">
        <h2 id={heading} tabIndex={-1}>
          <ShownText text={approval.tool} />
        </h2>
        <Badge
          tone={settled === null ? "warn" : "plain"}
          icon="approvals"
          text={settled ?? KINDS.get(approval.kind) ?? approval.kind}
        />
        <span class="dim">
          asked by <ShownText text={client} /> at {formatTime(approval.since)}
        </span>
      </div>
      <Deed approval={approval} tool={tool} />
      <Background approval={approval} />
      <p>{isApp ? "The app answers this itself." : <Kept suggestion={kept} />}</p>
      <Failure text={failure} />
      {!isApp && (
        <fieldset class="answers pile" disabled={isBusy || settled !== null} aria-labelledby={heading}>
          <Answers canKeep={kept !== undefined} send={send} />
        </fieldset>
      )}
    </li>
  );
}

/** What would happen: who would run what, and with which arguments. */
function Deed({ approval, tool }: { readonly approval: ApprovalView; readonly tool: string }) {
  const { parts, diff, arguments: given } = approval;
  const isPlain = parts.length === 0 && diff === undefined;
  const list = <ArgumentList value={given} label={`Arguments of ${tool}`} />;
  return (
    <>
      <p>
        {approval.server === null ? (
          <>Toolcrib would run </>
        ) : (
          <>
            The server <ShownText in="strong" text={approval.server} /> would run{" "}
          </>
        )}
        <ShownText in="strong" text={nameAtServer(approval)} />
        {parts.length > 0 ? ":" : " with:"}
      </p>
      {parts.length > 0 && (
        <ol class="parts pile" aria-label="What it would do">
          {parts.map((part, index) => (
            <li key={`${index} ${part}`}>
              <ShownText in="code" text={part} />
            </li>
          ))}
        </ol>
      )}
      {diff !== undefined && <Diff lines={diff} label={`What ${tool} would change`} />}
      {isPlain ? (
        list
      ) : (
        <details open={diff === undefined && formatJson(given).length <= SHORT_ARGUMENTS}>
          <summary>Arguments</summary>
          {list}
        </details>
      )}
    </>
  );
}

function Background({ approval: { reason, line, description } }: { readonly approval: ApprovalView }) {
  return (
    <dl class="pairs">
      <dt class="dim">Why it asks</dt>
      <ShownText in="dd" text={reason} />
      {line !== undefined && (
        <>
          <dt class="dim">Called in</dt>
          <ShownText in="dd" text={line} />
        </>
      )}
      {description !== "" && (
        <>
          <dt class="dim">About the tool</dt>
          <dd class="dim">
            <ShownBlock text={description} />
          </dd>
        </>
      )}
    </dl>
  );
}

function Kept({ suggestion }: { readonly suggestion: ApprovalView["suggestions"][number] | undefined }) {
  if (suggestion === undefined) return "It is asked about each time, whatever was answered before.";
  const { rule, text } = suggestion;
  return (
    <>
      <strong>Kept if you allow more than this once:</strong>{" "}
      {rule !== "" && <ShownText in="code" class="rule" text={rule} />}
      {rule !== text && <ShownText in="span" text={` ${text}`} />}
    </>
  );
}

function Answers({ canKeep, send }: { readonly canKeep: boolean; send(answer: ApprovalAnswer): void }) {
  const [reason, setReason] = useState("");
  const deny = (event: Event) => {
    event.preventDefault();
    send(reason.trim() === "" ? { decision: "deny" } : { decision: "deny", reason: reason.trim() });
  };
  return (
    <>
      <div class="allow row wraps">
        {SCOPES.filter(([scope]) => canKeep || scope === "once").map(([scope, words]) => (
          <button
            key={scope}
            type="button"
            class={scope === "once" ? "primary" : ""}
            onClick={() => send({ decision: "allow", scope })}
          >
            {words}
          </button>
        ))}
      </div>
      <form class="deny row wraps" onSubmit={deny}>
        <label class="field grow">
          <span class="away">Reason, which the model reads</span>
          <input
            value={reason}
            placeholder="Reason for the model (may be empty)"
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="danger">
          Deny
        </button>
      </form>
    </>
  );
}
