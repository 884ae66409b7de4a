import { useEffect, useRef, useState } from "preact/hooks";
import type { ApprovalAnswer, ApprovalView, ClientView } from "../../http/api.ts";
import { ApiFailure } from "../live/api-client.ts";
import { useConnection } from "../live/connection.ts";
import type { Resource } from "../live/use-resource.ts";
import { formatJson, formatTime } from "../parts/format.ts";
import { toPlainText } from "../parts/reveal-text.ts";
import { ShownBlock, ShownCode, ShownText } from "../parts/shown-text.tsx";
import { Badge, ResourceNote } from "../parts/status.tsx";

interface ApprovalsProps {
  readonly approvals: Resource<readonly ApprovalView[]>;
  readonly clients: readonly ClientView[];
}

/** Calls that wait for a person. The oldest stands first: it has waited longest. */
export function ApprovalsPanel({ approvals, clients }: ApprovalsProps) {
  const [answered, setAnswered] = useState<ReadonlySet<string>>(new Set());
  const list = useRef<HTMLUListElement>(null);
  const empty = useRef<HTMLParagraphElement>(null);
  const waiting = (approvals.value ?? []).filter(({ id }) => !answered.has(id)).toSorted((a, b) => a.since - b.since);
  const mustFocus = useRef(false);
  useEffect(() => {
    if (!mustFocus.current) return;
    mustFocus.current = false;
    const next = list.current?.querySelector<HTMLElement>("h2") ?? empty.current;
    next?.focus();
  }, [answered]);
  const gone = (id: string) => {
    mustFocus.current = true;
    setAnswered(new Set([...answered, id]));
  };
  return (
    <div class="page-panel">
      <ResourceNote resource={approvals} what="approvals" />
      {approvals.value !== null && waiting.length === 0 && (
        <p class="empty" ref={empty} tabIndex={-1}>
          Nothing waits for an answer.
        </p>
      )}
      <ul class="cards" ref={list}>
        {waiting.map((approval) => (
          <Approval
            key={approval.id}
            approval={approval}
            client={clients.find(({ id }) => id === approval.client)?.label ?? approval.client}
            gone={() => gone(approval.id)}
          />
        ))}
      </ul>
    </div>
  );
}

interface ApprovalProps {
  readonly approval: ApprovalView;
  readonly client: string;
  gone(): void;
}

const SCOPES = [
  ["once", "Allow once"],
  ["session", "Allow in this session"],
  ["project", "Allow in this project"],
  ["user", "Always allow for me"],
] as const;

/** Characters of arguments that are shown without asking, also where the parts say what would happen. */
const SHORT_ARGUMENTS = 600;

function Approval({ approval, client, gone }: ApprovalProps) {
  const { api, announce } = useConnection();
  const [isBusy, setBusy] = useState(false);
  const [reason, setReason] = useState("");
  const [failure, setFailure] = useState<string | null>(null);
  const tool = toPlainText(approval.tool);
  const given = formatJson(approval.arguments);
  // Others could be kept too; this is the one that is, unless somebody says otherwise.
  const [kept] = approval.suggestions;
  const heading = `approval-${approval.id}`;
  const send = async (answer: ApprovalAnswer) => {
    setBusy(true);
    setFailure(null);
    try {
      await api.post(`approvals/${encodeURIComponent(approval.id)}`, answer);
      announce(answer.decision === "allow" ? `Allowed ${tool}` : `Denied ${tool}`);
      gone();
    } catch (error) {
      if (error instanceof ApiFailure && error.status === 404) {
        announce(`${tool} was answered meanwhile`);
        gone();
        return;
      }
      setBusy(false);
      setFailure(error instanceof Error ? error.message : String(error));
    }
  };
  const deny = (event: Event) => {
    event.preventDefault();
    void send(reason.trim() === "" ? { decision: "deny" } : { decision: "deny", reason: reason.trim() });
  };
  return (
    <li class="card approval tone-edge-warn">
      <div class="card-head">
        <h2 id={heading} tabIndex={-1}>
          <ShownText text={approval.tool} />
        </h2>
        <Badge tone="warn" icon="approvals" text={approval.kind} />
        <span class="dim">
          asked by <ShownText text={client} /> at {formatTime(approval.since)}
        </span>
      </div>
      {approval.description !== "" && <ShownBlock text={approval.description} />}
      <p>
        <strong>Why it asks:</strong> <ShownText text={approval.reason} />
      </p>
      {approval.parts.length > 0 && (
        <>
          <h3>What it would do</h3>
          <ol class="parts">
            {approval.parts.map((part, index) => (
              <li key={`${index} ${part}`}>
                <code>
                  <ShownText text={part} />
                </code>
              </li>
            ))}
          </ol>
        </>
      )}
      <details open={given.length <= SHORT_ARGUMENTS || approval.parts.length === 0}>
        <summary>Arguments</summary>
        <ShownCode text={given} label={`Arguments of ${tool}`} />
      </details>
      {kept === undefined ? (
        <p>It is asked about each time, whatever was answered before.</p>
      ) : (
        <p>
          <strong>Kept if you allow more than this once:</strong>{" "}
          {kept.rule !== "" && (
            <code class="rule">
              <ShownText text={kept.rule} />
            </code>
          )}{" "}
          <ShownText text={kept.text} />
        </p>
      )}
      {failure !== null && (
        <p class="tone-bad" role="alert">
          <ShownText text={failure} />
        </p>
      )}
      <fieldset class="answers" disabled={isBusy} aria-labelledby={heading}>
        <div class="allow">
          {SCOPES.filter(([scope]) => kept !== undefined || scope === "once").map(([scope, words]) => (
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
        <form class="deny" onSubmit={deny}>
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
      </fieldset>
    </li>
  );
}
