import { useState } from "preact/hooks";
import type { TrialChange, TrialOutcomes, TrialView, WantedTrial } from "../../http/api/api.ts";
import { useConnection } from "../live/connection.ts";
import { useAction } from "../live/use-action.ts";
import { formatNumber } from "../parts/format.ts";
import { ShownText } from "../parts/shown-text.tsx";
import { Failure } from "../parts/status.tsx";
import { Table } from "../parts/table.tsx";

const WORDS: Readonly<Record<keyof TrialOutcomes, string>> = {
  allow: "allowed",
  ask: "asked",
  deny: "denied",
  hidden: "hidden",
};
const OUTCOMES = Object.keys(WORDS) as readonly (keyof TrialOutcomes)[]; // Its own keys.
const WEEK = 7;
const MOST_CHANGES = 200;

/** A policy that nobody uses yet, written here or taken from a file, and what it would have meant for calls of the log. */
export function TryPolicy() {
  const { api, announce } = useConnection();
  const { isBusy, failure, run } = useAction();
  const [policy, setPolicy] = useState("");
  const [days, setDays] = useState(WEEK);
  const [trial, setTrial] = useState<TrialView | null>(null);
  const take = (file: File | undefined) => run(async () => setPolicy((await file?.text()) ?? ""));
  const start = () =>
    run(async () => {
      setTrial(null);
      const wanted: WantedTrial = { policy, ...(days > 0 ? { days } : {}) };
      const answer = await api.post<TrialView>("rehearsals", wanted);
      setTrial(answer);
      announce(`Tried it on ${formatNumber(answer.judged, "call")}`);
    });
  return (
    <details class="card pile sheet">
      <summary>Try a policy on the log</summary>
      <div class="pile">
        <p>
          Write or paste a whole configuration, or take a file. Calls of the log are judged under it and under the one
          in use. Nothing is run or changed.
        </p>
        <label class="pile">
          A file
          <input type="file" accept=".yaml,.yml,.json" onChange={(event) => take(event.currentTarget.files?.[0])} />
        </label>
        <label class="pile">
          The policy
          <textarea
            rows={12}
            spellcheck={false}
            value={policy}
            onInput={(event) => setPolicy(event.currentTarget.value)}
          />
        </label>
        <label class="pile">
          Days
          <input type="number" min={1} value={days} onInput={(event) => setDays(Number(event.currentTarget.value))} />
        </label>
        <Failure text={failure} />
        <button type="button" class="primary" disabled={isBusy || policy.trim() === ""} onClick={start}>
          {isBusy ? "Trying …" : "Try it"}
        </button>
        {trial !== null && <Trial trial={trial} />}
      </div>
    </details>
  );
}

function Trial({ trial }: { readonly trial: TrialView }) {
  const { calls, judged, now, next, people, changes } = trial;
  return (
    <section class="pile" aria-label="What it would have meant">
      <p>
        {formatNumber(judged, "call")} judged{judged === calls ? "" : `, of ${formatNumber(calls, "call")}`}.
        {changes.length === 0 && people.length === 0 ? " Nothing would be different." : ""}
      </p>
      <Table
        label="Calls by outcome"
        columns={[{ name: "calls" }, { name: "now", isNumber: true }, { name: "new", isNumber: true }]}
        rows={OUTCOMES.map((outcome) => ({ key: outcome, cells: [WORDS[outcome], now[outcome], next[outcome]] }))}
      />
      {people.length > 0 && <People people={people} />}
      {changes.length > 0 && <Changes changes={changes} />}
      <ul>
        {toRemarks(trial).map((text) => (
          <li key={text}>
            <ShownText text={text} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const GETS_OTHERS = "Who gets other tools";

function People({ people }: Pick<TrialView, "people">) {
  return (
    <>
      <h2>{GETS_OTHERS}</h2>
      <Table
        label={GETS_OTHERS}
        columns={[{ name: "who" }, { name: "loses" }, { name: "gains" }]}
        rows={people.map(({ who, lost, gained }) => ({
          key: who,
          cells: [who, lost.join(", "), gained.join(", ")].map((text) => <ShownText key={text} text={text} />),
        }))}
      />
    </>
  );
}

const GO_OTHERWISE = "Calls that would go otherwise";

function Changes({ changes }: { readonly changes: readonly TrialChange[] }) {
  return (
    <>
      <h2>{GO_OTHERWISE}</h2>
      <Table
        label={GO_OTHERWISE}
        columns={[
          { name: "who" },
          { name: "tool" },
          { name: "what" },
          { name: "why" },
          { name: "calls", isNumber: true },
        ]}
        rows={changes.slice(0, MOST_CHANGES).map(({ who, tool, from, to, code, origin, calls }) => ({
          key: JSON.stringify([who, tool, from, to, code, origin]),
          cells: [
            <ShownText key="who" text={who} />,
            <ShownText key="tool" text={tool} />,
            `${WORDS[from]} → ${WORDS[to]}`,
            <ShownText key="why" text={origin === "" ? code : `${code} (${origin})`} />,
            calls,
          ],
        }))}
      />
    </>
  );
}

function toRemarks({ changes, unjudged, withNewestList, redacted, underOthers, unknownServers, notAsked }: TrialView) {
  const more = changes.length - MOST_CHANGES;
  return [
    ...(more > 0 ? [`${formatNumber(more, "line")} more; toolcrib rehearse --json has all of them`] : []),
    ...unjudged.map(({ why, calls, tools }) => {
      const names = tools.length === 0 ? "" : ` (${tools.join(", ")})`;
      return `${formatNumber(calls, "call")} cannot be judged: ${why}${names}`;
    }),
    ...(withNewestList > 0 ? [`${formatNumber(withNewestList, "call")} judged with the newest list of tools`] : []),
    ...(redacted > 0 ? [`${formatNumber(redacted, "call")} judged without what the log hides`] : []),
    ...(underOthers > 0 ? [`${formatNumber(underOthers, "call")} made under another policy than that of now`] : []),
    ...(unknownServers.length > 0 ? [`the tools of ${unknownServers.join(", ")} are on no list yet`] : []),
    ...(notAsked.length > 0 ? [`not asked here: ${notAsked.join(", ")}`] : []),
  ];
}
