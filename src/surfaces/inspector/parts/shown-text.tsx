import { splitHidden } from "./reveal-text.ts";

interface ShownTextProps {
  readonly text: string;
  /** Its element and class. */
  readonly in?: "p" | "span" | "strong" | "code" | "q" | "div" | "h2" | "dd" | "td";
  readonly class?: string;
}

/** Text of a server, a file or a model: never markup, and without effect on what is around it. */
export function ShownText({ text, in: Around, class: name }: ShownTextProps) {
  const shown = <bdi class="shown">{toNodes(text, false)}</bdi>;
  return Around === undefined ? shown : <Around class={name}>{shown}</Around>;
}

/** The same over several lines. */
export function ShownBlock({ text }: { readonly text: string }) {
  return <div class="shown shown-block">{toNodes(text, true)}</div>;
}

/** Code, JSON or output, in a box that scrolls and can be reached by keyboard. */
export function ShownCode({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <pre class="shown code" role="region" aria-label={label} tabIndex={0}>
      {toNodes(text, true)}
    </pre>
  );
}

function toNodes(text: string, keepsLines: boolean) {
  return splitHidden(text, keepsLines).map((part, index) =>
    part.kind === "plain" ? (
      part.text
    ) : (
      <span key={index} class="escaped" title={`${part.codePoint}, not shown as it is`}>
        {part.text}
      </span>
    ),
  );
}
