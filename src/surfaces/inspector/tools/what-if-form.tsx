import { useEffect, useState } from "preact/hooks";
import type { Choices, Overview } from "../../http/api/api.ts";
import { isWhatIf, type SceneChoice } from "../address/address.ts";

interface FormProps {
  readonly scene: SceneChoice;
  readonly choices: Choices | null;
  readonly overview: Overview | null;
  readonly isNarrow: boolean;
  change(part: Partial<SceneChoice>): void;
}

const TYPING_PAUSE_MS = 350;

/** A choice from a list: its key, its label, its list, and the default. */
const CHOSEN = [
  ["agent", "Agent", "agents", "none"],
  ["model", "Model", "models", "none"],
  ["mode", "Mode", "modes", "default"],
] as const;

/** Asks what would be different: nothing here changes what any client gets. */
export function WhatIfForm(props: FormProps) {
  const { scene, overview, change } = props;
  if (overview?.isApp) return <SeenBy scene={scene} overview={overview} change={change} none="the newest session" />;
  if (!props.isNarrow) return <WhatIfFields {...props} />;
  return (
    <details class="what-if-fold" open={isWhatIf(props.scene)}>
      <summary>What if …</summary>
      <WhatIfFields {...props} />
    </details>
  );
}

function WhatIfFields({ scene, choices, overview, change }: FormProps) {
  const set = (key: keyof SceneChoice) => (value: string) => change({ [key]: value });
  const names = [...(choices?.toolsets ?? []), ...(choices?.servers ?? []).map((server) => `${server}/*`)];
  return (
    <form class="what-if" aria-label="What if" onSubmit={(event) => event.preventDefault()}>
      <datalist id="known-names">
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {CHOSEN.map(([key, label, many, otherwise]) => {
        const now = overview?.[key] ?? otherwise;
        return <Choice key={key} label={label} now={now} value={scene[key]} of={choices?.[many]} set={set(key)} />;
      })}
      {(choices?.people.length ?? 0) + scene.person.length > 0 && (
        <Choice label="Person" now="everybody" value={scene.person} of={choices?.people} set={set("person")} />
      )}
      <NameList label="Include" hint="only these" value={scene.include} set={set("include")} />
      <NameList label="Exclude" hint="all but these" value={scene.exclude} set={set("exclude")} />
      <SeenBy scene={scene} overview={overview} change={change} none="everybody" />
    </form>
  );
}

interface SeenByProps extends Pick<FormProps, "scene" | "overview" | "change"> {
  /** Its name if nobody is chosen. */
  readonly none: string;
}

function SeenBy({ scene, overview, change, none }: SeenByProps) {
  if (overview === null || overview.clients.length === 0) return null;
  return (
    <label class="field">
      <span>As seen by</span>
      <select value={scene.client} onChange={(event) => change({ client: event.currentTarget.value })}>
        <option value="">{none}</option>
        {overview.clients.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly now: string;
  readonly value: string;
  readonly of: readonly string[] | undefined;
  set(value: string): void;
}

function Choice({ label, now, value, of = [], set }: ChoiceProps) {
  const options = value === "" || of.includes(value) ? of : [...of, value];
  return (
    <label class={value === "" ? "field" : "field is-set"}>
      <span>{label}</span>
      <select value={value} onChange={(event) => set(event.currentTarget.value)}>
        <option value="">{now} (now)</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    </label>
  );
}

interface NameListProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  set(value: string): void;
}

/** Waits for a pause in typing, so that half a name is not asked about. */
function NameList({ label, hint, value, set }: NameListProps) {
  const [text, setText] = useState(value);
  useEffect(() => {
    if (toList(text) !== value) setText(value);
  }, [value]);
  useEffect(() => {
    if (toList(text) === value) return;
    const timer = setTimeout(() => set(toList(text)), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <label class={value === "" ? "field" : "field is-set"}>
      <span>{label}</span>
      <input
        value={text}
        placeholder={hint}
        title="Names, toolsets, server/* or patterns, with commas between"
        list="known-names"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </label>
  );
}

function toList(text: string): string {
  return text
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean)
    .join(",");
}
