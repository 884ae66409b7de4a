import { formatJson } from "./format.ts";
import { ShownCode, ShownText } from "./shown-text.tsx";

/** Longer texts have a box of their own, with their line breaks. */
const SHORT = 100;

/** The arguments of a call, each by its name: texts as they are, everything else as JSON. */
export function ArgumentList({ value, label }: { readonly value: unknown; readonly label: string }) {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return <ShownCode text={formatJson(value)} label={label} />;
  const entries = Object.entries(value);
  if (entries.length === 0) return <p class="dim">It has no arguments.</p>;
  return (
    <dl class="pairs arguments" aria-label={label}>
      {entries.map(([name, argument]) => (
        <div key={name}>
          <dt>
            <ShownText in="code" text={name} />
          </dt>
          <dd>
            <Argument name={name} value={argument} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Argument({ name, value }: { readonly name: string; readonly value: unknown }) {
  const text = typeof value === "string" ? value : formatJson(value);
  const isLong = text.includes("\n") || text.length > SHORT;
  if (isLong) return <ShownCode text={text} label={`Argument ${name}`} />;
  return <ShownText in="code" text={typeof value === "string" ? `"${text}"` : text} />;
}
