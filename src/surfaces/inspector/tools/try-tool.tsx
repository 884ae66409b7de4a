import { useState } from "preact/hooks";
import type { ApprovalView, TryView, WhyTool } from "../../http/api/api.ts";
import { useConnection } from "../live/connection.ts";
import { useAction } from "../live/use-action.ts";
import { useResource } from "../live/use-resource.ts";
import { formatDuration } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { OUTCOMES } from "../parts/outcomes.ts";
import { toOneLine } from "../parts/reveal-text.ts";
import { SchemaField } from "../parts/schema-field.tsx";
import { readFormArguments, toArguments, toFormFields } from "../parts/schema-form.ts";
import { ShownCode, ShownText } from "../parts/shown-text.tsx";
import { Badge, Failure } from "../parts/status.tsx";

/** One call of a tool, made by the person who looks: a form from its schema, the decision about the call, the result. */
export function TryTool({ tool }: { readonly tool: WhyTool }) {
  const { api, announce } = useConnection();
  const fields = toFormFields(tool.inputSchema);
  const [values, setValues] = useState<ReadonlyMap<string, string>>(new Map());
  const [json, setJson] = useState("{}");
  const [isJson, setIsJson] = useState(fields.length === 0);
  const { isBusy, failure, run: runAction } = useAction();
  const [problem, setProblem] = useState<string | null>(null);
  const [outcome, setOutcome] = useState<TryView | null>(null);
  if (tool.standing === "hidden") return <p class="dim">A hidden tool cannot be called. Change what hides it first.</p>;

  const toggle = (next: boolean) => {
    const filled = toArguments(fields, values);
    if (next && "args" in filled) setJson(JSON.stringify(filled.args, null, 2));
    setIsJson(next);
  };
  const run = (event: Event) => {
    event.preventDefault();
    const filled = isJson ? readFormArguments(json) : toArguments(fields, values);
    setOutcome(null);
    setProblem("problem" in filled ? filled.problem : null);
    if ("problem" in filled) return;
    void runAction(async () => {
      const view = await api.post<TryView>(`try/${encodeURIComponent(tool.name)}`, { arguments: filled.args });
      setOutcome(view);
      announce(`${toOneLine(tool.shown)}: ${view.result.type}`);
    });
  };
  return (
    <form class="try pile" aria-label="Try it" onSubmit={run}>
      {fields.length > 0 && (
        <label class="check">
          <input type="checkbox" checked={isJson} onChange={(event) => toggle(event.currentTarget.checked)} />
          Write the arguments as JSON
        </label>
      )}
      {isJson ? (
        <label class="field">
          <span>Arguments</span>
          <textarea rows={6} spellcheck={false} value={json} onInput={(event) => setJson(event.currentTarget.value)} />
        </label>
      ) : (
        fields.map((field) => (
          <SchemaField
            key={field.name}
            field={field}
            value={values.get(field.name) ?? field.initial}
            change={(value) => setValues(new Map(values).set(field.name, value))}
          />
        ))
      )}
      <button type="submit" class="primary" disabled={isBusy}>
        <Icon name="play" />
        {isBusy ? "Running …" : "Run it"}
      </button>
      {isBusy && <Waiting tool={tool.shown} />}
      <Failure text={problem ?? failure} />
      {outcome !== null && <Outcome outcome={outcome} />}
    </form>
  );
}

/** A call that must be asked about waits for the same person, among the approvals. */
function Waiting({ tool }: { readonly tool: string }) {
  const approvals = useResource<readonly ApprovalView[]>("approvals", ["approvals"]);
  const own = approvals.value?.find((approval) => approval.client === "inspector" && approval.tool === tool);
  if (own === undefined) return null;
  return (
    <p role="status">
      It waits for your answer: <ShownText text={own.reason} />. <a href="#/approvals">Open Approvals</a>
    </p>
  );
}

function Outcome({ outcome }: { readonly outcome: TryView }) {
  const { decision, result, duration, isCut, attachments } = outcome;
  return (
    <div class="outcome pile" role="status">
      {decision !== null && (
        <p>
          <Badge tone={OUTCOMES.get(decision.decision)?.[0] ?? "warn"} text={decision.decision} />{" "}
          <ShownText text={decision.text} />{" "}
          {decision.origin !== null && (
            <span class="dim">
              from <ShownText text={decision.origin} />
            </span>
          )}
        </p>
      )}
      <p>
        <Badge tone={OUTCOMES.get(result.type)?.[0] ?? "plain"} text={result.type} /> in {formatDuration(duration)}
        {attachments > 0 && `, with ${attachments} binary parts that are not shown`}
      </p>
      <ShownCode text={result.text} label="Result" />
      {isCut && <p class="dim">The rest of the result is not shown.</p>}
      {result.note !== undefined && <ShownText in="p" class="dim" text={result.note} />}
    </div>
  );
}
