import { useState } from "preact/hooks";
import type { QuestionAnswer, QuestionView } from "../../http/api/api.ts";
import { ApiFailure } from "../live/api-client.ts";
import { useIsApp } from "../live/app-view.ts";
import { useConnection } from "../live/connection.ts";
import { useAction } from "../live/use-action.ts";
import { formatTime } from "../parts/format.ts";
import { SchemaField } from "../parts/schema-field.tsx";
import { toArguments, toFormFields } from "../parts/schema-form.ts";
import { ShownBlock, ShownText } from "../parts/shown-text.tsx";
import { Badge, Failure } from "../parts/status.tsx";

/** Questions of runs to a person, other than whether a call may run. Oldest first. */
export function Questions({ questions }: { readonly questions: readonly QuestionView[] }) {
  if (questions.length === 0) return null;
  return (
    <ul class="cards pile" aria-label="Questions">
      {questions.map((question) => (
        <Question key={question.id} question={question} />
      ))}
    </ul>
  );
}

type Send = (answer: QuestionAnswer) => void;

const TITLES = {
  user_input: "A question for you",
  plan: "A plan to approve",
  elicitation: "A server asks",
} as const;

function Question({ question }: { readonly question: QuestionView }) {
  const { api, announce } = useConnection();
  const { isBusy, failure, run } = useAction();
  const isApp = useIsApp();
  const heading = `question-${question.id}`;
  const send: Send = (answer) =>
    void run(async () => {
      await api.post(`questions/${encodeURIComponent(question.id)}`, answer).catch((error: unknown) => {
        if (!(error instanceof ApiFailure && error.status === 404)) throw error;
      });
      announce("Answered");
    }, "stays");
  return (
    <li class="card pile sheet edge tone-warn">
      <div class="card-head row wraps">
        <h2 id={heading}>{TITLES[question.kind]}</h2>
        <Badge tone="warn" icon="approvals" text={isApp ? "waits for the app" : "waits for you"} />
        <span class="dim">
          asked by <ShownText text={question.kind === "elicitation" ? question.server : question.client} /> at{" "}
          {formatTime(question.since)}
        </span>
      </div>
      {isApp ? (
        <ShownBlock text={toText(question)} />
      ) : (
        <fieldset class="pile" disabled={isBusy} aria-labelledby={heading}>
          {question.kind === "user_input" && <UserInput question={question} send={send} />}
          {question.kind === "plan" && <Plan plan={question.plan} send={send} />}
          {question.kind === "elicitation" && <Elicitation question={question} send={send} />}
        </fieldset>
      )}
      <Failure text={failure} />
    </li>
  );
}

/** A question that somebody else answers. */
function toText(question: QuestionView): string {
  switch (question.kind) {
    case "user_input":
      return [question.question, ...question.choices.map((choice) => `- ${choice}`)].join("\n");
    case "plan":
      return question.plan;
    case "elicitation":
      return question.url === null ? question.message : `${question.message}\n${question.url}`;
  }
}

type Of<Kind> = Extract<QuestionView, { readonly kind: Kind }>;

function UserInput({ question, send }: { readonly question: Of<"user_input">; send: Send }) {
  const [text, setText] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    send({ text });
  };
  return (
    <>
      <ShownBlock text={question.question} />
      {question.choices.length > 0 && (
        <div class="row wraps">
          {question.choices.map((choice) => (
            <button key={choice} type="button" class="choice" onClick={() => send({ text: choice })}>
              <ShownText text={choice} />
            </button>
          ))}
        </div>
      )}
      <form class="row wraps" onSubmit={submit}>
        <label class="field grow">
          <span class="away">Your answer</span>
          <input value={text} placeholder="Your answer" onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <button type="submit" class="primary" disabled={text.trim() === ""}>
          Answer
        </button>
      </form>
    </>
  );
}

function Plan({ plan, send }: { readonly plan: string; send: Send }) {
  const [feedback, setFeedback] = useState("");
  const reject = (event: Event) => {
    event.preventDefault();
    send({ approved: false, feedback });
  };
  return (
    <>
      <ShownBlock text={plan} />
      <div class="row">
        <button type="button" class="primary" onClick={() => send({ approved: true })}>
          Approve the plan
        </button>
      </div>
      <form class="row wraps" onSubmit={reject}>
        <label class="field grow">
          <span class="away">What to change in the plan</span>
          <input
            value={feedback}
            placeholder="What to change (may be empty)"
            onInput={(event) => setFeedback(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="danger">
          Reject the plan
        </button>
      </form>
    </>
  );
}

function Elicitation({ question, send }: { readonly question: Of<"elicitation">; send: Send }) {
  const fields = toFormFields(question.schema);
  const [values, setValues] = useState<ReadonlyMap<string, string>>(new Map());
  const [problem, setProblem] = useState<string | null>(null);
  const accept = (event: Event) => {
    event.preventDefault();
    const filled = toArguments(fields, values);
    setProblem("problem" in filled ? filled.problem : null);
    if ("args" in filled) send({ action: "accept", content: filled.args });
  };
  return (
    <form class="pile" onSubmit={accept}>
      <ShownBlock text={question.message} />
      {question.url !== null && (
        <p>
          Open this address yourself, if you trust it: <ShownText in="code" text={question.url} />
        </p>
      )}
      {fields.map((field) => (
        <SchemaField
          key={field.name}
          field={field}
          value={values.get(field.name) ?? field.initial}
          change={(value) => setValues(new Map(values).set(field.name, value))}
        />
      ))}
      <Failure text={problem} />
      <div class="row wraps">
        <button type="submit" class="primary">
          {question.url === null ? "Send" : "I have opened it"}
        </button>
        <button type="button" class="danger" onClick={() => send({ action: "decline" })}>
          Decline
        </button>
      </div>
    </form>
  );
}
