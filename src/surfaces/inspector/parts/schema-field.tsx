import { toOneLine } from "./reveal-text.ts";
import type { FormField } from "./schema-form.ts";
import { ShownBlock, ShownText } from "./shown-text.tsx";

/** One value of a form that a schema describes. */
export function SchemaField(props: { readonly field: FormField; readonly value: string; change(value: string): void }) {
  const { field, value, change } = props;
  const id = `try-${field.name}`;
  return (
    <div class="field">
      <label for={id}>
        <ShownText text={field.name} />
        {field.isRequired && <span class="dim"> (required)</span>}
      </label>
      {field.about !== "" && (
        <div class="dim fine">
          <ShownBlock text={field.about} />
        </div>
      )}
      <Control id={id} field={field} value={value} change={change} />
    </div>
  );
}

interface ControlProps {
  readonly id: string;
  readonly field: FormField;
  readonly value: string;
  change(value: string): void;
}

function Control({ id, field: { kind, options }, value, change }: ControlProps) {
  const onInput = (event: { readonly currentTarget: { readonly value: string } }) => change(event.currentTarget.value);
  if (kind === "number") return <input id={id} inputMode="decimal" value={value} onInput={onInput} />;
  if (kind === "choice" || kind === "flag")
    return (
      <select id={id} value={value} onChange={onInput}>
        <option value="">left out</option>
        {(kind === "flag" ? ["true", "false"] : options).map((option) => (
          <option key={option} value={option}>
            {toOneLine(option)}
          </option>
        ))}
      </select>
    );
  const isJson = kind === "json";
  return (
    <textarea
      id={id}
      rows={isJson ? 3 : 1}
      spellcheck={false}
      placeholder={isJson ? "JSON" : ""}
      value={value}
      onInput={onInput}
    />
  );
}
